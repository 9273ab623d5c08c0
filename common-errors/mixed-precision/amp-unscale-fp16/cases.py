import torch
from torch import nn

torch.manual_seed(0)
batch, labels = torch.randn(16, 64), torch.randint(10, (16,))
scaler = torch.amp.GradScaler("cpu")

# %% half() on the whole model, clipping
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
nn.utils.clip_grad_norm_(model.parameters(), 1.0)

# %% a new head in the dtype of the pretrained model
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU()).half().requires_grad_(False)
head = nn.Linear(32, 10, dtype=next(model.parameters()).dtype)
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()])
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(head(model(batch)), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)

# %% one group of two
model = nn.ModuleDict({"encoder": nn.Linear(64, 32), "head": nn.Linear(32, 10).half()})
optimizer = torch.optim.Adam([{"params": model["encoder"].parameters(), "lr": 1e-5}, {"params": model["head"].parameters()}])
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(model["head"](model["encoder"](batch)), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)

# %% message: a learned vector next to a model in float32
model, scale = nn.Linear(64, 10), nn.Parameter(torch.ones(10, dtype=torch.float16))
optimizer = torch.optim.SGD([*model.parameters(), scale], lr=0.1)
loss = nn.functional.cross_entropy(model(batch) * scale, labels)
scaler.scale(loss).backward()
scaler.unscale_(optimizer)

# %% message: float16 as the default dtype, in a class that trains
torch.set_default_dtype(torch.float16)


class Trainer:
    def __init__(self, model):
        self.model, self.scaler = model, torch.amp.GradScaler("cpu")
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def training_step(self, inputs, labels):
        loss = nn.functional.cross_entropy(self.model(inputs), labels)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)


Trainer(nn.Linear(64, 10)).training_step(batch.half(), labels)

# %% right: the optimizer holds a frozen backbone in float16
model = nn.Sequential(nn.Linear(64, 32).half().requires_grad_(False), nn.Linear(32, 10))
optimizer = torch.optim.AdamW(model.parameters())
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)

# %% right: activations and loss in float16, weights in float32
model = nn.Linear(64, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.autocast("cpu", dtype=torch.float16):
    loss = model(batch).pow(2).mean()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
