import io
from pathlib import Path

import torch
from torch import nn

model, other = nn.Linear(4, 2), nn.Linear(4, 2)

# %% a path
weights = Path("best.pt")
model.load_state_dict(weights)

# %% a file that is in memory
weights = io.BytesIO()
torch.save(other.state_dict(), weights)
model.load_state_dict(weights)

# %% a whole model
loaded = weights = other
model.load_state_dict(weights)
# %% fixed
loaded = other
weights = loaded.state_dict()
model.load_state_dict(weights)

# %% without parentheses
weights = other.state_dict
model.load_state_dict(weights)
# %% fixed
weights = other.state_dict()
model.load_state_dict(weights)

# %% a key that the checkpoint does not have
checkpoint = {"model": other.state_dict()}
weights = checkpoint.get("state_dict")
model.load_state_dict(weights)

# %% the parameters of another model
loaded = other
weights = loaded.named_parameters()
model.load_state_dict(weights)
# %% fixed
loaded = other
weights = loaded.state_dict()
model.load_state_dict(weights)

# %% the path of an optimizer's state
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
weights = "optimizer.pt"
optimizer.load_state_dict(weights)

# %% a whole model, for an optimizer
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
weights = other
optimizer.load_state_dict(weights)
# %% fixed
optimizer, loaded = torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD(model.parameters(), lr=0.2)
weights = loaded.state_dict()
optimizer.load_state_dict(weights)

# %% message: a whole model, searched for a key
checkpoint = nn.Linear(8, 2)
weights = checkpoint["model"] if "model" in checkpoint else checkpoint
# %% fixed
checkpoint = nn.Linear(8, 2)
weights = checkpoint.state_dict()

# %% right: a plain dictionary
weights = dict(other.state_dict())
model.load_state_dict(weights)
