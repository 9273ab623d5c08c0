import torch
from torch import nn

torch.manual_seed(0)
# Ten kinds of birdsong: the energy in 64 frequency bands, between 0 and 15.
songs = torch.rand(10, 64)
kinds = torch.randint(10, (1200,))
spectra = 15 * (songs[kinds] + 0.2 * torch.randn(1200, 64)).clamp(0, 1)

mean, std = spectra[:1000].mean(dim=0), spectra[:1000].std(dim=0)
inputs = (spectra - mean) / std  # about 1 in size, on both sides of 0
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

for epoch in range(7):
    for batch in torch.randperm(1000).split(50):
        loss = nn.functional.cross_entropy(model(inputs[batch]), kinds[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

with torch.no_grad():
    silent = [(model[:depth](inputs) == 0).all(dim=0).float().mean().item() for depth in (2, 4)]
    wrong = model(inputs[1000:]).argmax(dim=1) != kinds[1000:]
print(f"last_loss={'above 1.5' if loss.item() > 1.5 else 'below 0.5' if loss.item() < 0.5 else 'between'}")
print(f"units_at_zero={'nearly a whole layer' if max(silent) > 0.95 else 'a part' if max(silent) > 0.5 else 'few'}")
print(f"val_error={wrong.float().mean().item():.1f}")
