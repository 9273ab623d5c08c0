import torch
from torch import nn

torch.manual_seed(0)
# Four gestures, 15 readings of an accelerometer with three axes each: they differ in speed and direction.
labels = torch.randint(4, (1100,))
speed = torch.tensor([0.4, 0.9, -0.4, -0.9])[labels]
angle = 6.28 * torch.rand(1100, 1) + torch.arange(15) * speed[:, None]
readings = torch.stack([angle.sin(), angle.cos(), torch.zeros_like(angle)], dim=2) + 0.1 * torch.randn(1100, 15, 3)

rnn, head = nn.GRU(input_size=3, hidden_size=32), nn.Linear(32, 4)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)


def time_first(batch):  # the GRU reads (time, samples, axes)
    return batch.view(batch.shape[1], batch.shape[0], batch.shape[2])  # error


def model(batch):
    outputs, _ = rnn(time_first(batch))
    return head(outputs[-1])


for epoch in range(5):
    for rows in torch.randperm(900).split(50):
        batch = readings[rows]
        loss = nn.functional.cross_entropy(model(batch), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.2f}")

with torch.no_grad():
    scores = torch.cat([model(part) for part in readings[900:].split(50)])
print(f"accuracy={(scores.argmax(dim=1) == labels[900:]).float().mean().item():.4f}")
