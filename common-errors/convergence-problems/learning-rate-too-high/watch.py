"""Strong: the loss grows from step to step, to a thousand times the first one.

It has grown in at least six of eight steps. It is silent about a single jump, about losses that begin at 0 or below, and where
no optimizer steps.
"""

from __future__ import annotations

import math

import torch

from torch_errors.watching.detector import Detector

GROWN, STEPS = 1000, 8


class Watch(Detector):
    saw = {
        "en": "the loss has grown from {first:.3g} to {last:.3g}, in {steps} of the last {of} steps: lr={rate:g} is too high for this loss",
        "zh": "损失从 {first:.3g} 涨到了 {last:.3g}，最近 {of} 步里有 {steps} 步在上涨：lr={rate:g} 对这个损失来说太大",
    }

    def on_step(self, optimizer):
        losses = [one for one in self.run.losses if math.isfinite(one)][-STEPS - 1 :]
        first = self.run.first_loss
        if len(losses) <= STEPS or not first or first <= 0 or losses[-1] < GROWN * first:
            return
        rises = sum(b > a for a, b in zip(losses, losses[1:], strict=False))
        if rises >= STEPS - 2 and losses[-1] > 10 * losses[0]:
            rate = float(torch.as_tensor(optimizer.param_groups[0]["lr"]))
            self.find("strong", first=first, last=losses[-1], steps=rises, of=STEPS, rate=rate)
