import torch
from torch import nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))
checkpoint = trained.state_dict()  # stands for torch.load("model.pt")

with torch.device("meta"):  # no memory for weights that are about to be replaced
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))
model.load_state_dict(checkpoint)
model.to("cpu")  # error

features = torch.randn(8, 16)
print("same outputs:", torch.equal(model(features), trained(features)))
