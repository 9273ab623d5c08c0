import torch
from torch import nn

torch.manual_seed(0)
labels = torch.randint(4, (640,))  # four degrees of brightness
images = torch.randn(640, 3, 8, 8) * 0.5 + labels.view(-1, 1, 1, 1) * 0.5
model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1024, 4)
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(60):
    rows = torch.randint(512, (64,))
    loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()  # before the export: the mode becomes part of the exported program
exported = torch.export.export(model, (images[:1],)).module()
with torch.no_grad():
    expected = model(images[512:])
    results = torch.cat([exported(image[None]) for image in images[512:]])  # one image per request

for name, scores in {"model": expected, "export": results}.items():
    print(f"{name}_accuracy={(scores.argmax(1) == labels[512:]).float().mean().item():.1f}")
print(f"difference={((results - expected).abs().max() / expected.abs().max()).item():.1g}")
