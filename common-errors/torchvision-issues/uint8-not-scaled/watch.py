"""Proof: 8-bit images reach a layer, or `Normalize`, as floats from 0 to 255, three times.

All values that are checked are whole numbers from 0 to 255: at least 64 different ones, or 16 that include white and
two more light grays. The detector reads the input of the first layer with weights in training: a convolution over
images of 1, 3 or 4 channels, or a linear layer whose rows are such images, if they were flattened from images or their
largest value is 255. It also reads the input of torchvision's `Normalize`, if its standard deviations are below 1 and
it does not run in a worker of a DataLoader; there, three levels are enough. It reports nothing for models that scale
images themselves, in the weights of the first layer (whose outputs are then small) or by a normalization after it; for
tables of counts; and for images that were resized or augmented as floats.
"""

from __future__ import annotations

import math
import sys

import torch
from torch import nn

from torch_errors.watching.detector import Detector, is_real

LOOKED_AT, FEWEST_LEVELS, FEWEST_PIXELS = 4096, 64, 196
FEWEST_OF_LIGHT, FEWEST_LIGHT, LIGHT = 16, 2, 191  # with white: fewest levels, fewest light ones, light above
FEWEST_NORMALIZED = 3  # minimum number of levels for `Normalize`, as in a drawing
TIMES, MOST_CALLS = 3, 64
LARGE_OUTPUT = 10  # outputs are about 3 if the weights scale the images, dozens if the layer is untrained
CHANNELS = (1, 3, 4)
WITH_WEIGHTS = (nn.Linear, nn.modules.conv._ConvNd, nn.RNNBase, nn.Embedding)
NORMALIZING = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)


def normalize_classes():
    """The `Normalize` classes of torchvision that the program has imported."""
    modules = (sys.modules.get(f"torchvision.transforms.{name}") for name in ("transforms", "v2"))
    return tuple(module.Normalize for module in modules if hasattr(module, "Normalize"))


class Watch(Detector):
    saw = {
        "en": "{what} receives images of whole numbers up to {largest:.0f}: the 8-bit pixels were not divided by 255",
        "zh": "{what} 收到的图像是 0 到 {largest:.0f} 的整数：8 位像素没有除以 255",
    }

    def __init__(self, run):
        super().__init__(run)
        self.first = None  # (name, largest input) of the first layer in this outermost call, until a normalization
        self.ready = True  # whether that layer is still to come
        self.of_layers = self.of_normalize = self.calls = 0

    @property
    def inside(self):
        return *WITH_WEIGHTS, *NORMALIZING, *normalize_classes()

    def on_forward(self, module, inputs, output, depth):
        images = inputs[0] if inputs and isinstance(inputs[0], torch.Tensor) else None
        if isinstance(module, normalize_classes()):
            if all(0 < deviation < 1 for deviation in deviations(module)) and is_8_bit(images, FEWEST_NORMALIZED):
                self.of_normalize += 1
                self.report_if_repeated("Normalize", images.max().item(), self.of_normalize)
            return
        if self.ready and isinstance(module, (*WITH_WEIGHTS, *NORMALIZING)):
            self.ready = False
            trains = module.training and isinstance(module, WITH_WEIGHTS) and images is not None
            if trains and are_images(module, images) and is_8_bit(images) and is_large(output):
                self.first = type(module).__name__, images.max().item()
        elif self.first and isinstance(module, NORMALIZING):
            self.first = None
        elif self.first and isinstance(module, WITH_WEIGHTS):
            self.count()
        if depth == 0:
            self.count()
            self.calls += not self.ready  # transforms are also modules, called for each image
            self.ready = True
            self.finished = self.finished or self.calls > MOST_CALLS

    def count(self):
        if self.first:
            self.of_layers += 1
            self.report_if_repeated(*self.first, self.of_layers)
            self.first = None

    def report_if_repeated(self, receiver, largest, times):
        if times >= TIMES:
            self.find("proof", what=f"`{receiver}`", largest=largest)
            self.finished = True


def deviations(normalize):
    """The standard deviations of `Normalize`, which takes a number for all channels as well as a list."""
    return torch.as_tensor(normalize.std, dtype=torch.float64).flatten().tolist()


def are_images(layer, batch):
    if isinstance(layer, nn.Conv2d):
        return batch.dim() == 4 and batch.shape[1] in CHANNELS and batch.shape[-1] * batch.shape[-2] >= FEWEST_PIXELS
    sizes = [batch.shape[1] / channels for channels in CHANNELS] if batch.dim() == 2 else []
    square = any(size >= FEWEST_PIXELS and math.sqrt(size).is_integer() for size in sizes)
    return isinstance(layer, nn.Linear) and square and (is_flattened(batch) or batch.max().item() == 255)


def is_flattened(rows):
    """Whether rows are a view of images; copies of images, and tables, are not."""
    return rows._base is not None and rows._base.dim() > 2


def is_large(output):
    return isinstance(output, torch.Tensor) and output.detach().abs().max().item() > LARGE_OUTPUT


def is_8_bit(images, fewest=FEWEST_LEVELS):
    if images is not None and type(images).__module__.startswith("torchvision."):
        images = images.as_subclass(torch.Tensor)
    if images is None or not images.is_floating_point() or not is_real(images) or images.dim() < 2:
        return False
    values = images.detach().flatten()
    values = values[:: max(1, values.numel() // LOOKED_AT) | 1].float()
    if not len(values) or not 127 < values.max() < 255.5 or values.min() < 0:
        return False
    if not bool((values == values.round()).all()):
        return False
    levels = values.unique()
    # Drawings and small images have few levels, but white and light grays, which class ids rarely reach.
    light = levels[-1] == 255 and int((levels > LIGHT).sum()) > FEWEST_LIGHT
    return len(levels) >= (min(fewest, FEWEST_OF_LIGHT) if light else fewest)
