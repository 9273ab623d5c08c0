"""Proof: a standard deviation was 0 or nan, and what the model or the loss then got is nan at exactly these places.

It sees `std`, of a tensor or of `torch`, and notes where a result of finite numbers is 0, or nan as that of a single number. It speaks where the
model takes values that are nan or infinite in just these columns (or channels), or, after a deviation of all numbers, in a whole sample
or the whole tensor; or where the first such value on the way to a loss that is nan is like that. It is silent about deviations to which
something is added before they divide, of parameters, and of data that hold nan; about values that are nan elsewhere, too, and about
normalization in numpy or in a worker process.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real, program_line, tensors
from torch_errors.watching.graph import Graph, is_finite, kind_of, parents, saved, saved_tensors

MOST_PLACES, MOST_NUMBERS = 8, 2**16


class Watch(Detector):
    inside = ()
    saw = {
        "en": "{count} of {all} standard deviations were {value}, and what was divided by them is nan: a constant column, or a single number",
        "zh": "{all} 个标准差中有 {count} 个是 {value}，除以标准差之后变成了 nan：数据中有常数列，或者只有一个数",
    }

    def __init__(self, run):
        super().__init__(run)
        self.bad = {}  # line -> where a deviation was 0 or nan, which, and of how many numbers
        self.holes = set()  # lines that took nan

    def on_std(self, input, result):
        if (
            not isinstance(input, torch.Tensor)
            or isinstance(input, torch.nn.Parameter)
            or not isinstance(result, torch.Tensor)
            or not is_real(result)
            or not 0 < result.numel() <= MOST_NUMBERS
        ):
            return
        bad = ((result == 0) | result.isnan()).flatten()
        place = program_line()
        if not bad.any() or place in self.holes:
            return
        if not is_finite(input):
            self.holes.add(place)
            self.bad.pop(place, None)
        elif place in self.bad or len(self.bad) < MOST_PLACES:
            self.bad[place] = bad, "nan" if result.isnan().any() else "0", input.numel()

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and self.bad:
            for given in tensors(inputs):
                if given.is_floating_point() and not is_finite(given) and self.judge(given):
                    return

    def on_not_finite(self, loss, value):
        if not self.bad:
            return
        graph = Graph(loss)
        if all(map(is_finite, graph.leaves)):
            sizes = set()  # of divisors that hold 0 or nan
            for node in graph.operations:
                if kind_of(node) == "DivBackward" and isinstance(by := saved(node, "_saved_other"), torch.Tensor):
                    if ((by == 0) | by.isnan()).any():
                        sizes.add(by.numel())
                for kept in saved_tensors(node):
                    if not is_finite(kept):
                        if self.judge(kept, None if None in parents(node) else sizes):
                            return
                        break
                else:
                    continue
                return

    def judge(self, values, sizes=None):
        """`sizes`: how many deviations may have divided; any number where None."""
        for place, (bad, value, size) in self.bad.items():
            if (sizes is None or len(bad) in sizes) and same_places(~values.isfinite(), bad, size):
                self.find("proof", at=place, count=int(bad.sum()), all=len(bad), value=value)
                self.finished = True
                return True
        return False


def same_places(wrong, bad, size):
    """Whether values are wrong in the columns, or in the whole of so many numbers, of which the deviation was bad."""
    if len(bad) == 1:
        samples = wrong.flatten(1) if wrong.dim() > 1 and wrong.numel() != size else wrong.reshape(1, -1)
        return wrong.dim() > 0 and samples.shape[1] == size and bool((samples.all(1) == samples.any(1)).all())
    for dim in (-1, 1, 0):
        if wrong.dim() > max(dim, 0) and wrong.shape[dim] == len(bad):
            columns = wrong.movedim(dim, -1).reshape(-1, len(bad))
            if torch.equal(columns.all(0), bad) and torch.equal(columns.any(0), bad):
                return True
    return False
