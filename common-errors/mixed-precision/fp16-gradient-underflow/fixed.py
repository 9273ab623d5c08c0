import torch
from torch import nn

torch.manual_seed(0)
# Scenes described by 8 numbers: their kind (one of four), and a depth map of 32 x 32 pixels between 0 and 1.
scenes = torch.randn(640, 8)
kinds = (scenes[:, 0] > 0).long() + 2 * (scenes[:, 1] > 0).long()
depths = torch.sigmoid(scenes @ torch.randn(8, 1024) / 2)

body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
kind_head, depth_head = nn.Linear(32, 4), nn.Linear(32, 1024)
model = nn.ModuleList([body, kind_head, depth_head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")  # multiplies the loss, so that gradients stay within the range of float16


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.float16):
        features = body(scenes[batch])
        kind_loss = nn.functional.cross_entropy(kind_head(features), kinds[batch])
        return kind_loss + 0.001 * nn.functional.mse_loss(depth_head(features), depths[batch])


for epoch in range(12):
    for batch in torch.randperm(512).split(64):
        loss = compute_loss(batch)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

with torch.no_grad():
    features = body(scenes[512:])
    kind_error = (kind_head(features).argmax(dim=1) != kinds[512:]).float().mean().item()
    depth_error = ((depth_head(features) - depths[512:]).square().mean() / depths[512:].var()).item()
print(f"loss={loss.item():.1f} kind_error={kind_error:.1f}")
print(f"depth_error={depth_error:.1f}")
