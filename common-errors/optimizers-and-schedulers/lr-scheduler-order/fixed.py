import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(128, 8)
targets = features.sum(dim=1, keepdim=True)

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)


def train(epoch):
    loss = nn.functional.mse_loss(model(features), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch={epoch} used_lr={optimizer.param_groups[0]['lr']:g} loss={loss.item():.4f}")
    scheduler.step()  # moved to the end: sets the learning rate of the next epoch


for epoch in range(4):
    train(epoch)
