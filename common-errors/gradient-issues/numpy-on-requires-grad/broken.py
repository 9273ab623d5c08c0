import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
areas = torch.linspace(-1, 1, 64).unsqueeze(1)
prices = 3.0 * areas + 0.1 * torch.randn(64, 1)

model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(50):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(areas), prices).backward()
    optimizer.step()

predictions = model(areas)
errors = np.abs(predictions.numpy() - prices.numpy())  # error
print("median error:", round(float(np.median(errors)), 3))
