import torch
from torch import nn


class Surface(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 32)]  # error
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)


torch.manual_seed(0)
places = torch.rand(512, 2) * 2 - 1
heights = torch.sin(4 * places[:, :1]) * torch.cos(3 * places[:, 1:])

model = Surface()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for step in range(301):
    loss = nn.functional.mse_loss(model(places), heights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step={step} loss={loss.item():.5f}")

print("trained parameters:", sum(p.numel() for p in model.parameters()))
print(f"final_loss={loss.item():.5f}")
