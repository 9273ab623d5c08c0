import torch
from torch import nn

torch.manual_seed(0)
# Inspected parts, described by 16 numbers each: 96 % are good, 2.5 % have a scratch, 1.5 % a dent.
labels = torch.multinomial(torch.tensor([0.96, 0.025, 0.015]), 16000, replacement=True)
features = torch.randn(16000, 16)
features[labels == 1, 0] += 2.5
features[labels == 2, 1] += 2.5
inputs, targets, val_inputs, val_targets = features[:12000], labels[:12000], features[12000:], labels[12000:]

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loss_fn = nn.CrossEntropyLoss()  # error

for epoch in range(3):
    for batch in torch.randperm(12000).split(128):
        loss = loss_fn(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

with torch.no_grad():
    predicted = model(val_inputs).argmax(dim=1)
right, faulty = predicted == val_targets, val_targets > 0
print(f"accuracy={right.float().mean().item():.2f}")
print(f"good_parts_recognized={right[~faulty].float().mean().item():.2f}")
print(f"defects_recognized={right[faulty].float().mean().item():.2f}")
