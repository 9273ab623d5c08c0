import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(512, 8)
targets = inputs.sin().sum(dim=1, keepdim=True)

model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)


def train_step(batch, batch_targets):
    loss = nn.functional.mse_loss(model(batch), batch_targets)
    loss.backward()  # error
    optimizer.step()
    return loss.item()


losses = []
batches = list(zip(inputs.split(32), targets.split(32), strict=True)) * 10  # ten epochs of 16 batches
for step, (batch, batch_targets) in enumerate(batches):
    losses.append(train_step(batch, batch_targets))
    print(f"step={step} loss={losses[-1]:.3f}")

print(f"last_epoch_loss={sum(losses[-16:]) / 16:.3f}")
