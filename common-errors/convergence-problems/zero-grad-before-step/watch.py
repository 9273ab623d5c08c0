"""Proof: gradients of a backward pass are cleared before the step that was to use them, and the step finds none.

It speaks when that happens in three steps of an optimizer in a row: a backward pass has filled gradients of its parameters,
`zero_grad` has cleared them, and at `step()` none is left. It is silent where another backward pass follows before the step
(GANs), where the step computes gradients itself (a closure), and where gradients are dropped and no step follows.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector

IN_A_ROW, LAST_STEP, LOOKED_AT = 3, 64, 4


class Watch(Detector):
    saw = {
        "en": "`zero_grad()` stands between `backward()` and `step()`: {steps} steps in a row had no gradient to apply",
        "zh": "`zero_grad()` 写在了 `backward()` 与 `step()` 之间：连续 {steps} 步更新时已经没有梯度",
    }

    def __init__(self, run):
        super().__init__(run)
        self.stepped_at = weakref.WeakKeyDictionary()  # optimizer -> backward passes before its last step
        self.discarded = weakref.WeakSet()  # optimizers whose gradients were cleared since their last step
        self.in_a_row = weakref.WeakKeyDictionary()  # optimizer -> steps without any gradient
        self.empty_at = None  # backward passes before the present step, if it has no gradient

    def on_zero_grad(self, owner):
        optimizers = list(self.run.optimizers) if isinstance(owner, torch.nn.Module) else [owner]
        for optimizer in optimizers:
            if self.stepped_at.get(optimizer, 0) < self.run.backwards:
                trained = parameters(optimizer)
                if any(map(holds_gradient, trained[:LOOKED_AT] + trained[-LOOKED_AT:])):
                    self.discarded.add(optimizer)

    def on_step(self, optimizer):
        cleared = optimizer in self.discarded
        self.empty_at = self.run.backwards if cleared and not any(map(holds_gradient, parameters(optimizer))) else None

    def on_stepped(self, optimizer):
        without = self.empty_at is not None and self.empty_at == self.run.backwards
        self.in_a_row[optimizer] = self.in_a_row.get(optimizer, 0) + 1 if without else 0
        if self.in_a_row[optimizer] >= IN_A_ROW:
            self.find("proof", steps=IN_A_ROW)
        self.discarded.discard(optimizer)
        self.stepped_at[optimizer] = self.run.backwards
        self.finished = self.run.found(self.id) or self.run.steps > LAST_STEP


def parameters(optimizer):
    return [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]


def holds_gradient(parameter):
    return parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)  # sparse ones have no `any`
