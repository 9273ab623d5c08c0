import torch
from torch import nn

torch.manual_seed(0)
# 400 seconds of a recording, ten frames a second, each described by 16 features; 600 annotated sounds of four kinds.
frames = 0.3 * torch.randn(4000, 16)
kinds, places = torch.randint(4, (600,)), torch.randperm(4000)[:600]
frames[places] += torch.eye(4, 16)[kinds] * 2
annotations = [{"seconds": place.item() / 10, "kind": kind.item()} for place, kind in zip(places, kinds)]

rows = [round(10 * event["seconds"]) for event in annotations]  # seconds to numbers of frames
inputs = frames[rows]
targets = torch.tensor([event["kind"] for event in annotations])

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for batch in torch.randperm(500).split(50):
        loss = nn.functional.cross_entropy(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

with torch.no_grad():
    wrong = model(inputs[500:]).argmax(dim=1) != targets[500:]
print(f"different_frames={len(inputs.unique(dim=0))} of {len(annotations)}")
print(f"val_error={wrong.float().mean().item():.2f}")
