import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).eval()
loss_fn = nn.MSELoss()
batches = list(zip(torch.randn(5, 32, 8), torch.randn(5, 32, 1), strict=True))

test_loss = 0
with torch.inference_mode():
    for features, targets in batches:
        test_loss += loss_fn(model(features), targets).item()  # a number, not an inference tensor

test_loss /= len(batches)
print(f"test_loss={float(test_loss):.3f}")
