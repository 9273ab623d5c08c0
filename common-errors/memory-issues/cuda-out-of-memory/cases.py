# fewer: only a GPU raises this message
import torch
from torch import nn

torch.manual_seed(0)

# %% message: the differences of all pairs of points
points = torch.randn(400_000, 3, device="cuda")
print((points[:, None] - points[None]).norm(dim=2).min().item())

# %% message: a layer as wide as the vocabulary
nn.Linear(400_000, 400_000, device="cuda")

# %% right: gradients accumulated over small batches
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch, labels = torch.randn(32, 8), torch.randint(2, (32,))
for part, part_labels in zip(batch.split(8), labels.split(8), strict=True):
    loss = nn.functional.cross_entropy(model(part), part_labels, reduction="sum") / len(labels)
    loss.backward()
optimizer.step()
