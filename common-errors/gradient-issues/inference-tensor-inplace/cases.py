import torch
from torch import nn

torch.manual_seed(0)

# %% probabilities are cut off in place
with torch.inference_mode():
    x = torch.rand(6, 3).softmax(dim=1)
tensor = x
x[x < 0.3] = 0
# %% fixed
with torch.inference_mode():
    x = torch.rand(6, 3).softmax(dim=1)
tensor = x = x.clone()
x[x < 0.3] = 0

# %% a head is trained on features from inference mode
backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
with torch.inference_mode():
    tensor = backbone(torch.randn(16, 8))
head(tensor).square().mean().backward()
# %% fixed
backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
with torch.no_grad():
    tensor = backbone(torch.randn(16, 8))
head(tensor).square().mean().backward()

# %% an input for an attack was created in inference mode
with torch.inference_mode():
    tensor = x = torch.rand(1, 3, 8, 8)
x.requires_grad_()
# %% fixed
with torch.inference_mode():
    x = torch.rand(1, 3, 8, 8)
x = x.clone().requires_grad_()
tensor = x

# %% the model was created in inference mode, and is fine-tuned
with torch.inference_mode():
    model = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 2))
tensor = model[1].weight
model(torch.randn(4, 8)).sum().backward()
# %% fixed
with torch.no_grad():
    model = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 2))
tensor = model[1].weight
model(torch.randn(4, 8)).sum().backward()


# %% the first evaluation filled a cache
class Rotary(nn.Module):
    cache = None

    def forward(self, x):
        if self.cache is None:
            self.cache = torch.arange(x.shape[-1]).cos()
        return x * self.cache


rotary = Rotary()
with torch.inference_mode():
    rotary(torch.randn(2, 4))
tensor = rotary.cache
rotary(torch.randn(2, 4, requires_grad=True))


# %% fixed
class Rotary(nn.Module):
    cache = None

    def forward(self, x):
        if self.cache is None:
            self.cache = torch.arange(x.shape[-1]).cos()
        return x * self.cache


rotary = Rotary()
with torch.no_grad():
    rotary(torch.randn(2, 4))
tensor = rotary.cache
rotary(torch.randn(2, 4, requires_grad=True))

# %% message: the version is read
with torch.inference_mode():
    tensor = torch.zeros(3)
print(tensor._version)
# %% fixed
with torch.no_grad():
    tensor = torch.zeros(3)
print(tensor._version)

# %% right: changed in place within the block
with torch.inference_mode():
    x = torch.rand(6, 3)
    x /= 2
tensor = x * 2

# %% right: features under no_grad
with torch.no_grad():
    tensor = nn.Linear(8, 4)(torch.randn(16, 8))
nn.Linear(4, 2)(tensor).sum().backward()
