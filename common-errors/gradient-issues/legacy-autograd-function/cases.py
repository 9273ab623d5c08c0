import torch
from torch import nn
from torch.autograd import Function

torch.manual_seed(0)


# %% a function without arguments
class Square(Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, grad_output):
        (x,) = self.saved_tensors
        return 2 * x * grad_output


called = Square()
called(torch.ones(3, requires_grad=True))


# %% fixed
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


called = Square.apply
called(torch.ones(3, requires_grad=True))


# %% a straight-through estimator in a layer
class Sign(Function):
    def forward(self, x):
        return x.sign()

    def backward(self, grad_output):
        return grad_output


class BinaryLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, called(self.weight))


called = Sign()
BinaryLinear(4, 2)(torch.randn(3, 4))


# %% static methods, but an instance is called
class Halve(Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / 2


called = Halve()
called(torch.ones(3, requires_grad=True))


# %% detection code that keeps its settings in __init__
class Detect(Function):
    def __init__(self, top_k, threshold):
        self.top_k = top_k
        self.threshold = threshold

    def forward(self, scores):
        scores, order = scores.sort(descending=True)
        return scores[: self.top_k], order[: self.top_k]


called = Detect(200, 0.01)
called(torch.rand(500))


# %% a Function that a module keeps
class Threshold(Function):
    def forward(self, x):
        return x.clamp(min=0)

    def backward(self, grad_output):
        return grad_output


class Spiking(nn.Module):
    def __init__(self):
        super().__init__()
        self.fire = Threshold()

    def forward(self, x):
        return self.fire(x)


model = Spiking()
called = model.fire
model(torch.randn(3, requires_grad=True))


# %% message: apply() without __init__
class Scale(Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return self.factor * x


Scale.apply(torch.ones(3))


# %% fixed
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return factor * x


factor, x = 2.0, torch.ones(3)
Scale.apply(x, factor)


# %% right: static methods, called by apply()
class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


called = Double.apply
called(torch.ones(3, requires_grad=True)).sum().backward()
