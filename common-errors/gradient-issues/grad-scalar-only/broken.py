import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(16, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
features, labels = torch.randn(32, 16), torch.randint(3, (32,))
sample_weights = 1.0 + labels.eq(2)  # the rare class counts twice

losses = nn.functional.cross_entropy(model(features), labels, reduction="none")
loss = losses * sample_weights
optimizer.zero_grad()
loss.backward()  # error
optimizer.step()
print(f"loss={loss.mean().item():.4f}")
