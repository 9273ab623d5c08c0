import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, tokens):
        batch, length, width = tokens.shape
        qkv = self.qkv(tokens).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # each: batch, heads, length, head width
        scores = query @ key.transpose(-2, -1) * (width // self.heads) ** -0.5
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        context = scores.masked_fill(future, float("-inf")).softmax(-1) @ value
        context = context.transpose(1, 2)  # batch, length, heads, head width
        return self.out(context.view(batch, length, width))  # error


torch.manual_seed(0)
attention = CausalSelfAttention(width=64, heads=4)
tokens = torch.randn(2, 10, 64)
changed = tokens.clone()
changed[:, 1] += 1.0

# Causal: the first token must not depend on the second one.
leak = (attention(changed) - attention(tokens))[:, 0].abs().max()
print(f"leak_into_first_token={leak.item():.3f}")
