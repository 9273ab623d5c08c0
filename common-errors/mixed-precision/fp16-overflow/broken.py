import copy
import math

import torch
from torch import nn

torch.manual_seed(0)
# Recordings as 16-bit audio holds them, -32768 to 32767. Two classes: a low and a high tone.
labels = torch.randint(2, (64,))
frequencies = torch.where(labels == 1, 40, 10) + 3 * torch.randn(64)
phases, volumes = 6 * torch.rand(64, 1), 10_000 + 10_000 * torch.rand(64, 1)
time = torch.arange(512) / 512
recordings = volumes * torch.sin(2 * math.pi * frequencies[:, None] * time + phases)

model = nn.Sequential(nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

losses = []
for step in range(60):
    if step == 0 or math.isfinite(losses[-1]):
        snapshot = copy.deepcopy(model)  # at the end: the weights with which the loss was first nan
    with torch.autocast("cpu", dtype=torch.float16):  # error
        logits = model(recordings)
        loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    print(f"step={step} loss={loss.item():.4g}")

print(f"bad_steps={sum(not math.isfinite(loss) for loss in losses)}")
