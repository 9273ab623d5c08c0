import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
features = torch.randn(100, 8)
labels = torch.cat([torch.zeros(90, 1), torch.ones(10, 1)])  # one column, as the loss needs it

classes = labels.long().flatten()  # one number per sample, so that the weights have one dimension
weights = (1 / torch.bincount(labels.long().flatten()))[classes]
sampler = WeightedRandomSampler(weights, num_samples=100)
loader = DataLoader(TensorDataset(features, labels), batch_size=20, sampler=sampler)
share = sum(batch.sum().item() for _, batch in loader) / 100
print("about half of the samples are of the rare class:", 0.3 < share < 0.7)
