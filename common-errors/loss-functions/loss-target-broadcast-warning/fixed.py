import torch
from torch import nn

torch.manual_seed(0)
areas = torch.linspace(-1.7, 1.7, 64).unsqueeze(1)  # one standardized feature
prices = 3.0 * areas.squeeze(1) + 0.1 * torch.randn(64)

model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.MSELoss()

for step in range(100):
    predictions = model(areas).squeeze(1)  # (64, 1) -> (64,), the shape of the prices
    loss = loss_fn(predictions, prices)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step={step} loss={loss.item():.4f}")

print(f"predictions_std={predictions.std().item():.3f}")
