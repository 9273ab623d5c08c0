import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(16, 4)
features, labels = torch.randn(200, 16), torch.randint(4, (200,))

predicted = model(features).argmax(dim=1)
correct = predicted == labels
accuracy = correct.mean()  # error
print(f"accuracy={accuracy.item():.3f}")
