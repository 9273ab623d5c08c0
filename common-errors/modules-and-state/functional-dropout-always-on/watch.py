"""Strong: a trained model in evaluation mode is evaluated while `F.dropout`, or attention with `dropout_p`, drops values.

It speaks at the third call of the model without gradient tracking. It is silent about dropout layers that were left in
training mode; about repeated calls with the same input, and batches that repeat one sample (Monte Carlo dropout); and
about models that no backward pass has followed.
"""

from __future__ import annotations

import weakref

import torch
from torch.nn.modules.dropout import _DropoutNd

from torch_errors.watching.detector import Detector, tensors

CALLS = 3


class Watch(Detector):
    inside = (_DropoutNd,)
    saw = {
        "en": "{model} is in evaluation mode, and dropout is at work, p={p}: pass `training=self.training` to `F.dropout`",
        "zh": "{model} 处于评估模式，dropout 却仍在起作用，p={p}：应当给 `F.dropout` 传 `training=self.training`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.trained = weakref.WeakSet()  # outermost modules that a backward pass has followed
        self.called = weakref.WeakSet()  # those that ran with gradient tracking since the last backward pass
        self.dropped = []  # p of each dropout at work since the last outermost call
        self.given = []  # what evaluation calls were given since the last backward pass
        self.seen = 0
        self.drops = False  # the program has dropout

    def on_dropout(self, input, p, training):
        if training and 0 < p < 1:
            self.drops = True
            self.dropped.append(p)

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, _DropoutNd) and module.training and self.dropped:
            self.dropped.pop()  # by a layer, not by a function
        if depth or not self.drops:
            return
        dropped, self.dropped = self.dropped, []
        if any(result.requires_grad for result in tensors(output)):
            self.called.add(module)
            return
        given = next(iter(tensors(inputs)), None)
        if dropped and not module.training and module in self.trained and given is not None and given.dim():
            told = (tuple(given.shape), float(given.flatten()[:64].float().sum()))
            if told in self.given or (len(given) > 1 and torch.equal(given[0], given[1])):
                self.finished = True  # on purpose
            self.given.append(told)
            self.seen += not self.finished
            if self.seen == CALLS:
                self.find("strong", model=type(module).__name__, p=dropped[0])
                self.finished = True

    def on_backward(self, loss, value):
        if self.called:
            self.trained |= self.called
            self.called.clear()
        self.given = []
