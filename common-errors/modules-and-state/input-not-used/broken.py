import torch
from torch import nn

torch.manual_seed(0)


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.user_tower = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32))
        self.item_tower = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, user, item):
        return (self.user_tower(user) * self.item_tower(user)).sum(dim=1)  # error


model = TwoTowers()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
loss_fn = nn.BCEWithLogitsLoss()
for step in range(400):
    user, item = torch.randn(128, 8), torch.randn(128, 8)
    liked = ((user * item).sum(dim=1) > 0).float()  # depends on both
    score = model(user, item)
    loss = loss_fn(score, liked)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        print(f"step={step + 1} loss={loss.item():.3f}")

user, item = torch.randn(1000, 8), torch.randn(1000, 8)
wrong = (model(user, item) > 0) != ((user * item).sum(dim=1) > 0)
print(f"error_rate={wrong.float().mean().item():.2f}")
