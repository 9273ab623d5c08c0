"""Strong, reported at the end: in at least 100 steps, no weight has changed by more than 5%, and the loss is stuck.

The detector compares some values of the first and last weights of an optimizer with their values before its first step.
It does not report if the loss has fallen by 10%, or if a different fault was found.
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
        self.before = weakref.WeakKeyDictionary()  # optimizer -> values of some weights before its first step
        self.moved = {}  # id of an optimizer -> [steps, largest relative change, highest learning rate]
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
        record = self.moved[id(optimizer)]
        record[0] += 1
        if record[0] < STEPS or record[0] % 16 == 0:
            record[2] = max(record[2], *(float(g["lr"]) for g in optimizer.param_groups))
        if record[0] >= STEPS and (record[0] == STEPS or record[0] % 64 == 0):
            changes = [
                float((p.detach().flatten()[:COMPARED] - old).norm() / old.norm().clamp(min=1e-30))
                for ref, old in self.before[optimizer]
                if (p := ref()) is not None
            ]
            record[1] = max(changes, default=math.inf)

    def on_end(self):
        records = list(self.moved.values())
        last = [loss for loss in self.run.losses[-10:] if math.isfinite(loss)]
        if self.run.findings or not records or not self.first or not last:
            return
        first, now = sum(self.first) / len(self.first), sum(last) / len(last)
        steps, moved, rate = max(records, key=lambda record: record[1])
        if steps >= STEPS and moved < MOVED and first - now < FALLEN * abs(first) and math.isfinite(first):
            self.find("strong", steps=steps, rate=rate, moved=moved, first=first, last=now)
