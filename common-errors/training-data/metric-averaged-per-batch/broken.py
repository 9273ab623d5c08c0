import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# Measurements of 8000 parts, one in a hundred of them defective.
labels = (torch.rand(8000) < 0.01).float()
inputs = torch.randn(8000, 16) + 1.6 * labels[:, None]
train_loader = DataLoader(TensorDataset(inputs[:4000], labels[:4000]), batch_size=64, shuffle=True)
val_loader = DataLoader(TensorDataset(inputs[4000:], labels[4000:]), batch_size=32)

model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for batch, target in train_loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch)[:, 0], target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def score(outputs, target):  # F1
    predicted = (outputs[:, 0] > 0).float()
    return (2 * (predicted * target).sum() / (predicted.sum() + target.sum()).clamp(min=1)).item()


scores = []
with torch.no_grad():
    for batch, target in val_loader:
        scores.append(score(model(batch), target))
reported = sum(scores) / len(scores)  # error
print(f"val_f1={reported:.2f}")
