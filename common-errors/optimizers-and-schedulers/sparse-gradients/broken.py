import torch
from torch import nn

torch.manual_seed(0)
users, items = torch.randint(5000, (256,)), torch.randint(800, (256,))
ratings = torch.rand(256) * 5


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(5000, 32, sparse=True)
        self.item = nn.Embedding(800, 32, sparse=True)
        self.head = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, users, items):
        return self.head(torch.cat([self.user(users), self.item(items)], dim=1)).squeeze(1)


model = Recommender()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(users, items), ratings)
    loss.backward()
    optimizer.step()  # error
    print(f"step={step} loss={loss.item():.2f}")
