import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
# A surface that was measured at 400 points.
inputs = 2 * torch.rand(400, 2) - 1
targets = torch.sin(4 * inputs[:, :1]) * torch.cos(3 * inputs[:, 1:])


def start():
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    return model, torch.optim.Adam(model.parameters(), lr=5e-3)


def train(model, optimizer, steps, path):
    losses = []
    for step in steps:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 100 == 99 or step in (600, 605):
            print(f"step={step} error={loss.item() ** 0.5:.1f}")
    torch.save({"step": step + 1, "model": model.state_dict()}, path)  # error
    return losses


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pt")
    losses = train(*start(), range(600), path)

    checkpoint = torch.load(path)  # from here on as in a new process
    model, optimizer = start()
    model.load_state_dict(checkpoint["model"])
    resumed = train(model, optimizer, range(checkpoint["step"], 650), path)

jump = max(resumed[:20]) / max(losses[-50:])
print("the loss jumps to more than 10 times its value" if jump > 10 else "no jump")
print(f"jump={jump:.2f}")
