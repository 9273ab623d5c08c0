import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)

# %% a residual network of convolutions
def block():
    return nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.SiLU(), nn.Conv2d(8, 8, 3, padding=1), nn.SiLU())


layers, tokens = nn.ModuleList(block() for _ in range(6)), torch.randn(4, 8, 16, 16)


def forward(images):
    for layer in layers:
        images = images + layer(images)
    return images


# %% fixed
def block():
    return nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.SiLU(), nn.Conv2d(8, 8, 3, padding=1), nn.SiLU())


layers, tokens = nn.ModuleList(block() for _ in range(6)), torch.randn(4, 8, 16, 16)


def forward(images):
    for layer in layers:
        images = images + checkpoint(layer, images, use_reentrant=False)
    return images


# %% a decoder of a language model, with attention by hand
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        scores = (q @ k.transpose(1, 2) / 6).masked_fill(torch.ones(64, 64).triu(1).bool(), -torch.inf)
        return x + self.out(scores.softmax(dim=-1) @ v)


layers, tokens = nn.ModuleList(Block() for _ in range(4)), torch.randn(2, 64, 32)


def forward(x):
    for layer in layers:
        x = layer(x)
    return x


# %% right: checkpoint_sequential over four segments
layers, tokens = nn.Sequential(*[nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 32)) for _ in range(8)]), torch.randn(64, 32)


def forward(x):
    return checkpoint_sequential(layers, 4, x, use_reentrant=False)


# %% right: nothing is kept during an evaluation
layers, tokens = nn.ModuleList(nn.TransformerEncoderLayer(32, 2, 64, batch_first=True) for _ in range(3)), torch.randn(2, 8, 32)


@torch.inference_mode()
def forward(x):
    for layer in layers:
        x = layer(x)
    return x
