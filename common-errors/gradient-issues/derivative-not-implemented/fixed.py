import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(16, 48)
        self.score = nn.Linear(16, 1)

    def forward(self, sequence):
        query, key, value = self.qkv(sequence).unsqueeze(1).chunk(3, dim=-1)
        return self.score(nn.functional.scaled_dot_product_attention(query, key, value).mean(dim=(1, 2)))


def gradient_penalty(critic, samples):
    """Of a WGAN: a gradient is part of the loss, so backward() differentiates a backward pass."""
    with sdpa_kernel(SDPBackend.MATH):  # made of matrix products and softmax, which have second derivatives
        scores = critic(samples)
    (gradient,) = torch.autograd.grad(scores.sum(), samples, create_graph=True)
    return (gradient.flatten(1).norm(dim=1) - 1).square().mean()


torch.manual_seed(0)
critic = Critic()
samples = torch.randn(4, 10, 16, requires_grad=True)
gradient_penalty(critic, samples).backward()
print(f"gradient of the weight: {tuple(critic.qkv.weight.grad.shape)}")
