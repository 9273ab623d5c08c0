"""Strong: a trained model in evaluation mode is evaluated while `F.dropout`, attention with `dropout_p`, or a dropout layer drops values.

The layer is one that is no part of the model, such as `nn.Dropout(p)(x)` in `forward`: `eval()` does not reach it.
It speaks at the third call of the model without gradient tracking. It is silent about the model's own layers that were left in
training mode; about repeated calls with the same input, and batches that repeat one sample (Monte Carlo dropout); and
about models that no backward pass has followed.
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
    inside = (_DropoutNd,)
    saw = {
        "en": "{model} is in evaluation mode, and dropout is at work, p={p}: {fix}",
        "zh": "{model} 处于评估模式，dropout 却仍在起作用，p={p}：{fix_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.trained = weakref.WeakSet()  # outermost modules that a backward pass has followed
        self.called = weakref.WeakSet()  # those that ran with gradient tracking since the last backward pass
        self.dropped = []  # p of each dropout at work since the last outermost call
        self.layers = []  # dropout layers at work since the last outermost call
        self.given = []  # what evaluation calls were given since the last backward pass
        self.seen = 0
        self.drops = False  # the program has dropout

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
            self.called.add(module)
            return
        given = next(iter(tensors(inputs)), None)
        evaluated = not module.training and module in self.trained and given is not None and given.dim()
        if (dropped or layers) and evaluated:
            strangers = [layer.p for layer in layers if layer not in set(module.modules())]
            if not dropped and not strangers:
                return
            told = (tuple(given.shape), given.flatten()[:64].tolist())
            if told in self.given or (len(given) > 1 and torch.equal(given[0], given[1])):
                self.finished = True  # on purpose
            self.given.append(told)
            self.seen += not self.finished
            if self.seen == CALLS:
                fix, fix_zh = FUNCTION if dropped else LAYER
                self.find("strong", model=type(module).__name__, p=(dropped + strangers)[0], fix=fix, fix_zh=fix_zh)
                self.finished = True

    def on_backward(self, loss, value):
        if self.called:
            self.trained |= self.called
            self.called.clear()
        self.given = []
