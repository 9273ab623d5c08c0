"""Proof: images of 8 bits reach a layer, or `Normalize`, as floats from 0 to 255, three times.

All values that it looks at are whole numbers from 0 to 255, at least 64 different ones, or 16 with white and two more light
grays among them. It looks at what the first layer with weights is given in training: a convolution with images of 1, 3 or 4
channels, or a linear layer with such an image as a row, of which an image was flattened or of which the largest value is
255. It also looks at what `Normalize` of torchvision is given, if its deviations are below 1 and it is not called by a
worker of a DataLoader; there, three levels are enough. It is silent about models that scale images themselves, be it in the weights of the first layer, whose outputs are then small; where a normalization follows the
first layer; about tables of counts; and about images that were resized or augmented as floats.
"""

from __future__ import annotations

import math
import sys

import torch
from torch import nn

from torch_errors.watching.detector import Detector, is_real

LOOKED_AT, FEWEST_LEVELS, FEWEST_PIXELS = 4096, 64, 196
FEWEST_OF_LIGHT, FEWEST_LIGHT, LIGHT = 16, 2, 191  # levels of images with white in them, and how many are light
FEWEST_NORMALIZED = 3  # levels of what is given to `Normalize`, as in a drawing
TIMES, MOST_CALLS = 3, 64
LARGE_OUTPUT = 10  # a layer that scales by its weights gives about 3, an untrained one dozens
CHANNELS = (1, 3, 4)
WITH_WEIGHTS = (nn.Linear, nn.modules.conv._ConvNd, nn.RNNBase, nn.Embedding)
NORMALIZING = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)


def transforms():
    """The classes of `Normalize`, once the program has imported them."""
    modules = (sys.modules.get(f"torchvision.transforms.{name}") for name in ("transforms", "v2"))
    return tuple(module.Normalize for module in modules if hasattr(module, "Normalize"))


class Watch(Detector):
    saw = {
        "en": "{what} is given images of whole numbers up to {largest:.0f}: nothing has divided the 8-bit pixels by 255",
        "zh": "{what} 收到的图像是 0 到 {largest:.0f} 的整数：8 位像素没有除以 255",
    }

    def __init__(self, run):
        super().__init__(run)
        self.first = None  # what the first layer of this outermost call is given, until a normalization follows
        self.ready = True  # that layer is still to come
        self.of_layers = self.of_normalize = self.calls = 0

    @property
    def inside(self):
        return *WITH_WEIGHTS, *NORMALIZING, *transforms()

    def on_forward(self, module, inputs, output, depth):
        given = inputs[0] if inputs and isinstance(inputs[0], torch.Tensor) else None
        if isinstance(module, transforms()):
            if all(0 < float(deviation) < 1 for deviation in module.std) and is_8_bit(given, FEWEST_NORMALIZED):
                self.of_normalize += 1
                self.tell("Normalize", given.max().item(), self.of_normalize)
            return
        if self.ready and isinstance(module, (*WITH_WEIGHTS, *NORMALIZING)):
            self.ready = False
            trains = module.training and isinstance(module, WITH_WEIGHTS) and given is not None
            if trains and are_images(module, given) and is_8_bit(given) and is_large(output):
                self.first = type(module).__name__, given.max().item()
        elif self.first and isinstance(module, NORMALIZING):
            self.first = None
        elif self.first and isinstance(module, WITH_WEIGHTS):
            self.count()
        if depth == 0:
            self.count()
            self.calls += not self.ready  # transforms are modules, too: one call for each image
            self.ready = True
            self.finished = self.finished or self.calls > MOST_CALLS

    def count(self):
        if self.first:
            self.of_layers += 1
            self.tell(*self.first, self.of_layers)
            self.first = None

    def tell(self, what, largest, times):
        if times >= TIMES:
            self.find("proof", what=f"`{what}`", largest=largest)
            self.finished = True


def are_images(layer, given):
    if isinstance(layer, nn.Conv2d):
        return given.dim() == 4 and given.shape[1] in CHANNELS and given.shape[-1] * given.shape[-2] >= FEWEST_PIXELS
    sizes = [given.shape[1] / channels for channels in CHANNELS] if given.dim() == 2 else []
    square = any(size >= FEWEST_PIXELS and math.sqrt(size).is_integer() for size in sizes)
    return isinstance(layer, nn.Linear) and square and (is_flattened(given) or given.max().item() == 255)


def is_flattened(rows):
    """Whether rows are a view of images; a copy of them, and a table, are not."""
    return rows._base is not None and rows._base.dim() > 2


def is_large(output):
    return isinstance(output, torch.Tensor) and output.detach().abs().max().item() > LARGE_OUTPUT


def is_8_bit(given, fewest=FEWEST_LEVELS):
    if given is not None and type(given).__module__.startswith("torchvision."):
        given = given.as_subclass(torch.Tensor)
    if given is None or not given.is_floating_point() or not is_real(given) or given.dim() < 2:
        return False
    some = given.detach().flatten()
    some = some[:: max(1, some.numel() // LOOKED_AT) | 1].float()
    if not len(some) or not 127 < some.max() < 255.5 or some.min() < 0:
        return False
    if not bool((some == some.round()).all()):
        return False
    levels = some.unique()
    # Drawings and small images: white, and other light grays, which ids of classes are too few to reach.
    light = levels[-1] == 255 and int((levels > LIGHT).sum()) > FEWEST_LIGHT
    return len(levels) >= (min(fewest, FEWEST_OF_LIGHT) if light else fewest)
