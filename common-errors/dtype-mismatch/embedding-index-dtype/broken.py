import torch
from torch import nn

torch.manual_seed(0)
# Columns: store id, price, discount. A tensor has one dtype, so the ids are floats, too.
rows = torch.tensor([[3, 9.99, 0.10], [17, 4.50, 0.00], [3, 12.00, 0.25]])

stores = nn.Embedding(num_embeddings=20, embedding_dim=8)
head = nn.Linear(8 + 2, 1)
store_ids = rows[:, 0]
features = torch.cat([stores(store_ids), rows[:, 1:]], dim=1)  # error
print(f"demand: {tuple(head(features).shape)}")
