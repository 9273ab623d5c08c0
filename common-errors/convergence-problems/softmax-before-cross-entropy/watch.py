"""Proof: in the graph of the loss, a log-softmax is computed from a softmax or a sigmoid.

Nodes that only reshape, cast or clamp may lie in between. The detector does not report `log(softmax(x))` with
`nll_loss`, which is correct, or probabilities that are scaled first.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, unclamped


class Watch(Detector):
    saw = {
        "en": "the loss computes a log-softmax from probabilities: the model ends in a {squashed}, and cross entropy contains a softmax",
        "zh": "loss 对概率又做了一次 log-softmax：模型以 {squashed} 结尾，而交叉熵里已经有 softmax",
    }

    def on_graph(self, graph, loss):
        for node in graph.named("LogSoftmaxBackward"):
            inner = unclamped(parents(node)[0])
            if inner is not None and kind_of(inner) in ("SoftmaxBackward", "SigmoidBackward"):
                self.find("proof", squashed=kind_of(inner).removesuffix("Backward").lower())
