import copy

import torch
from torch import nn

torch.manual_seed(0)
# A small set with three wrong labels of ten: the network memorizes it if it trains for too long.
inputs = torch.randn(600, 20)
labels = (inputs[:, 0] + inputs[:, 1] > 0).long()
labels[:200] = torch.where(torch.rand(200) < 0.3, 1 - labels[:200], labels[:200])

model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
loss_fn = nn.CrossEntropyLoss()


def validate():
    with torch.no_grad():
        return loss_fn(model(inputs[200:]), labels[200:]).item()


best_loss = float("inf")
for epoch in range(60):
    for batch in torch.randperm(200).split(50):
        optimizer.zero_grad()
        loss_fn(model(inputs[batch]), labels[batch]).backward()
        optimizer.step()
    val_loss = validate()
    if val_loss < best_loss:
        best_loss, best_epoch, best_state = val_loss, epoch, copy.deepcopy(model.state_dict())  # as it is now

print(f"best epoch={best_epoch} val_loss={best_loss:.3f}")
model.load_state_dict(best_state)
print(f"restored: val_loss={validate():.3f}")
print(f"above_best={validate() / best_loss - 1:.2f}")
