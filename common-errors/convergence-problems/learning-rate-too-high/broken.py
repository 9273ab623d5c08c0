import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(256, 10)
prices = features @ torch.randn(10, 1) + 0.1 * torch.randn(256, 1)

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)  # error
loss_fn = nn.MSELoss()

for step in range(30):
    loss = loss_fn(model(features), prices)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step={step} loss={loss.item():.4g}")

print(f"final_loss={loss.item():.4g}")
