import torch
from torch import nn

options = {"fullgraph": True, "backend": "eager"}

# %% an operator that only the CPU knows
torch.library.define("shop::twice", "(Tensor x) -> Tensor")


@torch.library.impl("shop::twice", "CPU")
def twice(x):
    return torch.from_numpy(x.numpy() * 2)


model, waves = torch.compile(lambda x: torch.ops.shop.twice(x) + 1, **options), torch.rand(3)
model(waves)

# %% a fake implementation that reads values
@torch.library.custom_op("shop::select", mutates_args=())
def select(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0.5].clone()


@select.register_fake
def _(x):
    return x.new_empty(len(x.numpy()))


model, waves = torch.compile(lambda x: select(x) * 2, **options), torch.rand(8)
model(waves)

# %% windows longer than the signal
class Windows(nn.Module):
    def forward(self, signal):
        return signal.unfold(-1, 400, 160).mean(-1)


model, waves = torch.compile(Windows(), **options), torch.randn(1, 300)
model(waves)

# %% distances between points of other dimensions
centers = torch.rand(5, 4)
model, waves = torch.compile(lambda x: torch.cdist(x, centers), **options), torch.rand(6, 3)
model(waves)

# %% message: a real tensor among fake ones
from torch._subclasses.fake_tensor import FakeTensorMode

weight = torch.rand(3)
with FakeTensorMode():
    torch.rand(3) + weight

# %% right: the operator tells its shape
@torch.library.custom_op("shop::clip", mutates_args=())
def clip(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(0, 1)


@clip.register_fake
def _(x):
    return torch.empty_like(x)


model, waves = torch.compile(lambda x: clip(x) * 2, **options), torch.rand(8)
model(waves)

# %% right: windows that fit
model, waves = torch.compile(lambda x: x.unfold(-1, 100, 50).mean(-1), **options), torch.randn(1, 300)
model(waves)
