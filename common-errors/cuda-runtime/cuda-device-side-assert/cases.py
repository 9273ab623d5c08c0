# fewer: each message needs a GPU, where one process can raise only one of them
import torch
from torch import nn

# %% token ids of another vocabulary
model = nn.Sequential(nn.Embedding(1000, 16), nn.Linear(16, 2)).to("cuda")
batch = torch.tensor([[5, 999], [1000, 3]])
checks = {"token ids": (batch, 1000, None)}
print(model(batch.to("cuda")).sum().item())

# %% more positions than the table has
positions = torch.arange(600)
table = nn.Embedding(512, 64).to("cuda")
checks = {"positions": (positions, table.num_embeddings, None)}
print(table(positions.to("cuda")).sum().item())

# %% right: labels that are ignored
logits = torch.randn(4, 10)
labels = torch.tensor([0, -100, 9, -100])
checks = {"labels": (labels, 10, -100)}
print(nn.functional.cross_entropy(logits, labels).item())

# %% right: no detections in this image
scores = torch.randn(0, 10)
labels = torch.empty(0, dtype=torch.long)
checks = {"labels": (labels, 10, -100)}
print(nn.functional.cross_entropy(scores, labels, reduction="sum").item())
