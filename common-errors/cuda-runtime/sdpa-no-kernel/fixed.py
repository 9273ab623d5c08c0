import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


class WindowAttention(nn.Module):
    """Attention with a learned bias for each pair of positions."""

    def __init__(self, dim=64, heads=4, positions=49):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.bias = nn.Parameter(torch.zeros(1, heads, positions, positions))

    def forward(self, tokens):
        query, key, value = self.qkv(tokens).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        # Flash attention does not support this bias, so allow backends that do.
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
            attended = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=self.bias)
        return attended.transpose(1, 2).flatten(2)


torch.manual_seed(0)
attention = WindowAttention()
print(f"attended: {tuple(attention(torch.randn(8, 49, 64)).shape)}")
