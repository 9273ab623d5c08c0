"""Proof: the input of `nll_loss` comes from a layer, activation, softmax or sigmoid, and isn't log-probabilities.

The graph shows which operation computed the input; biases, dropout, factors and a graph layer's sum over neighbors are
skipped. The values confirm it: exponentials of log-probabilities add up to 1 for each sample. The detector reports
nothing if the loss contains a logarithm (cross entropy by hand); if a constant is added to `nll_loss` (a margin); if
the input is a sum or product of computed values, such as log-densities, which need not be normalized; or if the
exponentials happen to add up to 1.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import MATRIX, kind_of, parents, saved, source

LAYERS = (*MATRIX, "ConvolutionBackward", "NativeBatchNormBackward", "SparseAddmmBackward", "SparseMmBackward")
PICKED = ("IndexBackward", "IndexSelectBackward", "SliceBackward")
NEIGHBORS = ("IndexAddBackward", "ScatterAddBackward", "ScatterReduceBackward")
NOT_LOGS = {"SoftmaxBackward": "softmax", "SigmoidBackward": "sigmoid", "ReluBackward": "relu", "TanhBackward": "tanh"}
TOLERANCE = 0.05  # sums this close to 1 count as normalized


class Watch(Detector):
    saw = {
        "en": "`nll_loss` expects log-probabilities and is given the result of {what}: their exponentials add up to {total:.3g} instead of 1",
        "zh": "`nll_loss` 要的是对数概率，收到的却是{what_zh}的结果：取指数后之和是 {total:.3g}，不是 1",
    }

    def on_graph(self, graph, loss):
        if any(graph.named("LogsumexpBackward", "LogBackward")):  # maybe the normalization, subtracted after `nll_loss`
            return
        for node in graph.named("NllLossBackward", "NllLoss2DBackward"):
            operation, values = producer_of(parents(node)[0]), saved(node, "_saved_self")
            kind = None if operation is None else kind_of(operation)
            if not isinstance(values, torch.Tensor) or not is_real(values) or not values.numel():
                continue
            if kind not in (*LAYERS, *NOT_LOGS):
                continue
            sums = (addition for addition in graph.named("AddBackward", "SubBackward") if node in parents(addition))
            if any(None in parents(addition) for addition in sums):  # e.g. 1 - p of the target class
                continue
            total = values.double().exp().sum(dim=min(1, values.dim() - 1)).median().item()
            if abs(total - 1) > TOLERANCE:
                producer = NOT_LOGS.get(kind, "a layer, logits")
                self.find(
                    "proof",
                    what=producer,
                    what_zh=f" {NOT_LOGS[kind]} " if kind in NOT_LOGS else "线性层或卷积层（logits）",
                    total=total,
                )
                self.finished = True
                return


def producer_of(node):
    """The operation behind reshapes, row selection, a learned bias, dropout and untrained factors.

    Sums over a node's neighbors are also skipped: sums of rows that a layer has computed are not log-probabilities.
    """
    while (node := source(node)) is not None:
        inputs = [parent for parent in parents(node) if parent is not None and not hasattr(source(parent), "variable")]
        factor = (
            kind_of(node) in ("MulBackward", "DivBackward") and sum(parent is not None for parent in parents(node)) == 1
        )
        if len(inputs) != 1 or not (factor or kind_of(node) in ("AddBackward", *PICKED, *NEIGHBORS)):
            break
        node = inputs[0]
    return node
