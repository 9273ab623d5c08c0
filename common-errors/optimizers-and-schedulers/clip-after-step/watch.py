"""Proof: gradients are clipped after an optimizer has used them, in three steps in a row.

No backward pass has run since the step, and the gradients are the tensors that the step used, or are gone: the program
clips after `step()`, or before `backward()`. The detector reports nothing for an infinite limit, which only measures
the norm; for gradients that the program assigns itself; if one of several optimizers has yet to step; and if gradients
are also clipped in time.

In a program without an optimizer, which changes the weights itself, some values of the clipped weights show it: they
have changed since the backward pass.
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
        self.used = {}  # id of a parameter -> gradient that a step has used since the last backward pass, its version
        self.late = 0  # clippings in a row that came too late
        self.clips = False  # whether the program clips gradients
        self.before = []  # without an optimizer: clipped weights and their first values after the backward pass

    def on_backward_done(self, loss):
        self.used.clear()
        self.before = [(ref, first_values(p)) for ref, _ in self.before if (p := ref()) is not None]
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
        if self.run.optimizers:
            self.late = self.late + 1 if all(map(self.is_used, trained)) else 0
        else:
            moved = [first_values(p) != values for ref, values in self.before if (p := ref()) is not None]
            self.late = self.late + 1 if moved and all(moved) else 0
            self.finished = self.run.backwards > GIVEN_UP
            self.before = [(weakref.ref(p), first_values(p)) for p in trained[:1] + trained[-1:]]
        if self.late >= IN_A_ROW:
            self.find("proof", limit=float(limit), times=self.late)
            self.finished = True

    def is_used(self, parameter):
        """Whether a step has used a parameter's gradient, which is now unchanged, zero or gone."""
        entry, grad = self.used.get(id(parameter)), parameter.grad
        if entry is None or grad is None:
            return entry is not None
        used, version = entry
        return used() is grad and (grad._version == version or not grad.any())


def first_values(parameter):
    return parameter.detach().flatten()[:8].tolist()
