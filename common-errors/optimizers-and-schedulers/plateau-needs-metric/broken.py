import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(160, 8)
targets = features.sum(dim=1, keepdim=True)
train, validation = slice(0, 128), slice(128, 160)

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2)

for epoch in range(4):
    loss = nn.functional.mse_loss(model(features[train]), targets[train])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        validation_loss = nn.functional.mse_loss(model(features[validation]), targets[validation])
    scheduler.step()  # error
    print(f"epoch={epoch} lr={optimizer.param_groups[0]['lr']}")
