import torch
from torch import nn

torch.manual_seed(0)
# Sensor readings of ten machine states: 20 numbers each.
centers = torch.randn(10, 20)
states = torch.randint(10, (2400,))
readings = centers[states] + 0.7 * torch.randn(2400, 20)
inputs, targets, val_inputs, val_targets = readings[:1600], states[:1600], readings[1600:], states[1600:]


def train(width):
    model = nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Linear(width, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(24):
        for batch in torch.randperm(1600).split(160):
            loss = nn.functional.cross_entropy(model(inputs[batch]), targets[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return model, nn.functional.cross_entropy(model(inputs), targets).item()


width = 2  # error
model, train_loss = train(width)
with torch.no_grad():
    val_logits = model(val_inputs)
print(f"train_loss={train_loss:.1f} val_loss={nn.functional.cross_entropy(val_logits, val_targets).item():.1f}")
print(f"val_error={(val_logits.argmax(1) != val_targets).float().mean().item():.2f}")
