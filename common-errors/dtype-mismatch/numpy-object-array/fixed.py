import numpy as np
import torch
from torch import nn

rows = [  # age, income, children; as a database returns them
    [34, 52_000.0, 1],
    [51, 61_000.0, None],
    [28, 47_500.0, 0],
    [45, 58_200.0, 2],
]
table = np.array(rows, dtype=np.float32)  # numbers, with NaN for None
table = np.where(np.isnan(table), np.nanmedian(table, axis=0), table)  # the median of the column for each NaN

features = torch.from_numpy(table).float()
features = (features - features.mean(dim=0)) / features.std(dim=0)
torch.manual_seed(0)
model = nn.Linear(3, 1)
print(f"predictions finite: {model(features).isfinite().all().item()}")
