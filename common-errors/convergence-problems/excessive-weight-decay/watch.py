"""Strong: an optimizer with weight decay has shrunk all its layers to 2% of their norms, and the loss has not fallen.

With a decay of 0.05 or more, shrinking to 20% suffices if the loss has fallen by less than 1%. The detector measures
the norm of each decayed matrix before the first step and after every 64 steps. Useful layers do not vanish together, so
the decay outweighs the gradient of the loss. With a usual decay this takes thousands of steps, unless Adam gets no
gradient except the decay, as behind a dead layer. It does not report if the loss has fallen by 10%, if the values of
the matrices start below 0.001, or if a different fault was found.
"""

from __future__ import annotations

import math
import weakref

from torch_errors.watching.detector import Detector

EVERY, SHRUNK, FALLEN, SMALLEST, RECENT = 64, 0.02, 0.1, 1e-3, 16
LARGE, SHRUNK_BY_LARGE, FALLEN_BY_LARGE = 0.05, 0.2, 0.01  # for a decay that is far above the usual values


class Watch(Detector):
    needs = "course"
    saw = {
        "en": "with weight_decay={decay:g} each layer has shrunk to {share:.1%} of its norm or less in {steps} steps, and the loss went from {first:.4g} to {last:.4g}",
        "zh": "以 weight_decay={decay:g} 训练了 {steps} 步，各层权重的范数都只剩不到 {share:.1%}，loss 从 {first:.4g} 变为 {last:.4g}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.before = weakref.WeakKeyDictionary()  # optimizer -> [its steps, its decayed matrices with norms and decay]
        self.first = []  # losses of the first backward passes

    def on_backward(self, loss, value):
        if value is not None and len(self.first) < RECENT:
            self.first.append(value)

    def on_step(self, optimizer):
        if optimizer not in self.before:
            self.before[optimizer] = [0, list(matrices(optimizer))]

    def on_stepped(self, optimizer):
        progress = self.before.get(optimizer)
        if progress is None or not progress[1]:
            return
        progress[0] += 1
        steps, weights = progress
        if steps % EVERY or self.run.findings:
            return
        shares = [(norm_of(p) / norm, decay) for ref, norm, decay in weights if (p := ref()) is not None]
        share, decay = max(shares, default=(1.0, 0.0))
        losses = [loss for loss in self.run.losses[-RECENT:] if math.isfinite(loss)]
        large = decay >= LARGE
        if share < (SHRUNK_BY_LARGE if large else SHRUNK) and losses and self.first and math.isfinite(sum(self.first)):
            first, last = sum(self.first) / len(self.first), sum(losses) / len(losses)
            if first - last < (FALLEN if share < SHRUNK else FALLEN_BY_LARGE) * abs(first):
                self.find("strong", decay=decay, share=share, steps=steps, first=first, last=last)
                self.finished = True


def matrices(optimizer):
    """Yield the decayed weight matrices, each with its norm and decay."""
    for group in optimizer.param_groups:
        decay = float(group.get("weight_decay", 0) or 0)
        for p in group["params"] if decay > 0 else ():
            if p.dim() > 1 and p.grad is not None and p.is_floating_point():
                norm = norm_of(p)
                if math.isfinite(norm) and norm > SMALLEST * p.numel() ** 0.5:
                    yield weakref.ref(p), norm, decay


def norm_of(p):
    return float(p.detach().norm())
