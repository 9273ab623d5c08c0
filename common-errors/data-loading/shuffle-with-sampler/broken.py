import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
labels = torch.tensor([0] * 90 + [1] * 10)
dataset = TensorDataset(torch.randn(100, 8), labels)

# Draw the rare class as often as the other one.
weights = 1.0 / torch.bincount(labels)[labels]
options = {"sampler": WeightedRandomSampler(weights, num_samples=100), "shuffle": True}
loader = DataLoader(dataset, batch_size=20, **options)  # error
share = sum(batch.sum().item() for _, batch in loader) / 100
print(f"rare class: {share:.0%} of the samples")
