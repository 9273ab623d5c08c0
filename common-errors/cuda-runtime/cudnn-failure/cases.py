# fewer: each message needs a GPU, and only the first convolution of a process creates the handle of cuDNN
import torch
from torch import nn

# %% an embedding of positions before the convolution
model = nn.ModuleDict({"table": nn.Embedding(128, 16), "conv": nn.Conv1d(16, 8, 3)}).to("cuda")
words = torch.arange(200).unsqueeze(0)
model["conv"](model["table"](words.to("cuda")).transpose(1, 2)).sum().item()

# %% right: every word has a row
model = nn.ModuleDict({"table": nn.Embedding(128, 16), "conv": nn.Conv1d(16, 8, 3)})
words = torch.arange(128).unsqueeze(0)
model["conv"](model["table"](words).transpose(1, 2)).sum().item()
