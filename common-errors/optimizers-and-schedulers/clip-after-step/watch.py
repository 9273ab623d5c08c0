"""Proof: gradients are clipped that an optimizer has used already, in three steps in a row.

Since the step no backward pass came, and the gradients are the tensors that it has used, or there are none: the clipping
stands behind `step()`, or before `backward()`. It is silent about a limit of infinity, which only measures the norm; about
gradients that the program assigns itself; where one of several optimizers has yet to make its step; and where gradients
are clipped in time, too.
"""

from __future__ import annotations

import math
import weakref

from torch_errors.watching.detector import Detector

IN_A_ROW, GIVEN_UP = 3, 256


class Watch(Detector):
    saw = {
        "en": "gradients are clipped to {limit:g} after `step()` has used them, {times} times: clip between `backward()` and `step()`",
        "zh": "梯度在 `step()` 用过之后才裁剪到 {limit:g}，已有 {times} 次：应当在 `backward()` 与 `step()` 之间裁剪",
    }

    def __init__(self, run):
        super().__init__(run)
        self.used = {}  # id of a parameter -> its gradient in the step since the last backward pass, and the version of that
        self.late = 0
        self.clips = False  # the program clips gradients

    def on_backward_done(self, loss):
        self.used.clear()
        self.finished = self.run.steps > GIVEN_UP

    def on_stepped(self, optimizer):
        if not self.clips:
            return
        for parameter in (p for group in optimizer.param_groups for p in group["params"]):
            if (grad := parameter.grad) is not None:
                self.used[id(parameter)] = weakref.ref(grad), grad._version

    def on_clip(self, parameters, limit):
        self.clips = True
        trained = [p for p in parameters if p.requires_grad]
        if not trained or not math.isfinite(limit):
            return
        self.late = self.late + 1 if all(map(self.is_used, trained)) else 0
        if self.late >= IN_A_ROW:
            self.find("proof", limit=float(limit), times=self.late)
            self.finished = True

    def is_used(self, parameter):
        """Whether a step has used the gradient of a parameter, which is as it was, cleared or gone."""
        known, grad = self.used.get(id(parameter)), parameter.grad
        if known is None or grad is None:
            return known is not None
        used, version = known
        return used() is grad and (grad._version == version or not grad.any())
