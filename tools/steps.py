"""Times the training steps of a model; `tools.bench` runs this with and without `--watch`.

    python tools/steps.py tiny | resnet18 | transformer

Prints the mean time of a step in seconds, without the first ten steps.
"""

import sys
import time

import torch
import torchvision
from torch import nn


def tiny() -> tuple[nn.Module, torch.Tensor, torch.Tensor, int]:
    """Worst case: the layers are so small that a step mostly consists of Python code."""
    layers = (nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 6 * 6, 10))
    return nn.Sequential(*layers), torch.randn(32, 1, 14, 14), torch.randint(10, (32,)), 2000


def resnet18() -> tuple[nn.Module, torch.Tensor, torch.Tensor, int]:
    return torchvision.models.resnet18(num_classes=10), torch.randn(4, 3, 64, 64), torch.randint(10, (4,)), 200


def transformer() -> tuple[nn.Module, torch.Tensor, torch.Tensor, int]:
    layer = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
    model = nn.Sequential(nn.Embedding(100, 64), nn.TransformerEncoder(layer, 4), nn.Linear(64, 100))
    tokens = torch.randint(100, (8, 32))
    return nn.Sequential(model, nn.Flatten(0, 1)), tokens, tokens.flatten(), 600


MODELS = {function.__name__: function for function in (tiny, resnet18, transformer)}


def main(name: str) -> None:
    torch.manual_seed(0)
    model, inputs, targets, steps = MODELS[name]()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    started = 0.0
    for step in range(steps + 10):
        if step == 10:
            started = time.perf_counter()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    print((time.perf_counter() - started) / steps)


if __name__ == "__main__":
    main(sys.argv[1])
