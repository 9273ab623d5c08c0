"""Strong: the gradient of the first layer is a ten-thousandth of the largest, in three of the first steps in a row.

Layers are ordered as they ran. Embeddings, whose gradients are sparse, frozen layers and gradients that are exactly zero (a
branch that starts at zero) do not count.
"""

from __future__ import annotations

import weakref

from torch import nn

from torch_errors.watching.detector import Detector

SHARE, IN_A_ROW, LAST_STEP, LAYERS = 1e-4, 3, 16, 4
WITH_WEIGHTS = (nn.Linear, nn.modules.conv._ConvNd)


class Watch(Detector):
    inside = WITH_WEIGHTS
    saw = {
        "en": "the gradient of the first layer, {layer}, is {share:.0e} of the largest, through {count} layers",
        "zh": "第一层 {layer} 的梯度只有最大者的 {share:.0e}，中间隔着 {count} 层",
    }

    def __init__(self, run):
        super().__init__(run)
        self.order = {}  # id of a weight -> (layer, weak reference), in the order in which they ran
        self.in_a_row = 0

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, WITH_WEIGHTS):
            weight = module._parameters.get("weight")  # `module.weight` may compute: spectral_norm changes its state
            if weight is not None:
                self.order.setdefault(id(weight), (type(module).__name__, weakref.ref(weight)))

    def on_step(self, optimizer):
        ran = [(layer, ref()) for layer, ref in self.order.values() if ref() is not None and ref().grad is not None]
        self.order = {}
        self.finished = self.run.steps > LAST_STEP
        if len(ran) < LAYERS:
            return
        norms = [float(weight.grad.norm()) for _, weight in ran]
        share = norms[0] / max(norms) if max(norms) > 0 else 0.0
        self.in_a_row = self.in_a_row + 1 if 0 < share < SHARE else 0
        if self.in_a_row >= IN_A_ROW:
            self.find("strong", layer=ran[0][0], share=share, count=len(ran))
