"""Proof: a softmax returned NaN in rows whose mask hides every position.

At the backward pass of a NaN loss, the detector reads the values that the operations saved, in their order. It reports
a softmax whose result is the first non-finite value, if a `masked_fill` or `where` right before it hides all entries
along its dimension; and an `nn.MultiheadAttention` that returned NaN for sequences whose `key_padding_mask` hides all
keys. It reports nothing for masks that are added, rows that are partly hidden, parameters that are not finite, and
targets or other constants that are NaN.
"""

from __future__ import annotations

import math

import torch
from torch import nn

from torch_errors.watching.detector import Detector, tensors
from torch_errors.watching.graph import Graph, is_finite, is_given_nan, kind_of, parents, saved, saved_tensors, source

SOFTMAXES = {"SoftmaxBackward", "LogSoftmaxBackward"}


class Watch(Detector):
    inside = (nn.MultiheadAttention,)
    saw = {
        "en": "the softmax of {rows} of {all} rows is nan: every position in them is masked",
        "zh": "softmax 的 {all} 行中有 {rows} 行是 nan：这些行的所有位置都被屏蔽了",
    }

    def __init__(self, run):
        super().__init__(run)
        # (number of backward passes before the last attention that returned NaN, (hidden rows, all rows))
        self.attention = -1, None

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, nn.MultiheadAttention) and self.attention[0] != self.run.backwards:
            kwargs = inputs[-1] if isinstance(inputs[-1], dict) else {}
            mask = kwargs.get("key_padding_mask", inputs[3] if len(inputs) > 3 and torch.is_tensor(inputs[3]) else None)
            result = next(iter(tensors(output)), None)
            if mask is None or result is None or mask.dim() != 2 or not all(map(is_finite, module.parameters())):
                return
            hidden = (mask if mask.dtype == torch.bool else mask == -math.inf).all(dim=1)
            if hidden.any() and not is_finite(result) and all(is_finite(tensor) for tensor in tensors(inputs[0])):
                self.attention = self.run.backwards, (int(hidden.sum()), len(hidden))

    def on_not_finite(self, loss, value):
        if not math.isnan(value):
            return
        backwards, attention = self.attention
        attention = attention if backwards == self.run.backwards else None
        graph = Graph(loss)
        if not all(map(is_finite, graph.leaves)):
            return
        for node in graph.operations:
            if not all(map(is_finite, saved_tensors(node))):
                rows = hidden_rows(node) if kind_of(node) in SOFTMAXES else None
                rows = rows or attention
                if rows and not is_given_nan(graph):
                    self.find("proof", rows=rows[0], all=rows[1])
                    self.finished = True
                return


def hidden_rows(node):
    """Number of rows of a softmax that a mask hides, and of all rows; None unless exactly the hidden rows are NaN."""
    result, dim = saved(node, "_saved_result"), saved(node, "_saved_dim")
    before = source(parents(node)[0])
    kind = kind_of(before) if before is not None else ""
    if result is None or not result.dim() or kind not in ("MaskedFillBackward", "WhereBackward"):
        return None
    mask = saved(before, "_saved_mask" if kind == "MaskedFillBackward" else "_saved_condition")
    if mask is None:
        return None
    dim = dim - 2**64 if dim >= 2**63 else dim
    if kind == "WhereBackward" and parents(before)[0] is not None:  # where(keep, scores, -inf)
        mask = ~mask
    try:
        hidden = mask.expand(result.shape).all(dim)
    except RuntimeError:  # a view has changed the shape
        return None
    nan = result.isnan()
    same = bool((nan.any(dim) == hidden).all() and (nan.all(dim) == hidden).all())
    return (int(hidden.sum()), hidden.numel()) if same and hidden.any() else None
