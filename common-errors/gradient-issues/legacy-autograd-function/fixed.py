import torch
from torch import nn
from torch.autograd import Function


class GradientReversal(Function):
    # Both methods are static; what __init__ kept is an argument of forward, and ctx carries it over to backward.
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None


torch.manual_seed(0)
features = nn.Linear(8, 4)
domain = nn.Linear(4, 2)
hidden = features(torch.randn(16, 8))
reverse = GradientReversal.apply
logits = domain(reverse(hidden, 0.5))
nn.functional.cross_entropy(logits, torch.arange(16) % 2).backward()
print(f"gradient: {tuple(features.weight.grad.shape)}")
