import argparse
import csv
import json
import os

import torch
from torch import nn
from torch.optim import lr_scheduler

# %% argparse without type=float, in SGD
parser = argparse.ArgumentParser()
parser.add_argument("--lr")
args = parser.parse_args(["--lr", "0.1"])
given = {"lr": args.lr}
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=args.lr)
# %% fixed
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
args = parser.parse_args(["--lr", "0.1"])
given = {"lr": args.lr}
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=args.lr)

# %% a weight decay from the environment
weight_decay = os.environ.get("WEIGHT_DECAY", "1e-2")
given = {"lr": 1e-3, "weight_decay": weight_decay}
optimizer = torch.optim.Adam(nn.Conv2d(3, 8, 3).parameters(), **given)
# %% fixed
weight_decay = os.environ.get("WEIGHT_DECAY", "1e-2")
weight_decay = float(weight_decay)
given = {"lr": 1e-3, "weight_decay": weight_decay}
optimizer = torch.optim.Adam(nn.Conv2d(3, 8, 3).parameters(), **given)

# %% betas that were split from a line of text
betas = "0.9,0.95".split(",")
given = {"lr": 3e-4, "betas": betas}
optimizer = torch.optim.AdamW(nn.Embedding(100, 16).parameters(), **given)
# %% fixed
betas = "0.9,0.95".split(",")
betas = tuple(float(beta) for beta in betas)
given = {"lr": 3e-4, "betas": betas}
optimizer = torch.optim.AdamW(nn.Embedding(100, 16).parameters(), **given)

# %% a group of parameters with a learning rate of its own: the first step fails
config = json.loads('{"lr": "1e-5"}')
backbone, head = nn.Linear(8, 8), nn.Linear(8, 2)
given = config
optimizer = torch.optim.Adam([{"params": backbone.parameters(), "lr": config["lr"]}, {"params": head.parameters()}])
head(backbone(torch.randn(4, 8))).sum().backward()
optimizer.step()
# %% fixed
config = json.loads('{"lr": "1e-5"}')
lr = float(config["lr"])
backbone, head = nn.Linear(8, 8), nn.Linear(8, 2)
given = {"lr": lr}
optimizer = torch.optim.Adam([{"params": backbone.parameters(), "lr": lr}, {"params": head.parameters()}])
head(backbone(torch.randn(4, 8))).sum().backward()
optimizer.step()

# %% a momentum column of a sweep
row = next(csv.DictReader(["lr,momentum", "0.01,0.9"]))
momentum = row["momentum"]
given = {"lr": 0.01, "momentum": momentum}
optimizer = torch.optim.RMSprop(nn.Linear(8, 2).parameters(), **given)
# %% fixed
row = next(csv.DictReader(["lr,momentum", "0.01,0.9"]))
momentum = row["momentum"]
momentum = float(momentum)
given = {"lr": 0.01, "momentum": momentum}
optimizer = torch.optim.RMSprop(nn.Linear(8, 2).parameters(), **given)

# %% a scheduler's factor
config = json.loads('{"gamma": "0.1", "step_size": 1}')
given = config
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
scheduler = lr_scheduler.StepLR(optimizer, config["step_size"], gamma=config["gamma"])
optimizer.step()
scheduler.step()
# %% fixed
config = json.loads('{"gamma": "0.1", "step_size": 1}')
gamma = float(config["gamma"])
given = {"gamma": gamma, "step_size": config["step_size"]}
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
scheduler = lr_scheduler.StepLR(optimizer, config["step_size"], gamma=gamma)
optimizer.step()
scheduler.step()

# %% a length of a cosine schedule
config = json.loads('{"T_max": "50"}')
given = config
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=config["T_max"])
optimizer.step()
scheduler.step()
# %% fixed
config = json.loads('{"T_max": "50"}')
T_max = int(config["T_max"])
given = {"T_max": T_max}
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max)
optimizer.step()
scheduler.step()

# %% an option without a default
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
args = parser.parse_args([])
given = {"lr": args.lr}
optimizer = torch.optim.AdamW(nn.Linear(8, 2).parameters(), lr=args.lr)
# %% fixed
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
args = parser.parse_args([])
given = {"lr": args.lr}
optimizer = torch.optim.AdamW(nn.Linear(8, 2).parameters(), lr=args.lr)

# %% a comma behind the learning rate makes a tuple
lr = (1e-3,)
given = {"lr": lr}
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=lr)

# %% message: a learning rate that is set later, in SGD
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
for group in optimizer.param_groups:
    group["lr"] = "1e-3"
    group["params"][0].grad = torch.ones(2, 8)
optimizer.step()

# %% message: a weight decay of one group
head = nn.Linear(8, 2)
optimizer = torch.optim.AdamW([{"params": head.parameters(), "weight_decay": "0.01"}], lr=1e-3)
head(torch.randn(4, 8)).sum().backward()
optimizer.step()

# %% message: a weight decay of one group, in SGD
head = nn.Linear(8, 2)
optimizer = torch.optim.SGD([{"params": head.parameters(), "weight_decay": "0.01"}], lr=1e-3)
head(torch.randn(4, 8)).sum().backward()
optimizer.step()

# %% message: the factor of ReduceLROnPlateau
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
factor = os.environ.get("FACTOR", "0.5")
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=factor)
# %% fixed
optimizer = torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1)
factor = os.environ.get("FACTOR", "0.5")
factor = float(factor)
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=factor)

# %% message: the rate of a dropout
dropout = nn.Dropout(os.environ.get("DROPOUT", "0.1"))

# %% message: the number of workers
loader = torch.utils.data.DataLoader(range(8), num_workers=os.environ.get("WORKERS", "2"))

# %% message: a batch size from argparse
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size")
args = parser.parse_args(["--batch-size", "32"])
loader = torch.utils.data.DataLoader(range(8), batch_size=args.batch_size)
# %% fixed
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int)
args = parser.parse_args(["--batch-size", "32"])
loader = torch.utils.data.DataLoader(range(8), batch_size=args.batch_size)

# %% message: a batch size divided by more GPUs
loader = torch.utils.data.DataLoader(range(8), batch_size=4 // 8)

# %% right: a learning rate that is a tensor, from text
lr = torch.tensor(float("1e-3"))
given = {"lr": lr, "betas": (0.9, 0.999), "fused": None, "maximize": False}
optimizer = torch.optim.Adam(nn.Linear(8, 2).parameters(), lr=lr)
