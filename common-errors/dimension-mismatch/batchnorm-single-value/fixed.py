import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(129, 20), torch.randint(3, (129,)))
# 129 = 4 * 32 + 1: without drop_last, the last batch is a single sample.
loader = DataLoader(dataset, batch_size=32, shuffle=True, drop_last=True)

model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step, (features, labels) in enumerate(loader):
    loss = nn.functional.cross_entropy(model(features), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step={step} samples={len(features)}")

print(f"batches_normalized={model[1].num_batches_tracked.item()}")
