from configparser import ConfigParser

import torch
from torch import nn

torch.manual_seed(0)
config = ConfigParser()
config.read_string("""
[training]
lr = 1e-4
epochs = 3
""")
lr = config["training"]["lr"]
model = nn.Linear(8, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=lr)  # error

loss = nn.functional.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1))
loss.backward()
optimizer.step()
print(f"learning rate: {optimizer.param_groups[0]['lr']}")
