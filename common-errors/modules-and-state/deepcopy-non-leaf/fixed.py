import copy

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, num_heads=4, batch_first=True)

    def forward(self, tokens):
        encoded, weights = self.attention(tokens, tokens, tokens)
        # Only to be looked at: without its graph, which also frees the memory of the step.
        self.last_weights = weights.detach()
        return encoded


torch.manual_seed(0)
model = Encoder()
loss = model(torch.randn(2, 5, 16)).square().mean()
loss.backward()
best = copy.deepcopy(model)
print(f"copied, with weights of shape {tuple(best.last_weights.shape)}")
