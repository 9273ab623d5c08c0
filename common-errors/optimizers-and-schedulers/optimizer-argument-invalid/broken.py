import torch
from torch import nn

torch.manual_seed(0)
settings = {"learning_rate": 0.01, "weight_decay": 1e-4}
model = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), **settings)  # error

loss = nn.functional.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1))
loss.backward()
optimizer.step()
print(f"learning rate: {optimizer.param_groups[0]['lr']}")
