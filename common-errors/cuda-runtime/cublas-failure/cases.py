# fewer: each message needs a GPU, and only the first matrix product of a process creates the handle of cuBLAS
import torch
from torch import nn

# %% positions beyond the table
model = nn.Sequential(nn.Embedding(512, 64), nn.Linear(64, 64, bias=False)).to("cuda")
tokens = torch.arange(600).unsqueeze(0)
print(model(tokens.to("cuda")).sum().item())

# %% a padding id of -1
model = nn.Sequential(nn.Embedding(100, 32), nn.Linear(32, 2)).to("cuda")
tokens = torch.tensor([[5, 7, -1, -1]])
print(model(tokens.to("cuda")).sum().item())

# %% right: the last row of the table
model = nn.Sequential(nn.Embedding(100, 32), nn.Linear(32, 2))
tokens = torch.tensor([[0, 99]])
print(model(tokens).sum().item())
