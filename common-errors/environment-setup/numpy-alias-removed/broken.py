import numpy as np
import torch
from torch import nn

table = """\
5.1,3.5,0
7.0,3.2,1
6.3,3.3,1
4.9,3.0,0
"""
rows = np.loadtxt(table.splitlines(), delimiter=",")
features = torch.from_numpy(rows[:, :2]).float()
labels = torch.from_numpy(rows[:, 2].astype(np.int))  # error
loss = nn.functional.cross_entropy(nn.Linear(2, 2)(features), labels)
print(f"samples={len(labels)} labels={labels.tolist()}")
