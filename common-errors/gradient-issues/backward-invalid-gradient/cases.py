import torch
from torch.autograd import Function

torch.manual_seed(0)


# %% the gradient of a sum is not expanded
class Total(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


function, inputs = Total, (torch.randn(3, 5, requires_grad=True),)
function.apply(*inputs).backward()


# %% fixed
class Total(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
        shape = ctx.shape
        return grad_output.expand(shape)


function, inputs = Total, (torch.randn(3, 5, requires_grad=True),)
function.apply(*inputs).backward()


# %% two gradients in the wrong order
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return a.T @ grad_output, grad_output @ b.T


function, inputs = Product, (torch.randn(6, 3, requires_grad=True), torch.randn(3, 2, requires_grad=True))
function.apply(*inputs).sum().backward()


# %% an argument without a gradient is left out
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor


function, inputs = Scale, (torch.randn(4, requires_grad=True), 0.5)
function.apply(*inputs).sum().backward()


# %% fixed
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


function, inputs = Scale, (torch.randn(4, requires_grad=True), 0.5)
function.apply(*inputs).sum().backward()


# %% one gradient too many
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output, grad_output


function, inputs = Square, (torch.randn(4, requires_grad=True),)
function.apply(*inputs).sum().backward()


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


function, inputs = Square, (torch.randn(4, requires_grad=True),)
function.apply(*inputs).sum().backward()


# %% the channels are dropped
class Grayscale(Function):
    @staticmethod
    def forward(ctx, image):
        return image.mean(dim=1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / 3


function, inputs = Grayscale, (torch.rand(2, 3, 8, 8, requires_grad=True),)
function.apply(*inputs).sum().backward()

# %% message: a gradient on another device
class Distance(Function):
    @staticmethod
    def forward(ctx, x):
        return x.abs().sum()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.ones(4, device="meta")  # takes the place of a GPU


Distance.apply(torch.randn(4, requires_grad=True)).backward()


# %% message: a custom operator
@torch.library.custom_op("lab::scale", mutates_args=())
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    return x * factor


scale.register_autograd(lambda ctx, grad_output: 2 * grad_output)
scale(torch.rand(3, requires_grad=True), 2.0).sum().backward()


# %% right: a gradient that is larger is summed
class Shift(Function):
    @staticmethod
    def forward(ctx, x, bias):
        return x + bias

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output


function, inputs = Shift, (torch.randn(3, 5, requires_grad=True), torch.zeros(5, requires_grad=True))
function.apply(*inputs).sum().backward()
