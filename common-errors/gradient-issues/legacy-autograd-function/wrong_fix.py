import torch
from torch import nn
from torch.autograd import Function


class GradientReversal(Function):
    def __init__(self, strength):
        self.strength = strength

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -0.5 * grad_output


torch.manual_seed(0)
features = nn.Linear(8, 4)
domain = nn.Linear(4, 2)
hidden = features(torch.randn(16, 8))
reverse = GradientReversal(0.5)
logits = domain(reverse(hidden))  # error
nn.functional.cross_entropy(logits, torch.arange(16) % 2).backward()
print(f"gradient: {tuple(features.weight.grad.shape)}")
