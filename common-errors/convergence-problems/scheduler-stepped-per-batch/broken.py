import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centers = torch.randn(10, 20)
labels, val_labels = torch.randint(10, (3200,)), torch.randint(10, (800,))
inputs = centers[labels] + 0.6 * torch.randn(3200, 20)
val_inputs = centers[val_labels] + 0.6 * torch.randn(800, 20)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)

for epoch in range(8):
    for batch, target in loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()  # error
    print(f"epoch={epoch} loss={loss.item():.3f} lr={scheduler.get_last_lr()[0]:.1e}")

with torch.no_grad():
    print(f"val_error={(model(val_inputs).argmax(1) != val_labels).float().mean().item():.4f}")
