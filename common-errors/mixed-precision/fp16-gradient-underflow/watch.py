"""Strong: from the first steps on, half of a parameter's gradient is 0, the rest a few times float16's smallest number.

The detector reads the gradients of the first 16 steps before they are used. In 6 of them, at least half of the numbers
are 0 and the others are multiples of 2**-24, up to 32 times that: they were rounded in float16, where smaller ones
became 0. It reports nothing for gradients that a GradScaler or clipping has rescaled, weights in float16, a gradient
that is 0 throughout, and later steps, when the training run may have converged.
"""

from __future__ import annotations

from collections import Counter

import torch

from torch_errors.watching.detector import Detector, is_real

STEPS, ENOUGH, SMALLEST, MOST, ZERO, FEWEST = 16, 6, 2.0**-24, 32, 0.5, 32
FIRST = 256  # as many numbers of a gradient are read first; most gradients are not like this already there


class Watch(Detector):
    saw = {
        "en": "{zero:.0%} of the gradient of a parameter of shape {shape} is 0, and the rest are multiples of float16's smallest number, up to {largest:.0e}: smaller gradients became 0; scale the loss with a GradScaler",
        "zh": "形状为 {shape} 的参数，梯度有 {zero:.0%} 是 0，其余都是 float16 最小值的整数倍，最大只有 {largest:.0e}：更小的梯度已经下溢成 0；请用 GradScaler 放大 loss",
    }

    def __init__(self, run):
        super().__init__(run)
        self.times = Counter()  # id of a parameter -> number of steps with such a gradient

    def on_step(self, optimizer):
        if self.run.steps >= STEPS:
            self.finished = True
            return
        for parameter in (p for group in optimizer.param_groups for p in group["params"]):
            grad = parameter.grad
            if grad is None or not is_real(grad) or grad.layout != torch.strided or grad.numel() < FEWEST:
                continue
            if grad.dtype == torch.float16:  # the weight is in float16, which a GradScaler refuses
                continue
            if not all_rounded(grad.detach().flatten()[:FIRST].double() / SMALLEST):
                continue
            units = grad.detach().double() / SMALLEST
            largest = float(units.abs().max())
            if largest < 1 or not all_rounded(units):
                continue
            zero = float((units == 0).double().mean())
            self.times[id(parameter)] += zero >= ZERO
            if self.times[id(parameter)] >= ENOUGH:
                self.find("strong", shape=tuple(grad.shape), zero=zero, largest=largest * SMALLEST)
                self.finished = True
                return


def all_rounded(units):
    """Whether all numbers are whole and at most MOST."""
    return bool(((units == units.round()) & (units.abs() <= MOST)).all())
