"""Proof: in the graph of the loss, `binary_cross_entropy_with_logits` is computed from a sigmoid or softmax.

Or `binary_cross_entropy` from the sigmoid of a sigmoid. Nodes that only reshape, cast or clamp may stand between them. It is
silent where the result of a sigmoid is scaled or shifted before.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, unclamped

SQUASHING = ("SigmoidBackward", "SoftmaxBackward")


class Watch(Detector):
    saw = {
        "en": "the loss applies a sigmoid to probabilities: what it is given has been through a {squashed} already",
        "zh": "损失对概率又做了一次 sigmoid：送进去的值已经过了 {squashed}",
    }

    def on_graph(self, graph, loss):
        for node in graph.named("BinaryCrossEntropyWithLogitsBackward", "BinaryCrossEntropyBackward"):
            given = unclamped(parents(node)[0])
            if kind_of(node) == "BinaryCrossEntropyBackward":
                given = (
                    unclamped(parents(given)[0]) if given is not None and kind_of(given) == "SigmoidBackward" else None
                )
            if given is not None and kind_of(given) in SQUASHING:
                self.find("proof", squashed=kind_of(given).removesuffix("Backward").lower())
