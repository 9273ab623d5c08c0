import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
features = torch.randn(65, 8)
is_spam = (features[:, 0] > 0).float()
loader = DataLoader(TensorDataset(features, is_spam), batch_size=32)

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.BCEWithLogitsLoss()

for inputs, targets in loader:
    logits = model(inputs).squeeze(1)  # (batch, 1) -> (batch,), the shape of the targets
    loss = loss_fn(logits, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"logits: {tuple(logits.shape)} loss={loss.item():.3f}")
