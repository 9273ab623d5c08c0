"""Strong: after steps of ordinary size, the loss of one batch is a thousand times the usual, and training does not recover.

It is silent where the loss returns to a tenth of that within 16 steps, where it grew little by little, and in the first eight
steps.
"""

from __future__ import annotations

import math
import statistics

from torch_errors.watching.detector import Detector

ORDINARY, JUMP, PATIENCE = 8, 1000, 16


class Watch(Detector):
    saw = {
        "en": "at step {step} the loss jumped from {usual:.3g} to {jump:.3g} within one batch, and it has not come back: one large gradient has ruined the weights",
        "zh": "第 {step} 步，一个批次的损失从 {usual:.3g} 跳到了 {jump:.3g}，此后没有恢复：一个过大的梯度毁掉了权重",
    }

    def __init__(self, run):
        super().__init__(run)
        self.jump = None  # (step, the usual loss, that of the batch, passes since)

    def on_backward(self, loss, value):
        if value is None or self.run.found(self.id):
            return
        if self.jump is None:
            if not abs(value) > 10 * abs(self.run.losses[-2] if len(self.run.losses) > 1 else math.inf):
                return
            before = [abs(one) for one in self.run.losses[:-1]]
            usual = statistics.median(before) if len(before) >= ORDINARY else math.nan
            if JUMP * usual < abs(value) < math.inf and max(before[-ORDINARY:]) < JUMP / 10 * usual:
                self.jump = (self.run.steps, usual, abs(value), 0)
            return
        step, usual, jump, passes = self.jump
        if abs(value) < JUMP / 10 * usual:
            self.jump = None
            return
        self.jump = (step, usual, jump, passes + 1)
        if not math.isfinite(value) or passes + 1 >= PATIENCE:
            self.find("strong", step=step, usual=usual, jump=jump)
