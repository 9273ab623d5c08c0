import torch
from torch.utils.data import TensorDataset, random_split

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(385, 8), torch.randint(2, (385,)))

# 90 % for training. Only one part is rounded, the other gets what is left.
n_train = int(0.9 * len(dataset))
lengths = [n_train, len(dataset) - n_train]
training, validation = random_split(dataset, lengths)
print(f"training: {len(training)} validation: {len(validation)}")
