import torch
from torch import nn

torch.manual_seed(0)
# Photos with any number of six tags, such as beach, people and night.
inputs = torch.randn(1500, 16)
tags = (inputs @ torch.randn(16, 6) > 2).float()
train_inputs, train_tags, val_inputs, val_tags = inputs[:1200], tags[:1200], inputs[1200:], tags[1200:]

model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.CrossEntropyLoss()  # error

for epoch in range(10):
    for chosen in torch.randperm(1200).split(100):
        loss = loss_fn(model(train_inputs[chosen]), train_tags[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 0:
        print(f"epoch={epoch} loss={loss.item():.1f}")

with torch.no_grad():
    predicted = model(val_inputs).sigmoid() > 0.5
print(f"wrong_tags={(predicted != val_tags.bool()).float().mean().item():.2f}")
