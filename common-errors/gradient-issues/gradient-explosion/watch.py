"""Strong: a batch's loss is a thousand times the usual, a step there changes the weights by far, and training does not recover.

The step is the one before that batch or its own; it changes the first or the last matrix of an optimizer, which has made at
least eight steps, by more than a tenth. It is silent where the loss returns to a tenth of that within 16 steps, where it
grew little by little, and where the data or the model changed and not the weights.
"""

from __future__ import annotations

import math
import statistics
import weakref

import torch

from torch_errors.watching.detector import Detector, is_real

ORDINARY, JUMP, PATIENCE = 8, 1000, 16
MOVED, LOOKED_AT = 0.1, 1000


class Watch(Detector):
    saw = {
        "en": "at step {step} the loss jumped from {usual:.3g} to {jump:.3g} within one batch, and it has not come back: one large gradient has ruined the weights",
        "zh": "第 {step} 步，一个批次的损失从 {usual:.3g} 跳到了 {jump:.3g}，此后没有恢复：一个过大的梯度毁掉了权重",
    }

    def __init__(self, run):
        super().__init__(run)
        self.jump = None  # (step, the usual loss, that of the batch, passes since, change of the weights)
        self.before, self.after = [], []  # some numbers of two weights, around the latest step
        self.steps = weakref.WeakKeyDictionary()  # of each optimizer

    def on_backward(self, loss, value):
        if value is None or self.run.found(self.id):
            return
        if self.jump is None:
            if not abs(value) > 10 * abs(self.run.losses[-2] if len(self.run.losses) > 1 else math.inf):
                return
            before = [abs(one) for one in self.run.losses[:-1]]
            usual = statistics.median(before) if len(before) >= ORDINARY else math.nan
            if JUMP * usual < abs(value) < math.inf and max(before[-ORDINARY:]) < JUMP / 10 * usual:
                self.jump = (self.run.steps, usual, abs(value), 0, self.moved())
            return
        step, usual, jump, passes, moved = self.jump
        if abs(value) < JUMP / 10 * usual:
            self.jump = None
            return
        moved = moved if passes else max(moved, self.moved())
        self.jump = (step, usual, jump, passes + 1, moved)
        if moved > MOVED and (not math.isfinite(value) or passes + 1 >= PATIENCE):
            self.find("strong", step=step, usual=usual, jump=jump)

    def on_step(self, optimizer):
        self.before = parts(optimizer)

    def on_stepped(self, optimizer):
        self.after = parts(optimizer)
        self.steps[optimizer] = self.steps.get(optimizer, 0) + 1
        if self.jump and self.steps[optimizer] <= ORDINARY:
            self.jump = None  # another training has begun

    def moved(self):
        """By how much the latest step changed the weights, as a share of their norms."""
        pairs = zip(self.before, self.after, strict=False)
        changes = (float((new - old).norm() / old.norm()) for old, new in pairs if old.norm() > 0)
        return max((change if math.isfinite(change) else math.inf for change in changes), default=0.0)


def parts(optimizer):
    """Some numbers of the first and the last weight matrix of an optimizer."""
    weights = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
    matrices = [p for p in weights if p.dim() > 1 and is_real(p)]
    return [p.detach().flatten()[:LOOKED_AT].clone() for p in (*matrices[:1], *matrices[-1:])]
