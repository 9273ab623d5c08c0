"""Strong: the loss is a sum over many samples, used with plain SGD, and the first steps make it several times larger.

The graph shows the sum: a loss with `reduction="sum"`, or a `.sum()` of squares, absolute values or losses, followed
only by additions. The detector reports if in the first 16 steps two losses exceed three times the first loss, per term,
or are not finite. It does not report optimizers that rescale gradients (Adam, RMSprop), several optimizers (GANs), sums
that are divided or multiplied afterwards, sums of other terms (such as log-probabilities times returns, whose size
means little), learning rates that equal less than 0.5 for the mean, or sums with which the loss does not rise.
"""

from __future__ import annotations

import math

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import RESHAPING, kind_of, name_of, parents, saved, shape_of, source

WORSE, TIMES, FIRST_STEPS, FEWEST, LEAST_RATE = 3, 2, 16, 16, 0.5
ERRORS = {"PowBackward", "AbsBackward"}


class Watch(Detector):
    saw = {
        "en": "the loss is a sum of {count} terms, and lr={rate:g} is as large as lr={mean:g} for their mean: it went from {first:.3g} to {worst:.3g}",
        "zh": "loss 是 {count} 项之和，lr={rate:g} 相当于对平均值用 lr={mean:g}：loss 从 {first:.3g} 变成了 {worst:.3g}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.count = 0  # number of terms in the loss of this backward pass, 0 if its graph is not read
        self.losses = []  # (loss, number of terms) of the first backward passes

    def on_graph(self, graph, loss):
        self.count = terms(graph.root)
        self.finished = self.run.steps > FIRST_STEPS or self.count < FEWEST

    def on_backward(self, loss, value):
        if value is not None and self.count:
            self.losses.append((value, self.count))
        self.count = 0

    def on_step(self, optimizer):
        if type(optimizer) is not torch.optim.SGD or len(self.run.optimizers) > 1:
            self.finished = True
            return
        first, count = self.losses[0] if self.losses else (0, 0)
        rate = max(group["lr"] for group in optimizer.param_groups)
        worse = [loss for loss, n in self.losses if not math.isfinite(loss) or loss / n > WORSE * first / count]
        if first > 0 and len(worse) >= TIMES and rate * count >= LEAST_RATE:
            self.find("strong", count=count, rate=rate, mean=rate * count, first=first, worst=max(worse))
            self.finished = True


def terms(node):
    """Return over how many samples or values a loss sums, or 0 if it isn't a plain sum."""
    waiting, most = [node], 0
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        kind = kind_of(node)
        if saved(node, "_saved_reduction") == 2:
            target = saved(node, "_saved_target")
            most = max(most, target.numel() if isinstance(target, torch.Tensor) else 0)
        elif kind == "SumBackward" and (given := source(parents(node)[0])) is not None:
            if kind_of(given) in ERRORS or saved(given, "_saved_reduction") == 0:
                most = max(most, math.prod(shape_of(given) or (0,)))
        elif kind in ("AddBackward", "NegBackward") or name_of(node) in RESHAPING:
            waiting += parents(node)
    return most
