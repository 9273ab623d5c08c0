import torch
from torch import nn

torch.manual_seed(0)
# Is a point inside the ring? A line cannot tell, so the network has to learn something.
points = torch.rand(512, 2) * 4 - 2
distance = points.norm(dim=1)
inside_ring = ((distance > 0.7) & (distance < 1.6)).float()

model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)  # 1e-5 is for fine-tuning; this starts from random weights
loss_fn = nn.BCEWithLogitsLoss()

for step in range(200):
    loss = loss_fn(model(points).squeeze(1), inside_ring)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"step={step + 1} loss={loss.item():.4f}")

print(f"final_loss={loss.item():.4f}")
