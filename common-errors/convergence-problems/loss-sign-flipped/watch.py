"""Strong: the loss of the only optimizer falls below -100 times its first size, and lower still for 64 steps.

The first size counts as at least 1. Losses that have a lower bound, such as a cosine similarity, and likelihoods of
continuous data stay far above. It compares means over 32 passes. It is silent where there are several optimizers, since a
critic's scores may lie anywhere, about a sum over ever more numbers, as of longer episodes, and where a cause is proven.
"""

from __future__ import annotations

from math import prod

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, shape_of

WINDOW, FALLS, FACTOR = 32, 3, 100
SCALING = ("NegBackward", "MulBackward", "DivBackward")


class Watch(Detector):
    saw = {
        "en": "the loss began at {first:.2g}, is {now:.2g} and keeps falling: it has no lower bound; check the sign of each term",
        "zh": "损失从 {first:.2g} 降到 {now:.2g}，而且还在下降：它没有下界，请检查每一项的符号",
    }

    def __init__(self, run):
        super().__init__(run)
        self.total = self.count = 0
        self.means = []
        self.summed = None  # numbers that the first loss adds up

    def on_backward(self, loss, value):
        if value is None:
            return
        count = summed(loss.grad_fn)
        self.summed = count if self.summed is None else self.summed
        self.finished = count > 2 * self.summed > 0
        self.total, self.count = self.total + value, self.count + 1
        if self.count < WINDOW:
            return
        self.means = [*self.means, self.total / WINDOW][-FALLS:]
        self.total = self.count = 0
        first = self.run.first_loss
        low = all(mean < -FACTOR * max(1, abs(first)) for mean in self.means)  # NaN is not
        falls = len(self.means) == FALLS and self.means == sorted(self.means, reverse=True)
        if low and falls and len(self.run.optimizers) == 1 and not self.run.proven:
            self.find("strong", first=first, now=self.means[-1])
            self.finished = True


def summed(node):
    """How many numbers a loss adds up; 0 where it is no sum."""
    while kind_of(node) in SCALING:
        node = next(parent for parent in parents(node) if parent is not None)
    return prod(shape_of(parents(node)[0]) or ()) if kind_of(node) == "SumBackward" else 0
