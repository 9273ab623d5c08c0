"""Strong: a model that is being trained is evaluated in training mode, with active dropout or batch norm.

An evaluation is a series of calls of the model on different inputs, without gradient tracking and without a backward
pass in between. One call is enough if a loss is computed from it (the second time), or if dropout is active (the third
time) in a program whose calls all get the same tensor, such as a graph. The detector does not report a single call (a
GAN that draws samples), repeated calls with the same input (Monte Carlo dropout), a model that is itself in evaluation
mode, models that no backward pass has followed (a mean teacher), or batch norm whose momentum is None (`update_bn`).
"""

from __future__ import annotations

import weakref

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from torch_errors.watching.detector import Detector, tensors

CALLS = 2
EVALUATIONS = 3


class Watch(Detector):
    needs = "validation"
    inside = (_DropoutNd, _BatchNorm)
    saw = {
        "en": "{model} is evaluated in training mode: {layer} still works as in training; call `model.eval()` first",
        "zh": "{model} 在训练模式下做评估：{layer} 仍按训练时的方式工作；评估前要调用 `model.eval()`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.trained = weakref.WeakSet()  # outermost modules that a backward pass has followed
        self.called = weakref.WeakSet()  # outermost modules that ran with gradients since the last backward pass
        self.active = None  # a dropout or batch norm layer that was active in the current outermost call
        self.calls = []  # evaluation calls in a row: shape and first values of their input
        self.model = self.layer = ""
        self.losses = 0
        self.only = None  # weak reference to the input of all calls with gradient tracking, False if they differ
        self.repeated = 0  # number of evaluations of that input with dropout

    def on_dropout(self, input, p, training):
        if training and 0 < p < 1 and self.active is None:
            self.active = "dropout"

    def on_forward(self, module, inputs, output, depth):
        if not module.training:
            return
        if isinstance(module, _DropoutNd | _BatchNorm):
            works = module.p > 0 if isinstance(module, _DropoutNd) else module.momentum is not None
            self.active = module if works else self.active
        if depth:
            return
        active, self.active = self.active, None
        if active is None and not self.calls:
            return
        given = next(iter(tensors(inputs)), None)
        if any(result.requires_grad for result in tensors(output)):
            if module not in self.trained:
                self.called.add(module)
            self.calls = []
            if self.only is None and given is not None:
                self.only = weakref.ref(given)
            elif self.only and self.only() is not given:
                self.only = False
            return
        if active is not None and module in self.trained and given is not None:
            signature = (tuple(given.shape), given.flatten()[:64].tolist())
            if signature in self.calls:
                self.only = False  # several calls with the same input: Monte Carlo dropout
            else:
                self.calls.append(signature)
            self.model = type(module).__name__
            self.layer = active if isinstance(active, str) else type(active).__name__
            if self.only and self.only() is given and not isinstance(active, _BatchNorm):
                self.repeated += 1
            if len(self.calls) >= CALLS or (self.only and self.repeated >= EVALUATIONS):
                self.find("strong", model=self.model, layer=self.layer)

    def on_loss(self, name, input, target, value):
        if self.calls and isinstance(value, torch.Tensor) and not value.requires_grad:
            self.losses += 1
            if self.losses >= 2:
                self.find("strong", model=self.model, layer=self.layer)

    def on_backward(self, loss, value):
        if self.called:
            self.trained |= self.called
            self.called.clear()
        self.calls = []
