"""Proof: in the graph of the loss, `binary_cross_entropy_with_logits` is computed from a sigmoid or softmax.

The detector also reports `binary_cross_entropy` of the sigmoid of a sigmoid or softmax. Nodes that only reshape, cast
or clamp may come in between. It reports nothing if the output of the first sigmoid is scaled or shifted before the
second.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, unclamped

SQUASHING = ("SigmoidBackward", "SoftmaxBackward")


class Watch(Detector):
    saw = {
        "en": "the loss applies a sigmoid to probabilities: its input has already been through a {squashed}",
        "zh": "loss 又对概率做了一次 sigmoid：送进去的值已经过了 {squashed}",
    }

    def on_graph(self, graph, loss):
        for node in graph.named("BinaryCrossEntropyWithLogitsBackward", "BinaryCrossEntropyBackward"):
            input = unclamped(parents(node)[0])
            if kind_of(node) == "BinaryCrossEntropyBackward":
                input = (
                    unclamped(parents(input)[0]) if input is not None and kind_of(input) == "SigmoidBackward" else None
                )
            if input is not None and kind_of(input) in SQUASHING:
                self.find("proof", squashed=kind_of(input).removesuffix("Backward").lower())
