import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, features, weight, bias):
        ctx.save_for_backward(features, weight)
        return features @ weight.T + bias

    @staticmethod
    def backward(ctx, grad_output):
        features, weight = ctx.saved_tensors
        grad_features = grad_output @ weight
        grad_weight = grad_output.T @ features  # 4 x 16, as weight; was its transpose
        grad_bias = grad_output.sum(dim=0)
        return grad_features, grad_weight, grad_bias


torch.manual_seed(0)
features = torch.randn(32, 16)
weight = torch.randn(4, 16, requires_grad=True)
bias = torch.zeros(4, requires_grad=True)
scores = LinearFunction.apply(features, weight, bias)
scores.square().mean().backward()
print(f"weight {tuple(weight.shape)}, gradient {tuple(weight.grad.shape)}")
