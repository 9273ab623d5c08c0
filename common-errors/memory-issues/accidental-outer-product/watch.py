"""Proof: a loss written by hand pairs each prediction with each target.

The graph of the loss has a difference or a product of shape (N, N), from a prediction of shape (N,) or (N, 1) and from
something without a gradient, and from there on only operations number by number, and means or sums, lead to the loss. It is
silent where the program adds the dimension itself (`unsqueeze`, `[:, None]`), in a loss that also has pairwise distances, both
sides of which carry a gradient, and about a parameter that is combined with the inputs of a model.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import RESHAPING, kind_of, name_of, parents, saved, shape_of

MADE_ON_PURPOSE = ("Unsqueeze", "Slice", "Expand", "Index", "AccumulateGrad")
REDUCTIONS = (
    "MeanBackward",
    "SumBackward",
    "NanmeanBackward",
    "NansumBackward",
    "LinalgVectorNormBackward",
    "NormBackward",
)
PAIRING = ("SubBackward", "RsubBackward", "MulBackward")


class Watch(Detector):
    saw = {
        "en": "predictions {prediction} and {other} broadcast to {result}: each prediction is paired with each target",
        "zh": "预测 {prediction} 与 {other} 广播成了 {result}：每个预测都和每个目标配对了一遍",
    }

    def on_graph(self, graph, loss):
        if any(kind_of(node) in PAIRING[:2] and compares_predictions(node) for node in graph.nodes):
            return
        waiting, seen = [graph.root], set()
        while waiting:
            node = waiting.pop()
            if node in seen or node is None:
                continue
            seen.add(node)
            if kind_of(node) in PAIRING and self.pairs(node):
                return
            shrinks = kind_of(node) in REDUCTIONS or name_of(node) in RESHAPING
            waiting += [
                one for one in parents(node) if shrinks or (one is not None and shape_of(one) == shape_of(node))
            ]

    def pairs(self, node):
        shape = shape_of(node) or ()
        tracked = [one for one in parents(node) if one is not None]
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2 or len(tracked) != 1:
            return False
        row, column = (shape[0],), (shape[0], 1)
        given = shape_of(tracked[0])
        if given not in (row, column) or name_of(tracked[0]).startswith(MADE_ON_PURPOSE):
            return False
        other = column if given == row else row
        factors = [saved(node, "_saved_self"), saved(node, "_saved_other")]
        if any(factor is not None and tuple(factor.shape) != other for factor in factors):
            return False  # such as a matrix of weights, one for each pair
        self.find("proof", prediction=given, other=other, result=shape)
        return True


def compares_predictions(node):
    """Whether it pairs predictions with predictions: the loss is one of all pairs, such as a distance of distributions."""
    (n, *rest), given = shape_of(node) or (0,), [shape_of(one) for one in parents(node) if one is not None]
    return n > 1 and rest == [n] and len(given) == 2 and {*given} in ({(n,), (n, 1)}, {(1, n), (n, 1)})
