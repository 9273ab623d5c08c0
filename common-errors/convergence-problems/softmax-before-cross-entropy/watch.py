"""Proof: in the graph of the loss, a log-softmax is computed from a softmax.

Nodes that only reshape or cast may stand between them. It is silent about `log(softmax(x))` with `nll_loss`, which is right.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import name_of, parents, source


class Watch(Detector):
    saw = {
        "en": "the loss computes a log-softmax from probabilities: the model ends in a softmax, and cross entropy applies it again",
        "zh": "损失对概率又做了一次 log-softmax：模型以 softmax 结尾，而交叉熵里还有一次",
    }

    def on_graph(self, graph, loss):
        for node in graph.named("LogSoftmaxBackward"):
            inner = source(parents(node)[0])
            if inner is not None and name_of(inner).startswith("SoftmaxBackward"):
                self.find("proof")
