import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
features = torch.from_numpy(rng.normal(size=(64, 8))).float()
prices = torch.from_numpy(rng.normal(size=(64, 1)))

model = nn.Linear(8, 1)
predictions = model(features)
loss = nn.functional.huber_loss(predictions, prices)
loss.float().backward()  # error
print(f"loss: {loss.dtype}, gradient: {model.weight.grad.dtype}")
