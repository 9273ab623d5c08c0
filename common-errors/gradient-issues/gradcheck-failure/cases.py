import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(4, dtype=torch.float64, requires_grad=True)

# %% inputs in float32
function, inputs = lambda x: (x**3).sum(), (torch.randn(4, requires_grad=True),)
torch.autograd.gradcheck(function, inputs)
# %% fixed
x = torch.randn(4, requires_grad=True)
function, inputs = lambda x: (x**3).sum(), (x.detach().double().requires_grad_(),)
torch.autograd.gradcheck(function, inputs)

# %% the gradient of the weight is forgotten
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad):
        (weight,) = ctx.saved_tensors
        return grad * weight, None


function, inputs = Scale.apply, (x, torch.randn(4, dtype=torch.float64, requires_grad=True))
torch.autograd.gradcheck(function, inputs)

# %% a factor that was detached
function, inputs = lambda x: x * x.detach(), (x,)
torch.autograd.gradcheck(function, inputs)

# %% dropout in the function
function, inputs = nn.Dropout(0.5), (x,)
torch.autograd.gradcheck(function, inputs)

# %% a mean that does not divide in the backward
class Mean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.size = len(x)
        return x.mean()

    @staticmethod
    def backward(ctx, grad):
        return grad.expand(ctx.size)


function, inputs = Mean.apply, (x,)
torch.autograd.gradcheck(function, inputs)

# %% noise in the backward
class Noisy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * (2 + 1e-9 * torch.rand_like(grad))


function, inputs = Noisy.apply, (x,)
torch.autograd.gradcheck(function, inputs)

# %% message: at the kink of a ReLU
torch.autograd.gradcheck(torch.relu, (torch.zeros(3, dtype=torch.float64, requires_grad=True),))

# %% message: in fast mode
torch.autograd.gradcheck(lambda x: x * x.detach(), (x,), fast_mode=True)

# %% message: many outputs, and a square that is missing
class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (1 - x.tanh())


torch.autograd.gradcheck(Tanh.apply, (torch.randn(20, dtype=torch.float64, requires_grad=True),))

# %% message: a jvp without its factor 2
class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * ctx.saved_tensors[0]


torch.autograd.gradcheck(Square.apply, (x,), check_forward_ad=True)

# %% message: no gradient is asked for
torch.autograd.gradcheck(torch.sigmoid, (x.detach(),))

# %% message: an expanded input
torch.autograd.gradcheck(torch.sigmoid, (torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3),))

# %% right: a layer of PyTorch in float64
function, inputs = nn.Linear(4, 2).double(), (x,)
torch.autograd.gradcheck(function, inputs)

# %% right: the second derivative
function, inputs = torch.sigmoid, (x,)
torch.autograd.gradgradcheck(function, inputs)
