"""Proof: the input of `kl_div` comes from a softmax, sigmoid or layer and has values above 0: no log-probabilities.

The graph shows which operation computed the input; biases, dropout and untrained factors such as a temperature are
skipped. The detector reports nothing if the input is a logarithm, or a sum or product of computed values; if only the
target is logits; or if input and target are swapped, since an input without gradient has no graph.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import MATRIX, kind_of, parents, source

LAYERS = (*MATRIX, "ConvolutionBackward", "NativeBatchNormBackward", "SparseAddmmBackward", "SparseMmBackward")
NOT_LOGS = {"SoftmaxBackward": "softmax", "SigmoidBackward": "sigmoid"}
CALLS = 8  # number of calls that are checked


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
        node = producer_of(input.grad_fn)
        kind, most = None if node is None else kind_of(node), input.max().item()
        if most > 1e-3 and kind in (*LAYERS, *NOT_LOGS):
            producer = NOT_LOGS.get(kind, "a layer, logits")
            producer_zh = f" {NOT_LOGS[kind]} " if kind in NOT_LOGS else "线性层或卷积层（logits）"
            self.find("proof", what=producer, what_zh=producer_zh, most=most)


def producer_of(node):
    """The operation behind reshapes, row selection, a learned bias, dropout and untrained factors."""
    while (node := source(node)) is not None:
        inputs = [parent for parent in parents(node) if parent is not None and not hasattr(source(parent), "variable")]
        factor = (
            kind_of(node) in ("MulBackward", "DivBackward") and sum(parent is not None for parent in parents(node)) == 1
        )
        if len(inputs) != 1 or not (factor or kind_of(node) in ("AddBackward", "IndexBackward", "SliceBackward")):
            break
        node = inputs[0]
    return node
