import torch
from torch import nn

torch.manual_seed(0)
inputs, labels = torch.randn(64, 10), torch.randint(3, (64,))
backbone, head = nn.Linear(10, 16), nn.Linear(16, 3)


def step():
    optimizer.zero_grad(set_to_none=SET_TO_NONE)
    nn.functional.cross_entropy(head(backbone(inputs).relu()), labels).backward()
    optimizer.step()


# %% Adam, whose averages of gradients go on
SET_TO_NONE = False
optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
for _ in range(3):
    step()
backbone.requires_grad_(False)
for _ in range(5):
    step()

# %% AdamW, with weight decay
SET_TO_NONE = False
optimizer = torch.optim.AdamW([*backbone.parameters(), *head.parameters()], weight_decay=0.1)
step()
backbone.requires_grad_(False)
for _ in range(5):
    step()

# %% right: gradients are None
SET_TO_NONE = True
optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
step()
backbone.requires_grad_(False)
for _ in range(5):
    step()
