import torch
from torch import nn

torch.manual_seed(0)
# The tokenizer got two more tokens, ids 1000 and 1001; the model was not resized.
model = nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 5)).to("cuda")
tokens = torch.tensor([[17, 4, 1001, 356], [1000, 42, 99, 3]])

scores = model(tokens.to("cuda"))  # error
print(f"scores: {tuple(scores.shape)}")
