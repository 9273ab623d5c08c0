"""Strong: a trained model in evaluation mode still drops values (`F.dropout`, attention's `dropout_p`, dropout layer).

Such a layer is not part of the model, like `nn.Dropout(p)(x)` in `forward`, so `eval()` does not reach it. The detector
reports the third such call of the model without gradient tracking. It reports nothing for the model's own layers that
were left in training mode; for repeated calls with the same input, and batches that repeat one sample (Monte Carlo
dropout); and for models that no backward pass has followed.
"""

from __future__ import annotations

import weakref

import torch
from torch.nn.modules.dropout import _DropoutNd

from torch_errors.watching.detector import Detector, tensors

CALLS = 3
FUNCTION = "pass `training=self.training` to `F.dropout`", "应当给 `F.dropout` 传 `training=self.training`"
LAYER = "make the layer an attribute of the model", "应当把 dropout 层定义为模型的属性"


class Watch(Detector):
    needs = "validation"
    inside = (_DropoutNd,)
    saw = {
        "en": "{model} is in evaluation mode, but dropout is active, p={p}: {fix}",
        "zh": "{model} 处于评估模式，dropout 却仍在起作用，p={p}：{fix_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.trained = weakref.WeakSet()  # outermost modules that a backward pass has followed
        self.called = weakref.WeakSet()  # modules that ran with gradient tracking since the last backward pass
        self.dropped = []  # p of each active dropout since the last outermost call
        self.layers = []  # active dropout layers since the last outermost call
        self.fingerprints = []  # shapes and first values of evaluation inputs since the last backward pass
        self.seen = 0  # evaluation calls with active dropout
        self.drops = False  # whether the program has active dropout

    def on_dropout(self, input, p, training):
        if training and 0 < p < 1:
            self.drops = True
            self.dropped.append(p)

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, _DropoutNd) and module.training and self.dropped:
            self.dropped.pop()
            self.layers.append(module)
        if depth or not self.drops:
            return
        dropped, self.dropped, layers, self.layers = self.dropped, [], self.layers, []
        if any(result.requires_grad for result in tensors(output)):
            if module not in self.trained:
                self.called.add(module)
            return
        batch = next(iter(tensors(inputs)), None)
        evaluated = not module.training and module in self.trained and batch is not None and batch.dim()
        if (dropped or layers) and evaluated:
            foreign = [layer.p for layer in layers if layer not in set(module.modules())]
            if not dropped and not foreign:
                return
            fingerprint = (tuple(batch.shape), batch.flatten()[:64].tolist())
            if fingerprint in self.fingerprints or (len(batch) > 1 and torch.equal(batch[0], batch[1])):
                self.finished = True  # Monte Carlo dropout, on purpose
            self.fingerprints.append(fingerprint)
            self.seen += not self.finished
            if self.seen == CALLS:
                fix, fix_zh = FUNCTION if dropped else LAYER
                self.find("strong", model=type(module).__name__, p=(dropped + foreign)[0], fix=fix, fix_zh=fix_zh)
                self.finished = True

    def on_backward(self, loss, value):
        if self.called:
            self.trained |= self.called
            self.called.clear()
        self.fingerprints = []
