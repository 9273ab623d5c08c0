import torch
from torch import nn

torch.manual_seed(0)
# Measurements of houses. The last column says whether there is a swimming pool, and none of these has one.
houses = torch.randn(1000, 5) * torch.tensor([40.0, 2.0, 1.0, 10.0, 0.0]) + torch.tensor([120.0, 4.0, 2.0, 30.0, 0.0])
prices = 2 * houses[:, 0] + 15 * houses[:, 1] - houses[:, 3]


def normalize(values):
    return (values - values.mean(dim=0)) / values.std(dim=0)  # error


def train():
    inputs, targets = normalize(houses), normalize(prices[:, None])
    model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(5):
        for rows in torch.randperm(1000).split(20):
            loss = nn.functional.mse_loss(model(inputs[rows]), targets[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch={epoch} loss={loss.item():.2f}")
    return model, loss


model, loss = train()
print(f"nan_parameters={sum(int(p.isnan().sum()) for p in model.parameters())}")
