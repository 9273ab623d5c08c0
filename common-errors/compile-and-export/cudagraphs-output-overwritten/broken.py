import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 32)).to("cuda")
compiled = torch.compile(encoder, mode="reduce-overhead")

embeddings = []
with torch.no_grad():
    for _ in range(4):
        batch = torch.randn(16, 64, device="cuda")
        embeddings.append(compiled(batch))

print("embeddings:", tuple(torch.cat(embeddings).shape))  # error
