import torch
from torch import nn

torch.manual_seed(0)
# A row for each token of the tokenizer: ids 0 to 1001.
model = nn.Sequential(nn.Embedding(1002, 64), nn.Linear(64, 5)).to("cuda")
tokens = torch.tensor([[17, 4, 1001, 356], [1000, 42, 99, 3]])

scores = model(tokens.to("cuda"))
print(f"scores: {tuple(scores.shape)}")
