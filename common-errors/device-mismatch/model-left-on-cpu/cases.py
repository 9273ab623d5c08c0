import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "meta")
inputs = torch.randn(32, 16, device="cpu")


@torch.no_grad()
def predict(model, batch):
    return model.eval()(batch)


# %% the default of an argument
def build(hidden, device="cpu"):
    return nn.Sequential(nn.Linear(16, hidden), nn.ReLU(), nn.Linear(hidden, 1)).to(device)


model = build(32)
predict(model, inputs)

# %% the model is created again
model = nn.Linear(16, 1).to(device)
predict(model, inputs.to(device))
model = nn.Linear(16, 1)
predict(model, inputs)

# %% right: the model and the batch are moved
model = nn.Linear(16, 1).to(device)
predict(model, inputs.to(device))

# %% undecided: the program wants the CPU
device = torch.device("cpu")
model = nn.Linear(16, 1).to(device)
predict(model, inputs.to(device))
