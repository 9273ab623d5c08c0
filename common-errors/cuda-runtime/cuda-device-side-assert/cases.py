# fewer: CUDA prints the check that failed before the exception, and most checks are those of other entries: labels, token ids, probabilities
import torch
from torch import nn

# %% the columns of actions that a policy does not have
values = torch.randn(4, 5, device="cuda")
actions = torch.tensor([0, 7, 4, 1])
checks = {"actions": (actions, 5, None)}
print(values.gather(1, actions[:, None].to("cuda")).sum().item())

# %% message: probabilities with a NaN
chances = torch.tensor([0.2, float("nan"), 0.5], device="cuda")
print(torch.multinomial(chances, 1).item())

# %% fixed
output = torch.tensor([0.2, 0.3, 0.5], device="cuda")
print("finite:", output.isfinite().all().item(), torch.multinomial(output, 1).item())

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
