"""Proof: the loss is NaN or infinite after losses of ordinary size.

The detector reports this at the backward pass, with the operation that first saved such a value. It reports nothing if
the loss had already grown far beyond its median (it diverges), if the cause has its own detector that reported it (a
logarithm of 0, for example), for a single infinite loss, and if only a factor made the loss infinite, as in loss
scaling.
"""

from __future__ import annotations

import math
import statistics

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, is_finite, kind_of, name_of, saved, saved_tensors

GROWN = 100  # multiple of the median loss above which the run was already diverging
INFINITE_IN_A_ROW = 3
SCALE = 256  # smallest factor that counts as loss scaling
CAUSES = ("fp16-overflow", "fully-masked-softmax", "log-of-zero", "softmax-overflow", "zero-std-normalization")


class Watch(Detector):
    saw = {
        "en": "the loss is {value}; the first non-finite value in its computation: {first}",
        "zh": "loss 为 {value}；计算过程中第一个 NaN 或无穷大出现在：{first}",
    }
    unseen = {"wrong_fix": "it replaces NaN with 0, so the loss is finite and the model learns from wrong numbers"}

    after_others = True  # the detectors of CAUSES report first

    def __init__(self, run):
        super().__init__(run)
        self.bad, self.last_bad = 0, -1  # non-finite losses in a row, and number of backward passes before the last one

    def on_not_finite(self, loss, value):
        if any(map(self.run.found, (self.id, *CAUSES))) or (math.isinf(value) and is_scaled(loss)):
            self.bad = 0
            return
        self.bad = self.bad + 1 if self.last_bad == self.run.backwards - 1 else 1
        self.last_bad = self.run.backwards
        before = [abs(past) for past in self.run.losses if math.isfinite(past)]
        grown = len(before) > 1 and before[-1] > GROWN * statistics.median(before)
        if grown or not (math.isnan(value) or self.bad >= INFINITE_IN_A_ROW):
            return
        graph = Graph(loss)
        ruined = next((leaf for leaf in graph.leaves if not is_finite(leaf)), None)
        if ruined is not None:
            self.find("proof", value=value, first=f"Parameter {tuple(ruined.shape)}")
            return
        bad = (node for node in graph.operations if not all(map(is_finite, saved_tensors(node))))
        self.find("proof", value=value, first=name_of(next(bad, graph.root)))


def is_scaled(loss):
    """Whether the last operation of a loss is a multiplication by one large number."""
    factor = saved(loss.grad_fn, "_saved_other") if kind_of(loss.grad_fn) == "MulBackward" else None
    return factor is not None and getattr(factor, "numel", lambda: 1)() == 1 and float(factor) >= SCALE
