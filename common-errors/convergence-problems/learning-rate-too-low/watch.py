"""Strong, said at the end: in at least a hundred steps no weight has moved by more than a twentieth, and the loss stayed.

It compares some numbers of the first and last weights of an optimizer with what they were before its first step. It is silent
where the loss has fallen by a tenth, and where another cause was found.
"""

from __future__ import annotations

import math
import weakref

from torch_errors.watching.detector import Detector

STEPS, MOVED, FALLEN, COMPARED = 100, 0.05, 0.1, 256


class Watch(Detector):
    saw = {
        "en": "in {steps} steps with lr={rate:g} the weights have moved by {moved:.2%} at most, and the loss went from {first:.4g} to {last:.4g}",
        "zh": "lr={rate:g} 下走了 {steps} 步，权重最多只动了 {moved:.2%}，损失从 {first:.4g} 变为 {last:.4g}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.before = weakref.WeakKeyDictionary()  # optimizer -> numbers of some weights before its first step
        self.moved = {}  # id of an optimizer -> [steps, largest relative change, highest rate]
        self.first: list[float] = []

    def on_backward(self, loss, value):
        if value is not None and len(self.first) < 10:
            self.first.append(value)

    def on_step(self, optimizer):
        if optimizer not in self.before:
            weights = [p for g in optimizer.param_groups for p in g["params"] if p.dim() > 1 and p.grad is not None]
            chosen = weights[:1] + weights[-1:]
            self.before[optimizer] = [(weakref.ref(p), p.detach().flatten()[:COMPARED].clone()) for p in chosen]
            self.moved[id(optimizer)] = [0, 0.0, 0.0]

    def on_stepped(self, optimizer):
        told = self.moved[id(optimizer)]
        told[0] += 1
        if told[0] < STEPS or told[0] % 16 == 0:
            told[2] = max(told[2], *(float(g["lr"]) for g in optimizer.param_groups))
        if told[0] >= STEPS and (told[0] == STEPS or told[0] % 64 == 0):
            changes = [
                float((p.detach().flatten()[:COMPARED] - old).norm() / old.norm().clamp(min=1e-30))
                for ref, old in self.before[optimizer]
                if (p := ref()) is not None
            ]
            told[1] = max(changes, default=math.inf)

    def on_end(self):
        told = list(self.moved.values())
        last = [one for one in self.run.losses[-10:] if math.isfinite(one)]
        if self.run.findings or not told or not self.first or not last:
            return
        first, now = sum(self.first) / len(self.first), sum(last) / len(last)
        steps, moved, rate = max(told, key=lambda one: one[1])
        if steps >= STEPS and moved < MOVED and first - now < FALLEN * abs(first) and math.isfinite(first):
            self.find("strong", steps=steps, rate=rate, moved=moved, first=first, last=now)
