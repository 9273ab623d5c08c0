"""Proof: a logarithm of 0 is the first operation with a non-finite value on the way to a NaN or infinite loss.

At the backward pass of such a loss, the detector reads the values that the operations saved, in their order, up to the
first logarithm of an exact 0. It reports nothing if an earlier value or a parameter is not finite; if a mask, clamp,
index or exponential after the logarithm may have hidden the result; if a target or another constant is NaN; and for
losses that compute the logarithm inside, such as `binary_cross_entropy`.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, is_finite, is_given_nan, kind_of, parents, saved, saved_tensors

LOGARITHMS = {"LogBackward", "Log2Backward", "Log10Backward"}
HIDING = {
    "AmaxBackward", "ClampBackward", "ClampMaxBackward", "ClampMinBackward", "ExpBackward", "GatherBackward", "IndexBackward",
    "LogSoftmaxBackward", "LogaddexpBackward", "LogsumexpBackward", "MaskedFillBackward", "MaskedSelectBackward",
    "MaxBackward", "MaximumBackward", "MinimumBackward", "NanToNumBackward", "NansumBackward", "NllLossBackward", "ReluBackward",
    "SigmoidBackward", "SoftmaxBackward", "TanhBackward", "WhereBackward",
}  # fmt: skip


class Watch(Detector):
    saw = {
        "en": "the loss is {value}: {count} of {numbers} inputs of `{operation}` are 0, and their results are -inf",
        "zh": "loss 为 {value}：`{operation}` 的 {numbers} 个输入中有 {count} 个是 0，结果为 -inf",
    }

    def on_not_finite(self, loss, value):
        graph = Graph(loss)
        if not all(map(is_finite, graph.leaves)):
            return
        for node in graph.operations:
            argument = saved(node, "_saved_self") if kind_of(node) in LOGARITHMS else None
            if argument is not None and is_finite(argument) and (count := int((argument == 0).sum())):
                if not may_be_hidden(node, graph, argument) and not is_given_nan(graph):
                    operation = kind_of(node).removesuffix("Backward").lower()
                    self.find("proof", value=value, count=count, numbers=argument.numel(), operation=operation)
                    self.finished = True
                    return
            elif not all(map(is_finite, saved_tensors(node))):
                return


def may_be_hidden(node, graph, argument):
    """Whether an operation between a logarithm and the loss may hide its results."""
    behind = {node}
    for later in graph.operations:  # in the order in which they ran
        if not behind.isdisjoint(parents(later)):
            if kind_of(later) in HIDING and not (parents(later)[0] is node and selects_zero(later, argument)):
                return True
            behind.add(later)
    return False


def selects_zero(node, argument):
    """Whether a node selects entries at which the argument of the logarithm is 0."""
    kind, labels = kind_of(node), saved(node, "_saved_target")
    if kind == "NllLossBackward" and argument.dim() == 2:
        return bool((argument.gather(1, labels.clamp(min=0)[:, None])[:, 0] == 0)[labels >= 0].any())
    if kind == "GatherBackward":
        dim = saved(node, "_saved_dim")
        dim = dim - 2**64 if dim >= 2**63 else dim
        return bool((argument.gather(dim, saved(node, "_saved_index")) == 0).any())
    indices = saved(node, "_saved_indices") if kind == "IndexBackward" else None
    return indices is not None and None not in indices and bool((argument[tuple(indices)] == 0).any())
