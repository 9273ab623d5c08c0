import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(16, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
features, labels = torch.randn(32, 16), torch.randint(3, (32,))
sample_weights = 1.0 + labels.eq(2)  # the rare class counts twice

losses = nn.functional.cross_entropy(model(features), labels, reduction="none")
loss = (losses * sample_weights).mean()  # one number: the weighted losses of all 32 samples, averaged
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(f"loss={loss.item():.4f}")
