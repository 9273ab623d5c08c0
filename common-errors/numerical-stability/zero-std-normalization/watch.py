"""Proof: a standard deviation was 0 or NaN, and the model or the loss then gets NaN at exactly these places.

The detector notes calls of `torch.std` and `Tensor.std` with finite input whose result is 0, or NaN as for a single
number. It reports a call if the model's input is then NaN or infinite in just these columns (or channels) or, after a
standard deviation of all numbers, in a whole sample or the whole tensor; or if the first such value on the way to a NaN
loss has this pattern. It reports nothing for standard deviations to which something is added before they divide, for
those of parameters and of data with NaN, for values that are also NaN elsewhere, and for normalization in NumPy or in a
worker process.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real, program_line, tensors
from torch_errors.watching.graph import Graph, is_finite, kind_of, parents, saved, saved_tensors

MOST_PLACES, MOST_NUMBERS = 8, 2**16


class Watch(Detector):
    inside = ()
    saw = {
        "en": "{count} of {all} standard deviations were {value}, and dividing by them gave nan: a constant column, or a single number",
        "zh": "{all} 个标准差中有 {count} 个是 {value}，除以标准差之后变成了 nan：数据中有常数列，或者只有一个数",
    }

    def __init__(self, run):
        super().__init__(run)
        self.bad = {}  # line -> mask of the bad standard deviations, their value, number of values in their input
        self.not_finite = set()  # lines whose input was not finite

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
        if not bad.any() or place in self.not_finite:
            return
        if not is_finite(input):
            self.not_finite.add(place)
            self.bad.pop(place, None)
        elif place in self.bad or len(self.bad) < MOST_PLACES:
            self.bad[place] = bad, "nan" if result.isnan().any() else "0", input.numel()

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and self.bad:
            for tensor in tensors(inputs):
                if tensor.is_floating_point() and not is_finite(tensor) and self.report_if_same_places(tensor):
                    return

    def on_not_finite(self, loss, value):
        if not self.bad:
            return
        graph = Graph(loss)
        if all(map(is_finite, graph.leaves)):
            sizes = set()  # sizes of divisors that hold 0 or NaN
            for node in graph.operations:
                if kind_of(node) == "DivBackward" and isinstance(divisor := saved(node, "_saved_other"), torch.Tensor):
                    if ((divisor == 0) | divisor.isnan()).any():
                        sizes.add(divisor.numel())
                for tensor in saved_tensors(node):
                    if not is_finite(tensor):
                        if self.report_if_same_places(tensor, None if None in parents(node) else sizes):
                            return
                        break
                else:
                    continue
                return

    def report_if_same_places(self, values, sizes=None):
        """Report bad deviations that explain `values`, if any. `sizes`: possible numbers of deviations (None: any)."""
        for place, (bad, value, size) in self.bad.items():
            if (sizes is None or len(bad) in sizes) and same_places(~values.isfinite(), bad, size):
                self.find("proof", at=place, count=int(bad.sum()), all=len(bad), value=value)
                self.finished = True
                return True
        return False


def same_places(wrong, bad, size):
    """Whether values are wrong in exactly the bad columns or, for one deviation of `size` numbers, in whole samples."""
    if len(bad) == 1:
        samples = wrong.flatten(1) if wrong.dim() > 1 and wrong.numel() != size else wrong.reshape(1, -1)
        return wrong.dim() > 0 and samples.shape[1] == size and bool((samples.all(1) == samples.any(1)).all())
    for dim in (-1, 1, 0):
        if wrong.dim() > max(dim, 0) and wrong.shape[dim] == len(bad):
            columns = wrong.movedim(dim, -1).reshape(-1, len(bad))
            if torch.equal(columns.all(0), bad) and torch.equal(columns.any(0), bad):
                return True
    return False
