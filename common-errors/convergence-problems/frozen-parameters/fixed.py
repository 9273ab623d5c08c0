import torch
from torch import nn

torch.manual_seed(0)
centers = torch.randn(40, 20)  # classes of several kinds each
kinds = torch.randint(40, (2000,))
inputs = centers[kinds] + 0.3 * torch.randn(2000, 20)

body = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
model = nn.Sequential(body, nn.Linear(16, 2))


def train(targets, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        loss = nn.functional.cross_entropy(model(inputs[:1500]), targets[:1500])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = (model(inputs[1500:]).argmax(dim=1) != targets[1500:]).float().mean().item()
    print(f"steps={steps} loss={loss.item():.2f} val_error={error:.2f}")
    return error


train(kinds % 2, 50)  # pretraining
model[1] = nn.Linear(16, 10)  # the new task has ten classes
labels = torch.randint(10, (40,))[kinds]
body.requires_grad_(False)
train(labels, 50)  # first, only the head
body.requires_grad_(True)  # the method reaches the parameters; the attribute of a module does not
print(f"val_error={train(labels, 100):.2f}")
