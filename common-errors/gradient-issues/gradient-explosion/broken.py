import torch
from torch import nn

torch.manual_seed(0)
# Predict the load of a machine from eight sensors. Once, a sensor reports its error code as if it were a reading.
readings = torch.randn(3000, 8)
load = readings.tanh().sum(dim=1, keepdim=True)
readings[1500, 3] = 65535

model = nn.Sequential(
    nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

grad_norms = []
for step, (batch, batch_load) in enumerate(zip(readings.split(32), load.split(32), strict=True)):
    loss = nn.functional.mse_loss(model(batch), batch_load)
    optimizer.zero_grad()
    loss.backward()
    grad_norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    optimizer.step()  # error
    grad_norms.append(grad_norm.item())
    print(f"step={step} loss={loss.item():.4g} grad_norm={grad_norm.item():.4g}")

print(f"final_loss={loss.item():.4g}")
