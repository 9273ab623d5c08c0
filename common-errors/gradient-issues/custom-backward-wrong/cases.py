import torch

torch.manual_seed(0)


# %% a factor that was forgotten
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        ctx.save_for_backward(values)
        return values**2

    @staticmethod
    def backward(ctx, grad):
        (values,) = ctx.saved_tensors
        return grad * values


function, inputs = Square.apply, (torch.randn(3, 4),)


# %% two gradients in the wrong order
class Ratio(torch.autograd.Function):
    @staticmethod
    def forward(ctx, first, second):
        ctx.save_for_backward(first, second)
        return first / second

    @staticmethod
    def backward(ctx, grad):
        first, second = ctx.saved_tensors
        return -grad * first / second**2, grad / second


function, inputs = Ratio.apply, (torch.randn(3, 4), torch.rand(3, 4) + 1)
weight = torch.nn.Parameter(inputs[0])
function(weight, inputs[1]).sum().backward()


# %% the mean of a loss, of which the gradient is that of the sum
class Distance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, outputs, targets):
        ctx.save_for_backward(outputs - targets)
        return (outputs - targets).square().mean()

    @staticmethod
    def backward(ctx, grad):
        (apart,) = ctx.saved_tensors
        return grad * 2 * apart, -grad * 2 * apart


function, inputs = Distance.apply, (torch.randn(3, 4), torch.randn(3, 4))


# %% right: a gradient that agrees
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        ctx.save_for_backward(values)
        return values * values.sigmoid()

    @staticmethod
    def backward(ctx, grad):
        (values,) = ctx.saved_tensors
        gate = values.sigmoid()
        return grad * (gate + values * gate * (1 - gate))


function, inputs = Swish.apply, (torch.randn(3, 4),)
weight = torch.nn.Parameter(inputs[0])
function(weight).sum().backward()


# %% right: the gradient of a sign that a straight-through estimator passes on, beside an exact one
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        return values.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad


weight = torch.nn.Parameter(torch.randn(3, 4))
Sign.apply(weight).sum().backward()
function, inputs = torch.tanh, (torch.randn(3, 4),)
