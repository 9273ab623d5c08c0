import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x.sigmoid()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        gate = x.sigmoid()
        # The derivative of the sigmoid is gate * (1 - gate), not gate.
        return grad * (gate + x * gate * (1 - gate))


torch.manual_seed(0)
function, inputs = Swish.apply, (torch.randn(3, dtype=torch.float64, requires_grad=True),)
print("gradients match:", torch.autograd.gradcheck(function, inputs))
