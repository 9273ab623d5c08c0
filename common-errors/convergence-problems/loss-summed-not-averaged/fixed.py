import torch
from torch import nn

torch.manual_seed(0)
centers = torch.randn(10, 20)
labels = torch.randint(10, (2560,))
inputs = centers[labels] + 0.6 * torch.randn(2560, 20)
train_inputs, train_labels, val_inputs, val_labels = inputs[:2048], labels[:2048], inputs[2048:], labels[2048:]

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()  # the mean: its gradient does not grow with the batch


def compute_loss(batch, target):
    return loss_fn(model(batch), target)


for epoch in range(10):
    for chosen in torch.randperm(2048).split(256):
        loss = compute_loss(train_inputs[chosen], train_labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = (model(val_inputs).argmax(dim=1) != val_labels).float().mean().item()
    print(f"epoch={epoch} val_error={error:.2f}")
print(f"val_error={error:.2f}")
