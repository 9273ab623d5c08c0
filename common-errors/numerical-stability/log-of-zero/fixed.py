import torch
from torch import nn

torch.manual_seed(0)
# Which of ten tags fit an article; the features are raw counts of words.
counts = torch.poisson(torch.full((1000, 50), 3.0))
tags = (counts @ torch.randn(50, 10) > 0).float()


def compute_loss(model, rows):
    # It takes the logits, and computes sigmoid and logarithm together: nothing rounds to 0 in between.
    return nn.functional.binary_cross_entropy_with_logits(model(counts[rows]), tags[rows])


def train():
    model = nn.Sequential(nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(15):
        for rows in torch.randperm(800).split(40):
            loss = compute_loss(model, rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch={epoch} loss={loss.item():.2f}")
    return model, loss


model, loss = train()
with torch.no_grad():
    error = ((model(counts[800:]) > 0) != tags[800:].bool()).float().mean().item()
print(f"val_error={error:.3f}")
