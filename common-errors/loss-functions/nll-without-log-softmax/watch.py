"""Proof: `nll_loss` is given what a layer, an activation, a softmax or a sigmoid computed, and it holds no log-probabilities.

The graph shows which operation computed the input of the loss, but for a bias, dropout, a factor or the sum of a graph layer over
neighbours, and the numbers confirm it: the exponentials of log-probabilities add up to 1 for each sample. It is silent where the
loss contains a logarithm, as cross entropy by hand, or a constant is added to `nll_loss`, as for a margin; behind sums and products
of computed values, such as log-densities, which need not be normalized; and while the exponentials happen to add up to 1.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import MATRIX, kind_of, parents, saved, source

LAYERS = (*MATRIX, "ConvolutionBackward", "NativeBatchNormBackward", "SparseAddmmBackward", "SparseMmBackward")
PICKED = ("IndexBackward", "IndexSelectBackward", "SliceBackward")
NEIGHBOURS = ("IndexAddBackward", "ScatterAddBackward", "ScatterReduceBackward")
NOT_LOGS = {"SoftmaxBackward": "softmax", "SigmoidBackward": "sigmoid", "ReluBackward": "relu", "TanhBackward": "tanh"}
OFF = 0.05  # how far from 1 the sums must be


class Watch(Detector):
    saw = {
        "en": "`nll_loss` expects log-probabilities and is given the result of {what}: their exponentials add up to {total:.3g} instead of 1",
        "zh": "`nll_loss` 要的是对数概率，收到的却是{what_zh}的结果：取指数后之和是 {total:.3g}，不是 1",
    }

    def on_graph(self, graph, loss):
        if any(graph.named("LogsumexpBackward", "LogBackward")):  # a normalization that is subtracted after `nll_loss`
            return
        for node in graph.named("NllLossBackward", "NllLoss2DBackward"):
            given, values = before(parents(node)[0]), saved(node, "_saved_self")
            kind = None if given is None else kind_of(given)
            if not isinstance(values, torch.Tensor) or not is_real(values) or not values.numel():
                continue
            if kind not in (*LAYERS, *NOT_LOGS):
                continue
            sums = (one for one in graph.named("AddBackward", "SubBackward") if node in parents(one))
            if any(None in parents(one) for one in sums):  # such as 1 + nll_loss(probabilities): it picks a class
                continue
            total = values.double().exp().sum(dim=min(1, values.dim() - 1)).median().item()
            if abs(total - 1) > OFF:
                what = NOT_LOGS.get(kind, "a layer, logits")
                self.find(
                    "proof",
                    what=what,
                    what_zh=f" {NOT_LOGS[kind]} " if kind in NOT_LOGS else "线性层或卷积层（logits）",
                    total=total,
                )
                self.finished = True
                return


def before(node):
    """The operation behind reshapes, a choice of rows, a learned bias, dropout and factors that are not trained.

    Also behind sums over the neighbours of a node: of rows that a layer has computed, these are no log-probabilities.
    """
    while (node := source(node)) is not None:
        given = [one for one in parents(node) if one is not None and not hasattr(source(one), "variable")]
        factor = kind_of(node) in ("MulBackward", "DivBackward") and sum(one is not None for one in parents(node)) == 1
        if len(given) != 1 or not (factor or kind_of(node) in ("AddBackward", *PICKED, *NEIGHBOURS)):
            break
        node = given[0]
    return node
