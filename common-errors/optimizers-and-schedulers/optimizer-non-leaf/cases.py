import torch
from torch import nn

torch.manual_seed(0)

# %% a conversion after requires_grad=True
scale = torch.ones(3, requires_grad=True).double()
tensors = [scale]
optimizer = torch.optim.SGD([scale], lr=0.1)
# %% fixed
scale = torch.ones(3).double().requires_grad_()
tensors = [scale]
optimizer = torch.optim.SGD([scale], lr=0.1)

# %% one row of an embedding
table = nn.Embedding(100, 16)
tensors = [table.weight[7]]
optimizer = torch.optim.Adam([table.weight[7]], lr=0.01)

# %% the output of a network
network = nn.Linear(8, 16)
code = network(torch.randn(1, 8))
tensors = [code]
optimizer = torch.optim.Adam([{"params": network.parameters()}, {"params": [code], "lr": 0.1}], lr=1e-3)

# %% a parameter that was moved, here to a device without data
bias = nn.Parameter(torch.zeros(10)).to("meta")
tensors = [bias]
optimizer = torch.optim.AdamW([bias])

# %% message: an adversarial perturbation, copied with clone
image = torch.rand(1, 3, 8, 8, requires_grad=True)
noise = image.clone()
torch.optim.Adam([noise], lr=0.01)

# %% message: a scalar, of which the exponential is taken
class Temperature:
    def __init__(self):
        self.temperature = torch.tensor(0.0, requires_grad=True).exp()
        self.optimizer = torch.optim.LBFGS([self.temperature])


Temperature()

# %% message: a list that iterates over the rows of a tensor
weights = torch.randn(5, 4, requires_grad=True)
torch.optim.SGD([*weights], lr=0.1)

# %% right: nn.Parameter around the result of a computation
with torch.no_grad():
    start = torch.randn(3, 8, 8) * 0.01
image = nn.Parameter(start)
tensors = [image]
optimizer = torch.optim.Adam([image], lr=0.05)

# %% right: moved to the device where it is already
offset = torch.zeros(4, requires_grad=True).to("cpu")
tensors = [offset]
optimizer = torch.optim.SGD([offset], lr=0.1)
