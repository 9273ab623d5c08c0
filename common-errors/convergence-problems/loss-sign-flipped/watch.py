"""Strong: the loss of the only optimizer falls below -100 times its first size, and lower still for 64 steps.

The first size counts as at least 1. Losses that have a lower bound, such as a cosine similarity, and likelihoods of
continuous data stay far above. It compares means over 32 passes, and is silent where there are several optimizers: a
critic's scores may lie anywhere.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector

WINDOW, FALLS, FACTOR = 32, 3, 100


class Watch(Detector):
    saw = {
        "en": "the loss began at {first:.2g}, is {now:.2g} and keeps falling: it has no lower bound; check the sign of each term",
        "zh": "损失从 {first:.2g} 降到 {now:.2g}，而且还在下降：它没有下界，请检查每一项的符号",
    }

    def __init__(self, run):
        super().__init__(run)
        self.total = self.count = 0
        self.means = []

    def on_backward(self, loss, value):
        if value is None:
            return
        self.total, self.count = self.total + value, self.count + 1
        if self.count < WINDOW:
            return
        self.means = [*self.means, self.total / WINDOW][-FALLS:]
        self.total = self.count = 0
        first = self.run.first_loss
        low = all(mean < -FACTOR * max(1, abs(first)) for mean in self.means)  # NaN is not
        if (
            low
            and len(self.means) == FALLS
            and len(self.run.optimizers) == 1
            and sorted(self.means)[::-1] == self.means
        ):
            self.find("strong", first=first, now=self.means[-1])
            self.finished = True
