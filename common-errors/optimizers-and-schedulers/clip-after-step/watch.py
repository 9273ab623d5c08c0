"""Proof: gradients are clipped that an optimizer has used already, in three steps in a row.

No backward pass came between the step and the clipping: it stands behind `step()`, or before `backward()`. A limit of
infinity, which only measures the norm, is no clipping. It is silent where one of several optimizers has yet to make its
step, and where gradients are clipped in time, too.
"""

from __future__ import annotations

import math

from torch_errors.watching.detector import Detector

IN_A_ROW, GIVEN_UP = 3, 256


class Watch(Detector):
    saw = {
        "en": "gradients are clipped to {limit:g} after `step()` has used them, {times} times: clip between `backward()` and `step()`",
        "zh": "梯度在 `step()` 用过之后才裁剪到 {limit:g}，已有 {times} 次：应当在 `backward()` 与 `step()` 之间裁剪",
    }

    def __init__(self, run):
        super().__init__(run)
        self.used = set()  # ids of parameters whose gradients a step has used since the last backward pass
        self.late = 0

    def on_backward_done(self, loss):
        self.used.clear()
        self.finished = self.run.steps > GIVEN_UP

    def on_step(self, optimizer):
        self.used |= {id(p) for group in optimizer.param_groups for p in group["params"] if p.requires_grad}

    def on_clip(self, parameters, limit):
        if not math.isfinite(limit) or not parameters:
            return
        late = all(id(p) in self.used for p in parameters if p.requires_grad)
        self.late = self.late + 1 if late else 0
        if self.late >= IN_A_ROW:
            self.find("proof", limit=limit, times=self.late)
            self.finished = True
