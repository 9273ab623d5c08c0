# fewer: with an index out of range CUDA prints the check before the exception, and explain answers that; the rest needs a full GPU
import torch
from torch import nn

# %% right: every word has a row
model = nn.ModuleDict({"table": nn.Embedding(128, 16), "conv": nn.Conv1d(16, 8, 3)})
words = torch.arange(128).unsqueeze(0)
model["conv"](model["table"](words).transpose(1, 2)).sum().item()
