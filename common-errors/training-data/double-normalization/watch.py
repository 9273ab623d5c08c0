"""Proof: 8-bit images arrive that were divided by 255 twice, or that were normalized before, three times.

Divided by 255 twice, images are multiples of 1/255² from 0 to 1/255. The detector checks the images that a model, or
`Normalize` of torchvision, gets. An image with negative values that `Normalize` gets was normalized with the same mean
and standard deviation before, if undoing that gives multiples of 1/255 from 0 to 1. The same is tried on the images
that a model gets, wherever they were normalized, with the usual statistics of MNIST, Fashion-MNIST, CIFAR-10, ImageNet
and 0.5. It reports nothing for other statistics, different means, float16, and images that were resized or augmented as
floats.
"""

from __future__ import annotations

import sys

import torch

from torch_errors.watching.detector import Detector, is_real

PIXEL, LOOKED_AT, FEWEST_LEVELS = 1 / 255, 4096, 24
TIMES, FIRST_LOOKS, MOST_LOOKS = 3, 32, 256
# Means and standard deviations of one or three channels that are in use, for images from 0 to 1.
USUAL = (
    ((0.1307,), (0.3081,)),
    ((0.2860,), (0.3530,)),
    ((0.5,), (0.5,)),
    ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
    ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
)


def normalize_classes():
    """The `Normalize` classes of torchvision that the program has imported."""
    modules = (sys.modules.get(f"torchvision.transforms.{name}") for name in ("transforms", "v2"))
    return tuple(module.Normalize for module in modules if hasattr(module, "Normalize"))


class Watch(Detector):
    saw = {
        "en": "images are scaled or normalized twice: {what}",
        "zh": "图像重复缩放或重复归一化：{what_zh}",
    }

    @property
    def inside(self):
        return normalize_classes()

    def __init__(self, run):
        super().__init__(run)
        self.looks = self.scaled = self.normalized = self.twice = 0

    def on_forward(self, module, inputs, output, depth):
        image = inputs[0] if inputs else None
        if not isinstance(image, torch.Tensor) or image.dim() < 3 or image.shape[-1] < 4 or not image.numel():
            return
        if type(image).__module__.startswith("torchvision."):
            image = image.as_subclass(torch.Tensor)
        if image.dtype not in (torch.float32, torch.float64) or not is_real(image):
            return
        self.looks += 1
        self.finished = self.looks > MOST_LOOKS
        normalizes = isinstance(module, normalize_classes())
        if self.looks > FIRST_LOOKS and not (normalizes or self.scaled):
            return
        step = max(1, image.shape[-1] * image.shape[-2] // LOOKED_AT)
        pixels = image.detach().reshape(-1, *image.shape[-3:])[:16].flatten(2)[..., ::step]
        self.scaled += is_lattice(pixels, PIXEL)
        if self.scaled >= TIMES:
            largest = pixels.max().item()
            self.find(
                "proof",
                what=f"all values are multiples of 1/255², the largest is {largest:.4f}: they were divided by 255 twice",
                what_zh=f"数值都是 1/255² 的整数倍，最大的只有 {largest:.4f}，说明除以了两次 255",
            )
        elif not normalizes and pixels.min() < -1.5:
            usual = (pair for pair in USUAL if len(pair[0]) in (1, pixels.shape[1]))
            pair = next((pair for pair in usual if is_lattice(undone(undone(pixels, *pair), *pair), 1)), None)
            self.twice += pair is not None
            if self.twice >= TIMES:
                what = (
                    f"with mean {pair[0][0]} and standard deviation {pair[1][0]}: undoing it twice gives 8-bit images"
                )
                what_zh = f"均值 {pair[0][0]}、标准差 {pair[1][0]}：还原两次才得到 8 位图像"
                self.find("proof", what=what, what_zh=what_zh)
        elif normalizes and pixels.min() < -0.2:
            self.normalized += is_lattice(undone(pixels, module.mean, module.std), 1)
            if self.normalized >= TIMES:
                lowest = pixels.min().item()
                self.find(
                    "proof",
                    what=f"`Normalize` is given images that it has normalized before, with values down to {lowest:.1f}",
                    what_zh=f"`Normalize` 收到的图像已用同样的均值和标准差归一化过，数值低至 {lowest:.1f}",
                )


def undone(pixels, mean, deviation):
    """Undo a normalization of pixels of shape (images, channels, positions)."""
    mean, deviation = (torch.as_tensor(values, dtype=torch.float64)[:, None] for values in (mean, deviation))
    return pixels.double().cpu() * deviation + mean


def is_lattice(pixels, largest):
    """Whether pixels are multiples of `largest` / 255 from 0 to `largest`, as in an 8-bit image."""
    most = pixels.max().item()
    if not largest / 4 < most < largest * 1.0001 or pixels.min().item() < -1e-4 * largest:
        return False
    levels = pixels.double() * (255 / largest)
    return (levels - levels.round()).abs().max().item() < 0.02 and len(levels.round().unique()) >= FEWEST_LEVELS
