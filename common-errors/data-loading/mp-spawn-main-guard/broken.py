import torch
import torch.multiprocessing as mp
from torch import nn


def train(rank, steps):
    torch.manual_seed(rank)
    features = torch.randn(64, 8)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(features), features.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"process {rank}: loss {loss.item():.3f}")


mp.spawn(train, args=(100,), nprocs=1)  # error
