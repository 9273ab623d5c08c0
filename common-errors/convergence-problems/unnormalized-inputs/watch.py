"""Strong: the first layer with weights is given inputs of size 20 or more in six training steps in a row.

The size is the root mean square of a column (a feature or channel). The detector does not report if a normalization
comes next, layers that are not trained, or images whose pixels are not scaled, which have an entry of their own.
"""

from __future__ import annotations

from torch import nn

from torch_errors.watching.detector import Detector, tensors

LARGE, IN_A_ROW = 20, 6
UNSCALED_IMAGES = "uint8-not-scaled"
SAMPLES = 32  # maximum number of samples to read per batch
WITH_WEIGHTS = (nn.Linear, nn.modules.conv._ConvNd, nn.RNNBase)
NORMALIZING = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)


class Watch(Detector):
    inside = (*WITH_WEIGHTS, *NORMALIZING, nn.Embedding)
    saw = {
        "en": "the inputs of the first layer, {layer}, have columns of sizes {smallest:.3g} to {largest:.3g}; they should be about 1",
        "zh": "第一层 {layer} 的输入各列大小在 {smallest:.3g} 到 {largest:.3g} 之间，应当在 1 左右",
    }

    def __init__(self, run):
        super().__init__(run)
        self.first = None  # (layer, smallest size, largest size) of the first layer in this outermost call
        self.second = False  # whether a second layer with weights has run: a later normalization comes too late
        self.ready = True  # whether the first layer of this outermost call is still to come
        self.calls = []  # `first` of each outermost call since the last backward pass
        self.in_a_row = 0

    def on_forward(self, module, inputs, output, depth):
        if not module.training:
            return
        if self.ready and isinstance(module, (*WITH_WEIGHTS, *NORMALIZING, nn.Embedding)):
            self.ready = False
            given = next(iter(tensors(inputs[:1])), None)
            plain = given is not None and given.is_floating_point() and given.dim() > 1 and given.numel() > 0
            if isinstance(module, WITH_WEIGHTS) and plain and any(p.requires_grad for p in module.parameters()):
                samples = given.detach()[:SAMPLES]
                columns = samples.movedim(1, -1) if isinstance(module, nn.modules.conv._ConvNd) else samples
                sizes = columns.flatten(0, -2).float().square().mean(dim=0).sqrt()
                self.first = (type(module).__name__, sizes.min().item(), sizes.max().item())
                self.second = False
        elif self.first and isinstance(module, NORMALIZING) and not self.second:
            self.first = None
        elif self.first and isinstance(module, WITH_WEIGHTS):
            self.second = True
        if depth == 0:
            if self.first:
                self.calls.append(self.first)
            self.first, self.ready = None, True

    def on_backward(self, loss, value):
        large = [call for call in self.calls if call[2] > LARGE]
        self.in_a_row = self.in_a_row + 1 if large else 0
        self.finished = self.run.backwards > 16
        if self.in_a_row >= IN_A_ROW:
            layer, smallest, largest = large[0]
            if not self.run.found(UNSCALED_IMAGES):
                self.find("strong", layer=layer, smallest=smallest, largest=largest)
            self.finished = True
        self.calls = []
