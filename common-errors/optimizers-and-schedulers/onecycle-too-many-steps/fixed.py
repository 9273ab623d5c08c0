import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(100, 8), torch.randn(100, 1))
loader = DataLoader(dataset, batch_size=32, shuffle=True)
epochs = 5

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# The loader also returns the last batch, with 4 samples.
steps_per_epoch = len(loader)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=steps_per_epoch)

for epoch in range(epochs):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        scheduler.step()
print(f"steps: {scheduler.last_epoch} of {scheduler.total_steps}")
