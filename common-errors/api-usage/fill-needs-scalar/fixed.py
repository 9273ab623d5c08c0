import torch
from torch import nn

torch.manual_seed(0)
labels = (torch.rand(1000, 1) < 0.02).float()  # a rare class
head = nn.Linear(32, 1)

# Let the classifier start at the frequency of the class.
value = torch.logit(labels.mean())  # a single number, without a dimension
nn.init.constant_(head.bias, value)
print(f"first prediction: {torch.sigmoid(head.bias).item():.3f}")
