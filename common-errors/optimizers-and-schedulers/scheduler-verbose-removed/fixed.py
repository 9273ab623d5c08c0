import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

torch.manual_seed(0)
model = nn.Linear(8, 1)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
options = {"factor": 0.1, "patience": 3}  # without verbose
scheduler = ReduceLROnPlateau(optimizer, **options)

for epoch in range(30):
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    before = optimizer.param_groups[0]["lr"]
    scheduler.step(loss.item())
    now = optimizer.param_groups[0]["lr"]
    if now != before:  # what verbose=True printed
        print(f"epoch={epoch} lr: {before:g} -> {now:g}")
