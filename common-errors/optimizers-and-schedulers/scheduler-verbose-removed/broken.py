import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

torch.manual_seed(0)
model = nn.Linear(8, 1)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
options = {"factor": 0.1, "patience": 3, "verbose": True}
scheduler = ReduceLROnPlateau(optimizer, **options)  # error

for epoch in range(30):
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())
