"""Proof: `exp` of finite numbers overflows in a handwritten softmax or log-softmax, and the loss is not finite.

At the backward pass of such a loss, the detector reads the values that the operations saved, in their order. It reports
an `exp`, or a power of a number such as `math.e ** x`, whose result is the first non-finite value, if the sum of these
results divides something or goes through a logarithm. The sum may be one over groups, as in attention over the edges of
a graph. It reports nothing if parameters or earlier values are not finite, for an `exp` without such a sum, and for
`softmax`, `log_softmax` and `logsumexp`, which subtract the maximum.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import RESHAPING, Graph, is_finite, kind_of, name_of, parents, saved, saved_tensors

ENDS = {
    "LogBackward": "log(sum(exp(x)))",
    "DivBackward": "exp(x) / sum(exp(x))",
    "ReciprocalBackward": "exp(x) / sum(exp(x))",
}
EXPS = ("ExpBackward", "Exp2Backward", "PowBackward")
SUMS = {"IndexAddBackward", "ScatterAddBackward", "ScatterReduceBackward", "SumBackward"}  # the first three over groups
SPREADING = {"GatherBackward", "IndexBackward", "IndexSelectBackward"}  # the sum of each element's group
CAUSE = "fp16-overflow"  # a more specific entry, reported instead


class Watch(Detector):
    saw = {
        "en": "the loss is {value}: {count} of {numbers} results of `exp` are infinite in {form}; `softmax`, `log_softmax` and `logsumexp` do not overflow",
        "zh": "loss 为 {value}：{form} 中 `exp` 的 {numbers} 个结果里有 {count} 个是 inf；`softmax`、`log_softmax` 或 `logsumexp` 不会溢出",
    }

    def on_not_finite(self, loss, value):
        if self.run.found(CAUSE):
            return
        graph = Graph(loss)
        if not all(map(is_finite, graph.leaves)):
            return
        for node in graph.operations:
            if not all(map(is_finite, saved_tensors(node))):
                result = saved(node, "_saved_result") if is_exp(node) else None
                if result is not None and not result.isnan().any() and (form := formula_of_sum(node, graph)):
                    count = int(result.isinf().sum())
                    self.find("proof", value=value, count=count, numbers=result.numel(), form=form)
                    self.finished = True
                return


def is_exp(node):
    """Whether a node computes `exp`, or a power of one number, such as `math.e ** x`."""
    return kind_of(node) in EXPS[:2] or (kind_of(node) == "PowBackward" and power_of(node) is not None)


def power_of(node):
    """The number of which a node computes powers, or None if it computes powers of other values."""
    base = saved(node, "_saved_self")
    single = isinstance(base, (int, float)) or (isinstance(base, torch.Tensor) and base.numel() == 1)
    return float(base) if single and isinstance(saved(node, "_saved_exponent"), torch.Tensor) else None


def formula_of_sum(node, graph):
    """The formula computed from the sum of an `exp` (a softmax or its logarithm), or None if it is neither."""
    inputs = parents(node)  # `exp` is often called twice: in the numerator and in the denominator
    exps = {other for other in graph.named(*EXPS) if is_exp(other) and parents(other) == inputs}
    sums = set()
    for later in graph.operations:  # in the order in which they ran
        kind, before = kind_of(later), parents(later)
        if kind in ENDS and not sums.isdisjoint(before[-1:]):
            return ENDS[kind]
        if not sums.isdisjoint(before) and (name_of(later) in RESHAPING or kind == "AddBackward" or kind in SPREADING):
            sums.add(later)
        elif not exps.isdisjoint(before):
            if kind in SUMS:
                sums.add(later)
            elif name_of(later) in RESHAPING or kind == "MulBackward":  # multiplied by a mask of 1 and 0
                exps.add(later)
    return None
