import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(1200, 10)
targets = inputs[:, 0] * inputs[:, 1] + inputs[:, 2].abs()
targets = (targets - targets.mean()) / targets.std()
loader = DataLoader(TensorDataset(inputs[:800], targets[:800]), batch_size=2, shuffle=True)

model = nn.Sequential(
    nn.Linear(10, 64),
    nn.LayerNorm(64),  # over the units of one sample, whatever the batch size
    nn.ReLU(),
    nn.Linear(64, 64),
    nn.LayerNorm(64),
    nn.ReLU(),
    nn.Linear(64, 1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for epoch in range(2):
    model.train()
    total = 0.0
    for batch, target in loader:
        loss = nn.functional.mse_loss(model(batch)[:, 0], target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch={epoch} train_loss={total / len(loader):.2f}")

model.eval()
with torch.no_grad():
    print(f"val_loss={nn.functional.mse_loss(model(inputs[800:])[:, 0], targets[800:]).item():.2f}")
