"""Strong: the loss of the only optimizer falls below -100 times its initial size and keeps falling for 64 steps.

The initial size counts as at least 1. Losses with a lower bound, such as a cosine similarity, and likelihoods of
continuous data stay far above. The detector compares means over 32 passes. It does not report if there are several
optimizers (a critic's scores may be anywhere), if the loss sums more and more numbers (longer episodes), or if a
different cause is proven.
"""

from __future__ import annotations

from math import prod

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, shape_of

WINDOW, FALLS, FACTOR = 32, 3, 100
SCALING = ("NegBackward", "MulBackward", "DivBackward")


class Watch(Detector):
    needs = "course"
    saw = {
        "en": "the loss started at {first:.2g}, is now {now:.2g} and keeps falling: it has no lower bound; check the sign of each term",
        "zh": "loss 从 {first:.2g} 降到 {now:.2g}，而且还在下降，没有下界；请检查每一项的符号",
    }

    def __init__(self, run):
        super().__init__(run)
        self.total = self.count = 0
        self.means = []
        self.summed = None  # how many numbers the first loss sums

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
        low = all(mean < -FACTOR * max(1, abs(first)) for mean in self.means)  # False for NaN
        falls = len(self.means) == FALLS and self.means == sorted(self.means, reverse=True)
        if low and falls and len(self.run.optimizers) == 1 and not self.run.proven:
            self.find("strong", first=first, now=self.means[-1])
            self.finished = True


def summed(node):
    """Return how many numbers a loss sums, or 0 if it isn't a sum."""
    while kind_of(node) in SCALING:
        node = next(parent for parent in parents(node) if parent is not None)
    return prod(shape_of(parents(node)[0]) or ()) if kind_of(node) == "SumBackward" else 0
