import torch
from torch import nn

torch.manual_seed(0)
# PyTorch calls the learning rate lr.
settings = {"lr": 0.01, "weight_decay": 1e-4}
model = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), **settings)

loss = nn.functional.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1))
loss.backward()
optimizer.step()
print(f"learning rate: {optimizer.param_groups[0]['lr']}")
