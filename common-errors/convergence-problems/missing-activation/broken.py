import torch
from torch import nn

torch.manual_seed(0)
# Readings of 8 sensors: a machine is fine while temperature and pressure are near their set points.
inputs = torch.randn(1200, 8)
labels = (inputs[:, 0] ** 2 + inputs[:, 1] ** 2 > 1.4).long()
val_inputs, val_labels = inputs[800:], labels[800:]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(8, 64), nn.Linear(64, 64), nn.Linear(64, 2)

    def forward(self, x):
        x = self.first(x)  # error
        x = self.second(x)
        return self.last(x)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for step in range(101):
    loss = nn.functional.cross_entropy(model(inputs[:800]), labels[:800])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step={step} loss={loss.item():.2f}")

with torch.no_grad():
    error = (model(val_inputs).argmax(dim=1) != val_labels).float().mean().item()
print(f"val_error={error:.2f}")
