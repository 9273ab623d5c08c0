import torch
from torch import nn

torch.manual_seed(0)
dtype = torch.float16

# %% pixels of 16 bits that were not scaled
snapshot = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 2))
nn.init.constant_(snapshot[0].weight, 0.5)
batch = torch.full((2, 1, 16, 16), 60000.0)
with torch.autocast("cpu", dtype=dtype):
    logits = snapshot(batch)

# %% a residual stream with outliers, as of models trained in bfloat16
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.norm = nn.Linear(16, 16, bias=False), nn.LayerNorm(16)
        nn.init.constant_(self.up.weight, 50.0)

    def forward(self, x):
        return self.norm(self.up(x))


snapshot, batch = Block(), torch.full((2, 16), 300.0)
with torch.autocast("cpu", dtype=dtype):
    states = snapshot(batch)

# %% right: the same pixels, scaled
snapshot = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 2))
nn.init.constant_(snapshot[0].weight, 0.5)
batch = torch.full((2, 1, 16, 16), 60000.0) / 65535
with torch.autocast("cpu", dtype=dtype):
    logits = snapshot(batch)

# %% right: the same block in bfloat16
snapshot, batch, dtype = nn.Linear(16, 16, bias=False), torch.full((2, 16), 300.0), torch.bfloat16
nn.init.constant_(snapshot.weight, 50.0)
with torch.autocast("cpu", dtype=dtype):
    states = snapshot(batch)
