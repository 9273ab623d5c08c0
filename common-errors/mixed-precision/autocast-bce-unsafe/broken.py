from contextlib import nullcontext

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

gpu = torch.cuda.is_available()
# Without a GPU, FakeTensorMode replaces it: it tracks shapes, dtypes and devices but computes no numbers.
with nullcontext() if gpu else FakeTensorMode():
    with torch.device("cuda"):
        model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())
        visits, clicked = torch.randn(32, 20), torch.randint(2, (32, 1)).float()
    criterion = nn.BCELoss()

    with torch.autocast("cuda", dtype=torch.float16, enabled=gpu):
        torch.set_autocast_enabled("cuda", True)  # without a GPU, torch.autocast("cuda") turns itself off
        predictions = model(visits)
        loss = criterion(predictions, clicked)  # error
    print(f"predictions: {predictions.dtype} loss: {loss.dtype}")
