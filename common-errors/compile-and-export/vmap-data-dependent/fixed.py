import torch


def clipped(gradient):
    norm = gradient.norm()
    # No decision: every sample is divided by its own norm, or by 1.
    return gradient / norm.clamp(min=1.0)


torch.manual_seed(0)
gradients = torch.randn(32, 10)  # one for each sample
function, samples = clipped, gradients
print(f"one: {function(samples[0]).norm():.2f}")
result = torch.vmap(function)(samples)
print(f"all: {result.norm(dim=1).max():.2f}")
