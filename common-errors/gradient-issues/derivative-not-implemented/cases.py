import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
x = torch.randn(1, 2, 4, 8, requires_grad=True)


# %% a Hessian through attention
def line():
    attended = F.scaled_dot_product_attention(x, x, x)
    (first,) = torch.autograd.grad(attended.square().sum(), x, create_graph=True)
    first.sum().backward()


line()


# %% fixed
def line():
    with sdpa_kernel(SDPBackend.MATH):
        attended = F.scaled_dot_product_attention(x, x, x)
    (first,) = torch.autograd.grad(attended.square().sum(), x, create_graph=True)
    first.sum().backward()


line()

# %% a penalty through an EmbeddingBag
bag = nn.EmbeddingBag(10, 3, mode="max")


def line():
    (first,) = torch.autograd.grad(bag(torch.tensor([[1, 2]])).square().sum(), bag.weight, create_graph=True)
    first.square().sum().backward()


line()

# %% bins by floor division
line = lambda: (x // 0.5).square().sum().backward()
line()

# %% a step function
line = lambda: torch.heaviside(x, torch.tensor(0.5)).sum().backward()
line()

# %% message: a penalty through the CTC loss
logits = torch.randn(5, 2, 4, requires_grad=True)
lengths = torch.tensor([5, 5]), torch.tensor([1, 1])
loss = F.ctc_loss(logits.log_softmax(-1), torch.ones(2, 1, dtype=torch.long), *lengths)
(first,) = torch.autograd.grad(loss, logits, create_graph=True)
first.square().sum().backward()

# %% message: a penalty through torchvision's roi_align
features, boxes = torch.randn(1, 3, 8, 8, requires_grad=True), torch.tensor([[0.0, 0.0, 0.0, 4.0, 4.0]])
pooled = torchvision.ops.roi_align(features, boxes, 2)
(first,) = torch.autograd.grad(pooled.square().sum(), features, create_graph=True)
first.square().sum().backward()

# %% message: a Hessian that uses forward mode
torch.func.hessian(lambda q: F.scaled_dot_product_attention(q, q, q).sum())(x.detach())
# %% fixed
with sdpa_kernel(SDPBackend.MATH):
    torch.func.hessian(lambda q: F.scaled_dot_product_attention(q, q, q).sum())(x.detach())
distances = torch.func.jacrev(lambda q: torch.cdist(q, q))(torch.rand(5, 8))

# %% message: a loss from unique values
torch.unique(x).sum().backward()

# %% an attention layer of the library
layer = nn.MultiheadAttention(8, 2, batch_first=True)


def line():
    attended = layer(x[0], x[0], x[0], need_weights=False)[0]
    (first,) = torch.autograd.grad(attended.sum(), x, create_graph=True)
    first.square().sum().backward()


line()
# %% fixed
layer = nn.MultiheadAttention(8, 2, batch_first=True)


def line():
    with sdpa_kernel(SDPBackend.MATH):
        attended = layer(x[0], x[0], x[0], need_weights=False)[0]
    (first,) = torch.autograd.grad(attended.sum(), x, create_graph=True)
    first.square().sum().backward()


line()

# %% right: one derivative of attention
line = lambda: F.scaled_dot_product_attention(x, x, x).sum().backward()
line()

# %% right: a gradient penalty without attention
model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))


def line():
    (first,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    first.square().sum().backward()


line()
