import torch
from torch import nn

torch.manual_seed(0)
features, labels = torch.randn(32, 20), torch.randint(3, (32,))
model = nn.Linear(20, 3)
options = {"reduction": "sum"}  # size_average=False meant the sum

loss_fn = nn.CrossEntropyLoss(**options)
loss = loss_fn(model(features), labels)
loss.backward()
print(f"reduction={loss_fn.reduction}")
