import torch
from torch import nn

torch.manual_seed(0)
# Which of four tags does a text have? 30 features; four texts in ten have one.
inputs = torch.randn(1500, 30)
tags = (inputs @ torch.randn(30, 4) > 3).float()

model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 4), nn.Sigmoid())  # error
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

for epoch in range(20):
    for batch in torch.randperm(1200).split(50):
        loss = loss_fn(model(inputs[batch]), tags[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch={epoch} loss={loss.item():.2f}")

with torch.no_grad():
    probability = torch.sigmoid(model(inputs[1200:]))
wrong = (probability > 0.5).float() != tags[1200:]
print(f"from {probability.min().item():.2f} to {probability.max().item():.2f}")
print(f"error_rate={wrong.float().mean().item():.2f}")
