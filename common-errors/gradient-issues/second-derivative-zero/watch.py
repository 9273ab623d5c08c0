"""Proof: the loss contains a second derivative that is zero at every point, since the network is piecewise linear.

The detector reads the results of `torch.autograd.grad`. When a gradient is differentiated again by the same tensor, the
result is zero everywhere, and the graph between them has the backward pass of a ReLU or another piecewise linear
function, it waits for a loss that uses the result. It stays silent if the first derivative is zero as well (a last
layer that starts at zero), if a result is not finite, if the first derivative was taken by another tensor (a mixed
derivative), if the network has no such function (a model that is linear in its input), if no loss depends on the
result, and under the transforms of `torch.func`.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, is_real, program_line
from torch_errors.watching.graph import Graph, kind_of

# Nodes in the graph of a gradient that differentiate the gradient of a piecewise linear function -> its name.
PIECEWISE = {
    "ThresholdBackwardBackward": "ReLU", "LeakyReluBackwardBackward": "LeakyReLU", "HardtanhBackwardBackward": "Hardtanh",
    "PreluKernelBackwardBackward": "PReLU", "RreluWithNoiseBackwardBackward": "RReLU",
    "SoftshrinkBackwardBackward": "Softshrink", "HardshrinkBackwardBackward": "Hardshrink",
}  # fmt: skip
MOST = 64  # number of results that are read
# Key of the notes in the metadata of a node. They live as long as the node, and keep no tensor alive.
NOTE = "torch_errors second-derivative-zero"


class Watch(Detector):
    saw = {
        "en": "the second derivative is 0 at all {points} points, and the loss contains it: {activation} is piecewise linear, so it is 0 whatever the weights are",
        "zh": "loss 里的二阶导数在全部 {points} 个点上都是 0：{activation} 是分段线性函数，它恒为 0，与权重无关",
    }

    def __init__(self, run):
        super().__init__(run)
        self.kinds = set()  # kinds of the nodes with a note
        self.count = 0
        self.has_zeros = False

    def on_differentiated(self, outputs, inputs, gradients):
        nodes = Graph(outputs[0]).nodes if self.kinds and len(outputs) == 1 and outputs[0].grad_fn is not None else []
        for tensor, gradient in zip(inputs, gradients, strict=False):
            if gradient is None or gradient.grad_fn is None or not is_plain(gradient, tensor) or self.count >= MOST:
                continue
            self.count += 1
            note = {"by": weakref.ref(tensor)}
            if bool(gradient.any()):
                note["nonzero"] = bool(gradient.isfinite().all())
            elif any(first["by"]() is tensor and first.get("nonzero") for _, first in self.notes(nodes)):
                kind = next((kind for kind in map(kind_of, nodes) if kind in PIECEWISE), None)
                if kind is not None:
                    note["zero"] = (PIECEWISE[kind], len(gradient) if gradient.dim() else 1, program_line())
                    self.has_zeros = True
            gradient.grad_fn.metadata[NOTE] = note
            self.kinds.add(kind_of(gradient.grad_fn))

    def on_graph(self, graph, loss):
        if not self.has_zeros:
            self.finished = self.count >= MOST
            return
        for _, note in self.notes(graph.nodes):
            if "zero" in note:
                activation, points, line = note["zero"]
                self.find("proof", at=line, points=points, activation=activation)
                return

    def notes(self, nodes):
        """The nodes with a note, and the note."""
        return [(node, node.metadata[NOTE]) for node in nodes if kind_of(node) in self.kinds and NOTE in node.metadata]


def is_plain(*tensors):
    """Whether tensors hold values, and belong to no transform of `torch.func`."""
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return all(is_real(tensor) and not wrapped(tensor) for tensor in tensors)
