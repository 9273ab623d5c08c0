"""Strong: a batch's loss is a thousand times the usual loss, a step there changes the weights a lot, and it stays high.

The step is the one before that batch or its own. It changes the first or last matrix of an optimizer, which has made at
least eight steps, by more than 10%. The detector does not report if the loss returns to a tenth of the jump within 16
backward passes, if it grew little by little, or if the data or the model changed and not the weights.
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
        "zh": "第 {step} 步，一个 batch 的 loss 从 {usual:.3g} 跳到了 {jump:.3g}，此后没有恢复：一个过大的梯度毁掉了权重",
    }

    def __init__(self, run):
        super().__init__(run)
        self.jump = None  # (step, usual loss, loss of the batch, passes since, change of the weights)
        # optimizer -> its first and last matrix, their values now, their values before the latest step
        self.weights = weakref.WeakKeyDictionary()
        self.latest = []  # the matrices of the latest step
        self.steps = weakref.WeakKeyDictionary()  # optimizer -> its steps

    def on_backward(self, loss, value):
        if value is None or self.run.found(self.id):
            return
        if self.jump is None:
            if not abs(value) > 10 * abs(self.run.losses[-2] if len(self.run.losses) > 1 else math.inf):
                return
            before = [abs(loss) for loss in self.run.losses[:-1]]
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
        looked_at, now, before = self.weights.get(optimizer, ((), (), ()))
        if not looked_at or any(weight.is_elsewhere() for weight in looked_at):
            looked_at = [Weight(p) for p in matrices(optimizer)]
            now, before = [weight.numbers for weight in looked_at], [weight.before for weight in looked_at]
            self.weights[optimizer] = looked_at, now, before
        self.latest = looked_at
        if looked_at:
            torch._foreach_copy_(before, now)

    def on_stepped(self, optimizer):
        for weight in self.latest:
            weight.version = weight.numbers._version
        self.steps[optimizer] = self.steps.get(optimizer, 0) + 1
        if self.jump and self.steps[optimizer] <= ORDINARY:
            self.jump = None  # a new training run has started

    def moved(self):
        """Return the largest change of a weight in the latest step, as a share of its norm."""
        weights = [w for w in self.latest if w.numbers._version == w.version and w.before.norm() > 0]
        changes = (float((w.numbers - w.before).norm() / w.before.norm()) for w in weights)
        return max((change if math.isfinite(change) else math.inf for change in changes), default=0.0)


class Weight:
    """Some values of a weight matrix, now and before the latest step."""

    def __init__(self, weight):
        self.weight, self.place = weakref.ref(weight), weight.data_ptr()
        self.numbers = weight.detach().as_strided((min(weight.numel(), LOOKED_AT),), (1,))  # a view
        self.before = torch.empty_like(self.numbers)
        self.version = -1  # version of the values after the latest step

    def is_elsewhere(self):
        """Whether the weight was deleted or its values are stored in a different place now."""
        weight = self.weight()
        return weight is None or weight.data_ptr() != self.place


def matrices(optimizer):
    """Return the first and the last weight matrix of an optimizer."""
    weights = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
    dense = [p for p in weights if p.dim() > 1 and is_real(p) and p.layout == torch.strided and is_dense(p)]
    return {id(p): p for p in (*dense[:1], *dense[-1:])}.values()


def is_dense(weight):
    """Whether each value of the weight has its own place in storage."""
    return weight.untyped_storage().nbytes() >= (weight.storage_offset() + weight.numel()) * weight.element_size()
