import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
labels = torch.tensor([0] * 60 + [1] * 30 + [2] * 10)
scans = torch.randn(100, 16)

# Rare classes get a larger weight: n_samples / (n_classes * n_samples_of_class).
counts = np.bincount(labels.numpy())
class_weights = torch.from_numpy(len(labels) / (len(counts) * counts)).float()  # NumPy divides in float64

model = nn.Linear(16, 3)
loss_fn = nn.CrossEntropyLoss(weight=class_weights)
loss = loss_fn(model(scans), labels)
print(f"loss={loss.item():.3f}")
