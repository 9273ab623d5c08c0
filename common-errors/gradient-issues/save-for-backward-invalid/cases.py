import torch
from torch.autograd import Function

torch.manual_seed(0)


# %% a shape is saved
class Mean(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.shape)
        return x.mean()

    @staticmethod
    def backward(ctx, grad_output):
        (shape,) = ctx.saved_tensors
        return grad_output.expand(shape) / shape.numel()


function, arguments = Mean, (torch.randn(3, 4, requires_grad=True),)
function.apply(*arguments).backward()


# %% a tuple of tensors
class Weighted(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward((x, weight))
        return x * weight

    @staticmethod
    def backward(ctx, grad_output):
        ((x, weight),) = ctx.saved_tensors
        return grad_output * weight, grad_output * x


function, arguments = (
    Weighted,
    (
        torch.randn(3, requires_grad=True),
        torch.rand(3, requires_grad=True),
    ),
)
function.apply(*arguments).sum().backward()


# %% fixed
class Weighted(Function):
    @staticmethod
    def forward(ctx, x, weight):
        tensors = (x, weight)
        ctx.save_for_backward(*tensors)
        return x * weight

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output * weight, grad_output * x


function, arguments = (
    Weighted,
    (
        torch.randn(3, requires_grad=True),
        torch.rand(3, requires_grad=True),
    ),
)
function.apply(*arguments).sum().backward()


# %% a kernel size
class Blur(Function):
    @staticmethod
    def forward(ctx, image, size):
        ctx.save_for_backward(image, size)
        return torch.nn.functional.avg_pool2d(image, size)


function, arguments = (
    Blur,
    (
        torch.rand(1, 1, 8, 8, requires_grad=True),
        2,
    ),
)
function.apply(*arguments)


# %% a mode
class Reduce(Function):
    @staticmethod
    def forward(ctx, x, mode):
        ctx.save_for_backward(x, mode)
        return x.sum() if mode == "sum" else x.mean()


function, arguments = (
    Reduce,
    (
        torch.rand(4, requires_grad=True),
        "sum",
    ),
)
function.apply(*arguments)


# %% an array of NumPy
class Sorted(Function):
    @staticmethod
    def forward(ctx, x):
        order = x.detach().numpy().argsort()
        ctx.save_for_backward(order)
        return x[order]


function, arguments = Sorted, (torch.rand(4, requires_grad=True),)
function.apply(*arguments)


# %% fixed
class Sorted(Function):
    @staticmethod
    def forward(ctx, x):
        order = x.detach().numpy().argsort()
        ctx.save_for_backward(torch.from_numpy(order))
        return x[order]


function, arguments = Sorted, (torch.rand(4, requires_grad=True),)
function.apply(*arguments)


# %% right: a tensor and None
class Shifted(Function):
    @staticmethod
    def forward(ctx, x, bias):
        ctx.save_for_backward(x, bias)
        return x if bias is None else x + bias

    @staticmethod
    def backward(ctx, grad_output):
        bias = ctx.saved_tensors[1]
        return grad_output, None if bias is None else grad_output


function, arguments = (
    Shifted,
    (
        torch.rand(4, requires_grad=True) * 1,
        None,
    ),
)
function.apply(*arguments).sum().backward()
