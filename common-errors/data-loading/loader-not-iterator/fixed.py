import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images, targets = torch.rand(96, 1, 28, 28), torch.randint(10, (96,))
labeled = DataLoader(TensorDataset(images[:32], targets[:32]), batch_size=8, shuffle=True)
# An iterator, created once before the loop: next() returns its batches one after the other.
unlabeled = iter(DataLoader(images[32:], batch_size=16, shuffle=True))
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))

for inputs, labels in labeled:
    extra = next(unlabeled)
    loss = nn.functional.cross_entropy(model(inputs), labels)
    confidence = model(extra).softmax(dim=1).max(dim=1).values
    print("labeled:", len(inputs), "unlabeled:", len(confidence))
