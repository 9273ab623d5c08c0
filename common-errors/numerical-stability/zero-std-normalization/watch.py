"""Proof: a standard deviation was 0 or nan, and what the model or the loss then got is nan at exactly these places.

It sees `std`, of a tensor or of `torch`, and notes where a result of finite numbers is 0, or nan as that of a single number. It speaks where the
model takes values that are nan or infinite in just these columns (or channels), or, after a deviation of all numbers, in a whole sample
or the whole tensor; or where the first such value on the way to a loss that is nan is like that. It is silent about deviations to which
something is added before they divide, about values that are nan elsewhere, too, and about normalization in numpy or in a worker process.
"""

from __future__ import annotations

import math

import torch

from torch_errors.watching.detector import Detector, is_real, program_line, tensors
from torch_errors.watching.graph import Graph, is_finite, saved_tensors

MOST_PLACES, MOST_NUMBERS = 8, 2**16


class Watch(Detector):
    saw = {
        "en": "{count} of {all} standard deviations were {value}, and what was divided by them is nan: a constant column, or a single number",
        "zh": "{all} 个标准差中有 {count} 个是 {value}，除以标准差之后变成了 nan：数据中有常数列，或者只有一个数",
    }

    def __init__(self, run):
        super().__init__(run)
        self.bad = {}  # line -> where a deviation was 0 or nan, of which of them

    def on_std(self, input, result):
        if (
            not isinstance(input, torch.Tensor)
            or not isinstance(result, torch.Tensor)
            or not is_real(result)
            or not 0 < result.numel() <= MOST_NUMBERS
        ):
            return
        bad = ((result == 0) | result.isnan()).flatten()
        place = program_line()
        if bad.any() and is_finite(input) and (place in self.bad or len(self.bad) < MOST_PLACES):
            self.bad[place] = bad, "nan" if result.isnan().any() else "0"

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and self.bad:
            for given in tensors(inputs):
                if given.is_floating_point() and not is_finite(given) and self.judge(given):
                    return

    def on_backward(self, loss, value):
        if value is None or math.isfinite(value) or not self.bad:
            return
        graph = Graph(loss)
        if all(map(is_finite, graph.leaves)):
            for node in graph.operations:
                for kept in saved_tensors(node):
                    if not is_finite(kept):
                        if self.judge(kept):
                            return
                        break
                else:
                    continue
                return

    def judge(self, values):
        for place, (bad, value) in self.bad.items():
            if same_places(~values.isfinite(), bad):
                self.find("proof", at=place, count=int(bad.sum()), all=len(bad), value=value)
                self.finished = True
                return True
        return False


def same_places(wrong, bad):
    """Whether values are wrong in the columns, or in the whole, of which the deviation was bad."""
    if len(bad) == 1:
        samples = wrong.flatten(1) if wrong.dim() > 1 else wrong[None]
        return bool((samples.all(1) == samples.any(1)).all())
    for dim in (-1, 1, 0):
        if wrong.dim() > max(dim, 0) and wrong.shape[dim] == len(bad):
            columns = wrong.movedim(dim, -1).reshape(-1, len(bad))
            if torch.equal(columns.all(0), bad) and torch.equal(columns.any(0), bad):
                return True
    return False
