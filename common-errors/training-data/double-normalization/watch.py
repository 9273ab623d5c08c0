"""Proof: 8-bit images arrive that were divided by 255 twice, or that were normalized before, three times.

Divided by 255 twice, images are multiples of 1/255² from 0 to 1/255. The detector checks the images that a model, or
`Normalize` of torchvision, gets. An image with negative values that `Normalize` gets was normalized with the same mean
and standard deviation before, if undoing that gives multiples of 1/255 from 0 to 1. It reports nothing for
`functional.normalize`, `Normalize` in workers of a DataLoader, different means, float16, and images that were resized
or augmented as floats.
"""

from __future__ import annotations

import sys

import torch

from torch_errors.watching.detector import Detector, is_real

PIXEL, LOOKED_AT, FEWEST_LEVELS = 1 / 255, 4096, 24
TIMES, FIRST_LOOKS, MOST_LOOKS = 3, 32, 256


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
        self.looks = self.scaled = self.normalized = 0

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
                what_zh=f"数值都是 1/255² 的整数倍，最大的只有 {largest:.4f}，说明除了两次 255",
            )
        elif normalizes and pixels.min() < -0.2:
            mean, deviation = (
                torch.as_tensor(values, dtype=torch.float64)[:, None] for values in (module.mean, module.std)
            )
            undone = pixels.double().cpu() * deviation + mean
            self.normalized += is_lattice(undone, 1)
            if self.normalized >= TIMES:
                lowest = pixels.min().item()
                self.find(
                    "proof",
                    what=f"`Normalize` is given images that it has normalized before, with values down to {lowest:.1f}",
                    what_zh=f"`Normalize` 收到的图像已用同样的均值和标准差归一化过，数值低至 {lowest:.1f}",
                )


def is_lattice(pixels, largest):
    """Whether pixels are multiples of `largest` / 255 from 0 to `largest`, as in an 8-bit image."""
    most = pixels.max().item()
    if not largest / 4 < most < largest * 1.0001 or pixels.min().item() < -1e-4 * largest:
        return False
    levels = pixels.double() * (255 / largest)
    return (levels - levels.round()).abs().max().item() < 0.02 and len(levels.round().unique()) >= FEWEST_LEVELS
