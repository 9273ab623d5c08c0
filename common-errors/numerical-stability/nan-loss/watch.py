"""Proof: the loss is nan or infinite, after a loss of ordinary size.

It speaks at the backward pass, and names the operation that first kept such a value. It is silent where
the loss had grown by far before (that is a divergence), where the cause has a detector of its own that saw it, such as a logarithm
of 0, about a single infinite loss, and where only a factor made it infinite, as in loss scaling.
"""

from __future__ import annotations

import math
import statistics

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, is_finite, kind_of, name_of, saved, saved_tensors

GROWN = 100  # times its median: diverging before it was nan
INFINITE_IN_A_ROW = 3
SCALE = 256  # a factor from here on scales the loss
CAUSES = ("fp16-overflow", "fully-masked-softmax", "log-of-zero", "softmax-overflow", "zero-std-normalization")


class Watch(Detector):
    saw = {
        "en": "the loss is {value}; the first value on the way to it that is not finite: {first}",
        "zh": "损失为 {value}；计算过程中第一个 NaN 或无穷大出现在：{first}",
    }
    unseen = {"wrong_fix": "it replaces nan by 0, so that the loss is finite and the model learns from wrong numbers"}

    after_others = True  # after the detectors of CAUSES

    def __init__(self, run):
        super().__init__(run)
        self.bad, self.at = 0, -1  # such losses in a row, and backward passes before the last one

    def on_not_finite(self, loss, value):
        if any(map(self.run.found, (self.id, *CAUSES))) or (math.isinf(value) and is_scaled(loss)):
            self.bad = 0
            return
        self.bad = self.bad + 1 if self.at == self.run.backwards - 1 else 1
        self.at = self.run.backwards
        before = [abs(one) for one in self.run.losses if math.isfinite(one)]
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
    """Whether the last operation of a loss is a product with one large number."""
    factor = saved(loss.grad_fn, "_saved_other") if kind_of(loss.grad_fn) == "MulBackward" else None
    return factor is not None and getattr(factor, "numel", lambda: 1)() == 1 and float(factor) >= SCALE
