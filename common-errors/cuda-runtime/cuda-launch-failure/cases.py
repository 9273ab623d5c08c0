# fewer: such a failure needs a GPU, and most come from its driver or hardware
import torch

# %% right: the same sums by PyTorch
rows = torch.ones(64, 40_000)
print(rows.sum(1)[0].item())
