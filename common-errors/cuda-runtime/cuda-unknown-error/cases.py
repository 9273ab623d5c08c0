# fewer: only a machine with a GPU whose driver cannot start raises these messages
import torch

# %% right: a program for the CPU
model = torch.nn.Linear(16, 4)
print(model(torch.randn(2, 16)).shape)
