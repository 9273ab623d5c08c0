import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
head = nn.Linear(32, 3)
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1, momentum=0.9, weight_decay=1e-2)


def train(steps):
    for _ in range(steps):
        inputs = torch.randn(64, 10)
        labels = inputs[:, :3].argmax(dim=1)
        loss = nn.functional.cross_entropy(head(backbone(inputs)), labels)
        optimizer.zero_grad()  # gradients are None, and step() leaves such parameters alone
        loss.backward()
        optimizer.step()


train(100)
backbone.requires_grad_(False)  # from here on, only the head is meant to learn
before = backbone[0].weight.clone()
for epoch in range(8):
    train(50)
    print(f"epoch={epoch} moved={((backbone[0].weight - before).norm() / before.norm()).item():.3f}")

print(f"moved_in_all={((backbone[0].weight - before).norm() / before.norm()).item():.3f}")
