import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
# The optimizer is created with its parameters, and the scheduler gets this object.
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)

loss = nn.functional.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1))
loss.backward()
optimizer.step()
scheduler.step()
print(f"learning rate: {scheduler.get_last_lr()[0]}")
