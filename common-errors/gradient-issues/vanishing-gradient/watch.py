"""Strong: the gradient of the first layer is a ten-thousandth of the largest in three of the first steps in a row.

Layers are ordered as they ran. Consecutive layers with the same input tensor count as one, by the largest of their
gradients: with small weights, a query and a key hardly change the attention, unlike the value. Embeddings (their
gradients are sparse), frozen layers and gradients that are exactly zero (a branch that starts at zero) do not count.
Nor do layers that the gradient does not pass on its way to the first one: the graph shows what was computed from its
output. So the decoder of a VAE is no measure for the encoder if a sample without gradient is between them, or the
generator of a GAN for its discriminator.
"""

from __future__ import annotations

import weakref

import torch
from torch import nn

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, source

SHARE, IN_A_ROW, LAST_STEP, LAYERS = 1e-4, 3, 16, 4
WITH_WEIGHTS = (nn.Linear, nn.modules.conv._ConvNd)
# Operations with a gradient that is zero everywhere.
WITHOUT_SLOPE = {
    "BernoulliBackward", "CeilBackward", "FloorBackward", "NormalBackward", "PoissonBackward", "RoundBackward",
    "SignBackward", "TruncBackward",
}  # fmt: skip


class Watch(Detector):
    inside = WITH_WEIGHTS
    saw = {
        "en": "the gradient of the first layer, {layer}, is {share:.0e} of the largest, through {count} layers",
        "zh": "第一层 {layer} 的梯度只有最大梯度的 {share:.0e}，中间隔着 {count} 层",
    }

    def __init__(self, run):
        super().__init__(run)
        # id of a weight -> (layer, weak reference, number of its input), in the order in which the layers ran
        self.order = {}
        self.given, self.inputs = lambda: None, 0  # weak reference to the last input, number of inputs
        self.behind = {}  # id of a weight -> bits of the weights that a layer with it got its input from
        self.bits = {}  # id of a weight -> its bit
        self.in_a_row = 0

    def on_graph(self, graph, loss):
        """Find out for each layer which other layers its input was computed from."""
        weights = {id(weight) for _, ref, _ in self.order.values() if (weight := ref()) is not None}
        if len(weights) < LAYERS:
            return
        before = {}  # node -> bits of the weights that its result depends on
        for node in graph.operations:
            bits, own = 0, []
            for parent in () if kind_of(node) in WITHOUT_SLOPE else parents(node):
                weight = id(getattr(source(parent), "variable", None))
                if weight in weights:
                    own.append(weight)
                else:
                    bits |= before.get(parent, 0)
            for weight in own:
                self.behind[weight] = self.behind.get(weight, 0) | bits
                bits |= self.bits.setdefault(weight, 1 << len(self.bits))
            before[node] = bits

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, WITH_WEIGHTS):
            weight = module._parameters.get("weight")  # with spectral_norm, reading `module.weight` changes state
            if weight is not None:
                given = next(iter(inputs), None)
                if isinstance(given, torch.Tensor) and self.given() is not given:
                    self.given, self.inputs = weakref.ref(given), self.inputs + 1
                self.order.setdefault(id(weight), (type(module).__name__, weakref.ref(weight), self.inputs))

    def on_step(self, optimizer):
        ran = [(layer, weight, given) for layer, ref, given in self.order.values() if (weight := ref()) is not None]
        ran = [call for call in ran if call[1].grad is not None]
        self.order = {}
        self.finished = self.run.steps > LAST_STEP
        if len(ran) < LAYERS:
            return
        beginning = [call for call in ran if call[2] == ran[0][2]]
        bits = sum({self.bits.get(id(weight), 0) for _, weight, _ in beginning})
        later = [call for call in ran if call[2] != ran[0][2] and self.behind.get(id(call[1]), 0) & bits]
        ran = [*beginning, *later]
        if len(ran) < LAYERS:
            self.in_a_row = 0
            return
        norms = [float(weight.grad.norm()) for _, weight, _ in ran]
        first = max(norms[: len(beginning)])
        share = first / max(norms) if max(norms) > 0 else 0.0
        self.in_a_row = self.in_a_row + 1 if 0 < share < SHARE else 0
        if self.in_a_row >= IN_A_ROW:
            self.find("strong", layer=ran[0][0], share=share, count=len(ran))
