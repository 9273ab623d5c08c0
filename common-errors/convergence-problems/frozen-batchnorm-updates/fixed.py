import torch
from torch import nn

torch.manual_seed(0)
patterns = torch.randn(6, 16)


def samples(count, brightness=0.0):
    labels = torch.randint(6, (count,))
    return patterns[labels] + 0.7 * torch.randn(count, 16) + brightness, labels


def fit(network, steps, brightness=0.0):
    optimizer = torch.optim.Adam([p for p in network.parameters() if p.requires_grad], lr=0.003)
    for _ in range(steps):
        batch, target = samples(64, brightness)
        loss = nn.functional.cross_entropy(network(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


norms = nn.BatchNorm1d(32), nn.BatchNorm1d(32)
backbone = nn.Sequential(nn.Linear(16, 32), norms[0], nn.ReLU(), nn.Linear(32, 32), norms[1], nn.ReLU())
old_task = nn.Sequential(backbone, nn.Linear(32, 6))
fit(old_task, steps=150)
test_inputs, test_labels = samples(1000)

# A second head on the frozen backbone, for brighter inputs.
backbone.requires_grad_(False)
model = nn.Sequential(backbone, nn.Linear(32, 6))


def train_epoch():
    model.train()
    backbone.eval()  # its batch norm layers use their statistics, and keep them
    fit(model, steps=30, brightness=3.0)


for epoch in range(3):
    train_epoch()
    old_task.eval()
    with torch.no_grad():
        wrong = (old_task(test_inputs).argmax(1) != test_labels).float().mean().item()
    print(f"epoch={epoch} error_of_old_task={wrong:.1f}")
print(f"old_task_error={wrong:.1f}")
