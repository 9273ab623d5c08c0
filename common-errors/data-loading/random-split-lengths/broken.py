import torch
from torch.utils.data import TensorDataset, random_split

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(385, 8), torch.randint(2, (385,)))

# 90 % for training, 10 % for validation.
lengths = [int(0.9 * len(dataset)), int(0.1 * len(dataset))]
training, validation = random_split(dataset, lengths)  # error
print(f"training: {len(training)} validation: {len(validation)}")
