import torch
from torch import nn

torch.manual_seed(0)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(6, 64)
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 1)

    def forward(self, inputs):
        features = self.project(inputs)
        return self.head(features)  # error


model = Regressor()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(300):
    inputs = torch.randn(128, 6)
    targets = inputs.abs().sum(dim=1, keepdim=True) - 4.8
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        print(f"step={step + 1} loss={loss.item():.3f}")

print(f"final_loss={loss.item():.3f}")
