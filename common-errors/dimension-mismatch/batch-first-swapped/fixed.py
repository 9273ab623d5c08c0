import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# Three kinds of movement, 12 readings of two sensors each: they differ in how fast they swing.
labels = torch.randint(3, (1030,))
phase, noise = 6.28 * torch.rand(1030, 1), 0.1 * torch.randn(1030, 12, 2)
angle = phase + torch.arange(12) * (0.4 + 0.6 * labels[:, None])
readings = torch.stack([angle.sin(), angle.cos()], dim=2) + noise  # (samples, time, sensors)
train_set, test_set = TensorDataset(readings[:830], labels[:830]), TensorDataset(readings[830:], labels[830:])


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(input_size=2, hidden_size=32, batch_first=True)  # batches are (samples, time, sensors)
        self.head = nn.Linear(32, 3)

    def forward(self, batch):
        outputs, _ = self.rnn(batch)
        return self.head(outputs[:, -1])


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for batch, targets in DataLoader(train_set, batch_size=50, shuffle=True):
        loss = nn.functional.cross_entropy(model(batch), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

with torch.no_grad():
    scores = torch.cat([model(batch) for batch, _ in DataLoader(test_set, batch_size=50)])
print(f"accuracy={(scores.argmax(dim=1) == test_set.tensors[1]).float().mean().item():.4f}")
