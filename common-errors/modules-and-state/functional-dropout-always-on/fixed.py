import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
# The yield of 1500 fields, 12 measurements each.
inputs = torch.randn(1500, 12)
targets = inputs[:, 0] + inputs[:, 1] * inputs[:, 2] + 0.1 * torch.randn(1500)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(12, 128), nn.Linear(128, 64), nn.Linear(64, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = F.dropout(torch.relu(self.second(x)), 0.3, training=self.training)  # off after model.eval()
        return self.last(x)[:, 0]


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

for epoch in range(20):
    model.train()
    for batch in torch.randperm(1200).split(50):
        loss = F.mse_loss(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val_loss = F.mse_loss(model(inputs[1200:]), targets[1200:]).item()
    if epoch % 5 == 4:
        print(f"epoch={epoch} val_loss={val_loss:.2f}")

with torch.no_grad():
    first, again = model(inputs[1200:]), model(inputs[1200:])
print(f"change_between_calls={(first - again).abs().mean().item():.2f}")
