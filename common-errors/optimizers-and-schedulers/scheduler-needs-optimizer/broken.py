import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)  # error

loss = nn.functional.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1))
loss.backward()
optimizer.step()
scheduler.step()
print(f"learning rate: {scheduler.get_last_lr()[0]}")
