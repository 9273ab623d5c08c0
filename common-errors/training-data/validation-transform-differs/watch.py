"""Proof: a model is validated on images that are scaled differently from those that it is trained on.

8-bit images keep their levels when they are scaled: the values of a channel are whole numbers of steps apart, of 1/255
after `ToTensor`, of 1/255/std after `Normalize`. The detector compares the step of a model's inputs in training and in
validation (the output has no gradient, or the model is in evaluation mode). It reports a step that all training batches
share if three validation batches have a different one, each by more than 2%. One of the two must be scaled in a usual
way, to 0 to 255, 0 to 1, or -1 to 1, and the other in a way that no change of brightness produces: other steps come
from contrast that is changed on purpose, or from scans that are each divided by their own standard deviation. It
reports nothing if one validation batch has the training step, for images that were resized or augmented as floats or
have fewer levels, if both have a `Normalize` with different numbers, and if only the mean or random transforms differ.
"""

from __future__ import annotations

import weakref
from typing import NamedTuple

import torch

from torch_errors.watching.detector import Detector, is_real, tensors

LOOKED_AT, FEWEST_LEVELS, SMALLEST = 8192, 40, 8
CHANNELS = (1, 3, 4)
BATCHES, MOST_LOOKS = 3, 32
RANGES = ((0, 255), (0, 1), (-1, 1))  # value ranges of 8-bit images that no dataset's mean and std normalize


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "one of 256 levels of gray is {training:.3g} in the training images, and {validation:.3g} in {count} validation batches: `Normalize` or a division by 255 is missing in one of them, or differs",
        "zh": "图像的一个灰度级（共 256 级）在训练里是 {training:.3g}，在验证的 {count} 个批次里是 {validation:.3g}：两边的 `Normalize` 或除以 255 不一致",
    }

    def __init__(self, run):
        super().__init__(run)
        self.steps = weakref.WeakKeyDictionary()  # model -> steps of its inputs in training and in validation
        self.looks = 0

    def on_forward(self, module, inputs, output, depth):
        images = inputs[0] if depth == 0 and inputs else None
        if not isinstance(images, torch.Tensor) or not is_real(images) or images.dim() != 4 or images.requires_grad:
            return
        if images.dtype not in (torch.float32, torch.float64) or images.shape[1] not in CHANNELS:
            return
        if min(images.shape[2:]) < SMALLEST or next(module.parameters(), None) is None:
            return
        result = next(tensors(output), None)
        validation = not module.training or (result is not None and not result.requires_grad)
        training, validated = self.steps.setdefault(module, ([], []))
        steps = validated if validation else training
        if len(steps) >= 2 * BATCHES:
            return
        self.looks += 1
        self.finished = self.looks > MOST_LOOKS
        step = step_of(images)
        if step is None:
            return
        steps.append(step)
        if len(training) < BATCHES or len(validated) < BATCHES:
            return
        first, last = training[0], validated[-1]
        same_scale = all(0.98 < step.size / first.size < 1.02 for step in training)
        differs = all(
            not 0.98 < step.size / first.size < 1.02 and 0.6 < step.count / first.count < 1.6 for step in validated
        )
        if same_scale and differs and is_unlike(*sorted((first, last))):
            self.find("proof", training=first.size, validation=last.size, count=len(validated))
            self.finished = True


class Step(NamedTuple):
    size: float  # difference between two levels
    count: int  # number of steps from the lowest to the highest level
    low: float  # lowest level
    usual: bool  # whether the images have one of the usual RANGES


def is_unlike(small, large):
    """Whether two steps differ by their preprocessing, not by the brightness or contrast of the images."""
    if large.usual and large.size > 0.5:
        return small.size < 0.1
    return small.usual and large.size / small.size > 1.9 and large.low < 0


def step_of(images):
    """The step between levels in the first channel of 8-bit images, or None if there is none."""
    values = images.detach()[:16, 0].flatten()
    levels = values[:: max(1, len(values) // LOOKED_AT) | 1].double().unique()
    if len(levels) < FEWEST_LEVELS or not bool(levels.isfinite().all()):
        return None
    low, high, gap = levels[0].item(), levels[-1].item(), levels.diff().min().item()
    count = round((high - low) / gap)
    if not len(levels) - 1 <= count <= min(255, 2 * len(levels)):
        return None
    step = (high - low) / count
    if ((levels - low) / step - ((levels - low) / step).round()).abs().max().item() >= 0.05:
        return None
    usual = any(
        lowest - step <= low and high <= 1.01 * top and abs(255 * step / (top - lowest) - 1) < 0.01
        for lowest, top in RANGES
    )
    return Step(step, count, low, usual)
