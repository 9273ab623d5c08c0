"""Strong, reported at the end: the validation loss is 30% above its early minimum while the training loss fell.

An evaluation is a series of losses without gradient between two backward passes. At least six are required; the minimum
is in the first 60% of them, and 75% of its batches have a higher loss at the end. The detector does not report if the
losses are computed by hand and not by a loss of torch, or if only one of several data sets gets worse.
"""

from __future__ import annotations

import collections
import math

import torch

from torch_errors.watching.detector import Detector, is_real

EVALUATIONS, EARLY, RISEN, FALLEN = 6, 0.6, 1.3, 0.8
WORSE, LONGEST = 0.75, 64  # minimum share of batches that got worse; maximum number of batches to compare


class Watch(Detector):
    needs = "validation"
    saw = {
        "en": "the validation loss was {low:.3g} at evaluation {number} of {count} and is now {now:.3g}, while the training loss fell from {then:.3g} to {train:.3g}",
        "zh": "验证 loss 在第 {number} 次评估（共 {count} 次）时最低，为 {low:.3g}，现在是 {now:.3g}，训练 loss 则从 {then:.3g} 降到了 {train:.3g}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.training = collections.deque(maxlen=32)
        self.evaluating = []
        self.rows = []  # (training loss, validation loss) of each evaluation
        self.batches = []  # the first losses of each evaluation

    def on_loss(self, name, input, target, value):
        if isinstance(value, torch.Tensor) and not value.requires_grad and value.numel() == 1 and is_real(value):
            self.evaluating.append(value.item())

    def on_backward(self, loss, value):
        if self.evaluating:
            self.close()
        if value is not None:
            self.training.append(value)

    def close(self):
        if self.training:
            mean = [sum(values) / len(values) for values in (self.training, self.evaluating)]
            if all(map(math.isfinite, mean)):
                self.rows.append(tuple(mean))
                self.batches.append(self.evaluating[:LONGEST])
        self.training.clear()
        self.evaluating = []

    def on_end(self):
        if self.evaluating:
            self.close()
        rows = self.rows
        if len(rows) < EVALUATIONS or self.run.findings:
            return
        low = min(range(len(rows)), key=lambda at: rows[at][1])
        now = sum(row[1] for row in rows[-3:]) / 3
        train = sum(row[0] for row in rows[-3:]) / 3
        then = rows[low][0]
        early = low < EARLY * len(rows)
        if early and now > RISEN * rows[low][1] > 0 and 0 < train < FALLEN * then and self.worse(low) >= WORSE:
            self.find("strong", low=rows[low][1], number=low + 1, count=len(rows), now=now, then=then, train=train)

    def worse(self, low):
        """Return the share of batches whose loss is higher at the end than in evaluation `low`."""
        last = [sum(losses) / len(losses) for losses in zip(*self.batches[-3:], strict=False)]
        risen = [now > before for now, before in zip(last, self.batches[low], strict=False)]
        return sum(risen) / max(1, len(risen))
