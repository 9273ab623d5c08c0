"""Proof: a logarithm took a 0, and it is the first operation on the way to a loss that is nan or infinite whose values are not finite.

At the backward pass of such a loss it goes through what the operations kept, in their order, to the first logarithm of an exact 0. It is
silent where something before it is not finite, parameters among them; where a mask, a clamp, an index or an exponential stands
behind the logarithm, which may have hidden the result; where a target or another constant is nan; and about losses that compute the
logarithm inside, as `binary_cross_entropy`.
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
        "en": "the loss is {value}: {count} of {numbers} numbers that `{operation}` takes are 0, and its result is -inf there",
        "zh": "损失为 {value}：`{operation}` 的 {numbers} 个输入中有 {count} 个是 0，结果为 -inf",
    }

    def on_not_finite(self, loss, value):
        graph = Graph(loss)
        if not all(map(is_finite, graph.leaves)):
            return
        for node in graph.operations:
            taken = saved(node, "_saved_self") if kind_of(node) in LOGARITHMS else None
            if taken is not None and is_finite(taken) and (count := int((taken == 0).sum())):
                if not hidden(node, graph, taken) and not is_given_nan(graph):
                    operation = kind_of(node).removesuffix("Backward").lower()
                    self.find("proof", value=value, count=count, numbers=taken.numel(), operation=operation)
                    self.finished = True
                    return
            elif not all(map(is_finite, saved_tensors(node))):
                return


def hidden(node, graph, taken):
    """Whether something between a logarithm and the loss may hide its results."""
    behind = {node}
    for later in graph.operations:  # in the order in which they ran
        if not behind.isdisjoint(parents(later)):
            if kind_of(later) in HIDING and not (parents(later)[0] is node and picked(later, taken)):
                return True
            behind.add(later)
    return False


def picked(node, taken):
    """Whether the labels that a node picks are at zeros."""
    kind, labels = kind_of(node), saved(node, "_saved_target")
    if kind == "NllLossBackward" and taken.dim() == 2:
        return bool((taken.gather(1, labels.clamp(min=0)[:, None])[:, 0] == 0)[labels >= 0].any())
    if kind == "GatherBackward":
        dim = saved(node, "_saved_dim")
        dim = dim - 2**64 if dim >= 2**63 else dim
        return bool((taken.gather(dim, saved(node, "_saved_index")) == 0).any())
    indices = saved(node, "_saved_indices") if kind == "IndexBackward" else None
    return indices is not None and None not in indices and bool((taken[tuple(indices)] == 0).any())
