"""Proof: a loss written by hand pairs each prediction with each target.

The graph of the loss has a difference or product of shape (N, N), computed from a prediction of shape (N,) or (N, 1)
and a value without gradient. Only elementwise operations, means and sums follow on the way to the loss. The detector
reports nothing if the program adds the dimension itself (`unsqueeze`, `[:, None]`), if the loss also has pairwise
distances between values that both have a gradient, or if a parameter is combined with the model's inputs.
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
            if kind_of(node) in PAIRING and self.report_pairs(node):
                return
            shrinks = kind_of(node) in REDUCTIONS or name_of(node) in RESHAPING
            waiting += [
                parent
                for parent in parents(node)
                if shrinks or (parent is not None and shape_of(parent) == shape_of(node))
            ]

    def report_pairs(self, node):
        shape = shape_of(node) or ()
        tracked = [parent for parent in parents(node) if parent is not None]
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2 or len(tracked) != 1:
            return False
        row, column = (shape[0],), (shape[0], 1)
        prediction = shape_of(tracked[0])
        if prediction not in (row, column) or name_of(tracked[0]).startswith(MADE_ON_PURPOSE):
            return False
        other = column if prediction == row else row
        factors = [saved(node, "_saved_self"), saved(node, "_saved_other")]
        if any(factor is not None and tuple(factor.shape) != other for factor in factors):
            return False  # e.g. a matrix with one weight per pair
        self.find("proof", prediction=prediction, other=other, result=shape)
        return True


def compares_predictions(node):
    """Whether a node pairs predictions with predictions, as in a distance between two distributions."""
    (n, *rest), shapes = shape_of(node) or (0,), [shape_of(parent) for parent in parents(node) if parent is not None]
    return n > 1 and rest == [n] and len(shapes) == 2 and {*shapes} in ({(n,), (n, 1)}, {(1, n), (n, 1)})
