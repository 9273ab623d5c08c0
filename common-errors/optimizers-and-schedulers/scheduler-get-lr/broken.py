import torch
from torch import nn

torch.manual_seed(0)
features, targets = torch.randn(64, 10), torch.randn(64, 1)
model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
read_lr = scheduler.get_lr

for epoch in range(3):
    loss = nn.functional.mse_loss(model(features), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    logged = read_lr()[0]  # error
    print(f"epoch={epoch} used_lr={optimizer.param_groups[0]['lr']} logged_lr={logged}")
    scheduler.step()
