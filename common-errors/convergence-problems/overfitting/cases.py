import torch
from torch import nn

torch.manual_seed(0)


def fit(model, optimizer, train, val, loss_fn, epochs=200):
    losses = [], []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = loss_fn(model(train[0]), train[1])
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            losses[0].append(loss.item())
            losses[1].append(loss_fn(model(val[0]), val[1]).item())
    return losses


# %% labels that are noise
inputs, labels = torch.randn(200, 20), torch.randint(3, (200,))
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
train, val = (inputs[:50], labels[:50]), (inputs[50:], labels[50:])
train_losses, val_losses = fit(model, optimizer, train, val, nn.functional.cross_entropy)
# %% fixed
inputs, labels = torch.randn(200, 20), torch.randint(3, (200,))
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1.0)  # weight decay leaves nothing to memorize with
train, val = (inputs[:50], labels[:50]), (inputs[50:], labels[50:])
train_losses, val_losses = fit(model, optimizer, train, val, nn.functional.cross_entropy)

# %% a regression with few samples
inputs = torch.randn(220, 10)
heights = inputs[:, :1] + torch.randn(220, 1)
model = nn.Sequential(nn.Linear(10, 256), nn.ReLU(), nn.Linear(256, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
train, val = (inputs[:20], heights[:20]), (inputs[20:], heights[20:])
train_losses, val_losses = fit(model, optimizer, train, val, nn.functional.mse_loss)

# %% right: enough samples
inputs = torch.randn(2000, 10)
heights = inputs[:, :1] + 0.1 * torch.randn(2000, 1)
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
train, val = (inputs[:1000], heights[:1000]), (inputs[1000:], heights[1000:])
train_losses, val_losses = fit(model, optimizer, train, val, nn.functional.mse_loss, epochs=100)

# %% right: a gap between the losses that does not grow
inputs = torch.randn(1000, 10)
heights = inputs[:, :1] + torch.randn(1000, 1)
heights[500:] *= 1.5
model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train, val = (inputs[:500], heights[:500]), (inputs[500:], heights[500:])
train_losses, val_losses = fit(model, optimizer, train, val, nn.functional.mse_loss, epochs=60)
