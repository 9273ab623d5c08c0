"""Proof: `exp` of finite numbers is infinite, its results are summed, the sum is a divisor or goes through a logarithm, and the loss is nan.

At the backward pass of a loss that is not finite it goes through what the operations kept, in their order. It speaks where the first value
that is not finite is a result of `exp`, and the sum of these results has its logarithm taken or divides something: a softmax, or the
logarithm of one, written by hand. It is silent where parameters or values before are not finite, about an `exp` without such a sum, and about
`softmax`, `log_softmax` and `logsumexp`, which subtract the maximum.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import RESHAPING, Graph, is_finite, kind_of, name_of, parents, saved, saved_tensors

ENDS = {
    "LogBackward": "log(sum(exp(x)))",
    "DivBackward": "exp(x) / sum(exp(x))",
    "ReciprocalBackward": "exp(x) / sum(exp(x))",
}
CAUSE = "fp16-overflow"


class Watch(Detector):
    saw = {
        "en": "the loss is {value}: {count} of {numbers} results of `exp` are infinite in {form}; `softmax`, `log_softmax` or `logsumexp` computes it without overflow",
        "zh": "损失为 {value}：{form} 中 `exp` 的 {numbers} 个结果里有 {count} 个是 inf；`softmax`、`log_softmax` 或 `logsumexp` 不会溢出",
    }

    def on_not_finite(self, loss, value):
        if self.run.found(CAUSE):
            return
        graph = Graph(loss)
        if not all(map(is_finite, graph.leaves)):
            return
        for node in graph.operations:
            if not all(map(is_finite, saved_tensors(node))):
                result = saved(node, "_saved_result") if kind_of(node) == "ExpBackward" else None
                if result is not None and not result.isnan().any() and (form := use(node, graph)):
                    count = int(result.isinf().sum())
                    self.find("proof", value=value, count=count, numbers=result.numel(), form=form)
                    self.finished = True
                return


def use(node, graph):
    """What is computed from the sum of an `exp`: a softmax, its logarithm, or nothing of the kind."""
    same = parents(node)  # exp is often written twice, above and below the fraction bar
    exps = {other for other in graph.named("ExpBackward") if parents(other) == same}
    sums = set()
    for later in graph.operations:  # in the order in which they ran
        kind, before = kind_of(later), parents(later)
        if kind in ENDS and not sums.isdisjoint(before[-1:]):
            return ENDS[kind]
        if not sums.isdisjoint(before) and (name_of(later) in RESHAPING or kind == "AddBackward"):
            sums.add(later)
        elif not exps.isdisjoint(before):
            if kind == "SumBackward":
                sums.add(later)
            elif name_of(later) in RESHAPING or kind == "MulBackward":  # a mask of 1 and 0
                exps.add(later)
    return None
