import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

# The data are the same in both trainings: they have a generator of their own.
generator = torch.Generator().manual_seed(0)
inputs = torch.randn(256, 8, generator=generator)
targets = inputs.sin().sum(dim=1, keepdim=True)


def train():
    torch.manual_seed(0)  # before anything random: the weights, the shuffling and the dropout follow from it
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        for batch, batch_targets in DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True):
            loss = nn.functional.mse_loss(model(batch), batch_targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses, nn.utils.parameters_to_vector(model.parameters()).detach()


first_losses, first_weights = train()
second_losses, second_weights = train()
for step, (first, second) in enumerate(zip(first_losses, second_losses, strict=True)):
    print(f"step={step} first_loss={first:.4f} second_loss={second:.4f}")

print(f"largest_difference={(first_weights - second_weights).abs().max().item():.4f}")
