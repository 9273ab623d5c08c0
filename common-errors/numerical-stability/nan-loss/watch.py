"""Proof: the loss is nan or infinite, after a loss of ordinary size.

It speaks at the backward pass, and names the operation that first kept such a value, with what it kept. It is silent where
the loss had grown by far before (that is a divergence), where half precision overflowed, and about a single infinite loss.
"""

from __future__ import annotations

import math
import statistics

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, is_finite, name_of, saved_tensors

GROWN = 100  # times its median: diverging before it was nan
INFINITE_IN_A_ROW = 3


class Watch(Detector):
    saw = {
        "en": "the loss is {value} after {last:.4g}; {where}",
        "zh": "损失从 {last:.4g} 变成了 {value}；{where}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.bad = 0

    def on_backward(self, loss, value):
        if value is None or math.isfinite(value):
            self.bad = 0
            return
        self.bad += 1
        before = [abs(one) for one in self.run.losses if math.isfinite(one)]
        grown = len(before) > 1 and before[-1] > GROWN * statistics.median(before)
        if grown or not (math.isnan(value) or self.bad >= INFINITE_IN_A_ROW):
            return
        graph = Graph(loss)
        first = next((node for node in reversed(graph.nodes) if not all(map(is_finite, saved_tensors(node)))), None)
        if first is not None and any(t.dtype == torch.float16 for t in saved_tensors(first)):
            return
        if not all(map(is_finite, graph.leaves)):
            where = "parameters were no longer finite before this step"
        elif first is not None:
            where = f"{name_of(first)} is the first operation that kept such a value"
        else:
            where = "what its operations kept is finite"
        self.find("proof", value=value, last=before[-1] if before else math.nan, where=where)
