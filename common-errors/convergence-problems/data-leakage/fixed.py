import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
# 2000 payments, one in twenty a fraud, and 2000 that come in after the model is trained.
labels = (torch.arange(4000) % 20 == 0).float()
inputs = torch.randn(4000, 20) + 0.3 * labels[:, None]
later_set = TensorDataset(inputs[2000:], labels[2000:])


def oversample(inputs, labels):
    copies = torch.where(labels == 1, 19, 1)
    return TensorDataset(inputs.repeat_interleave(copies, dim=0), labels.repeat_interleave(copies))


train_set, test_set = random_split(TensorDataset(inputs[:2000], labels[:2000]), [0.8, 0.2])
train_set = oversample(*train_set[:])  # after the split: the test set has no copy of a training row

model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for batch, target in DataLoader(train_set, batch_size=128, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch)[:, 0], target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def recall(data):
    found = [model(batch)[target == 1] > 0 for batch, target in DataLoader(data, batch_size=256)]
    return torch.cat(found).float().mean().item()


reported, real = recall(test_set), recall(later_set)
print(f"test_recall={reported:.1f} later_recall={real:.1f}")
print(f"overstated_by={reported - real:.2f}")
