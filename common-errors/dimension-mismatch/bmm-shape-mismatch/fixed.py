import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.query = nn.Linear(features, features)
        self.key = nn.Linear(features, features)
        self.value = nn.Linear(features, features)

    def forward(self, text, image):
        queries, keys, values = self.query(text), self.key(image), self.value(image)
        # Features meet features: (10 x 64) times (64 x 49) gives a score for each token and patch.
        scores = torch.bmm(queries, keys.transpose(1, 2)) / queries.shape[-1] ** 0.5
        return torch.bmm(scores.softmax(dim=-1), values)


torch.manual_seed(0)
attention = CrossAttention(64)
text, image = torch.randn(8, 10, 64), torch.randn(8, 49, 64)  # 10 tokens look at 49 patches
outputs = attention(text, image)
print(f"outputs: {tuple(outputs.shape)}")
