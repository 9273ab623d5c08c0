"""Proof: the input of `kl_div` comes from a softmax, sigmoid or layer, and holds numbers above 0, which no log-probability is.

The graph shows which operation computed the input, but for a bias, dropout or a factor such as a temperature. It is silent behind a
logarithm and behind sums and products of computed values, about a target of logits, and where the arguments are exchanged, since an
input without gradient has no graph.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import MATRIX, kind_of, parents, source

LAYERS = (*MATRIX, "ConvolutionBackward", "NativeBatchNormBackward", "SparseAddmmBackward", "SparseMmBackward")
NOT_LOGS = {"SoftmaxBackward": "softmax", "SigmoidBackward": "sigmoid"}
CALLS = 8


class Watch(Detector):
    saw = {
        "en": "`kl_div` expects the logarithms of probabilities as its input and is given the result of {what}: numbers up to {most:.3g}, where 0 is the largest possible",
        "zh": "`kl_div` 的 input 要的是概率的对数，收到的却是{what_zh}的结果：最大到 {most:.3g}，而概率的对数不会超过 0",
    }

    def __init__(self, run):
        super().__init__(run)
        self.calls = 0

    def on_loss(self, name, input, target, value):
        if name != "kl_div" or not isinstance(input, torch.Tensor) or not is_real(input) or not input.numel():
            return
        self.calls += 1
        self.finished = self.calls >= CALLS
        node = before(input.grad_fn)
        kind, most = None if node is None else kind_of(node), input.max().item()
        if most > 1e-3 and kind in (*LAYERS, *NOT_LOGS):
            what = NOT_LOGS.get(kind, "a layer, logits")
            what_zh = f" {NOT_LOGS[kind]} " if kind in NOT_LOGS else "线性层或卷积层（logits）"
            self.find("proof", what=what, what_zh=what_zh, most=most)


def before(node):
    """The operation behind reshapes, a choice of rows, a learned bias, dropout and factors that are not trained."""
    while (node := source(node)) is not None:
        given = [one for one in parents(node) if one is not None and not hasattr(source(one), "variable")]
        factor = kind_of(node) in ("MulBackward", "DivBackward") and sum(one is not None for one in parents(node)) == 1
        if len(given) != 1 or not (factor or kind_of(node) in ("AddBackward", "IndexBackward", "SliceBackward")):
            break
        node = given[0]
    return node
