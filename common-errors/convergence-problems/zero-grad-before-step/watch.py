"""Proof: gradients of a backward pass are cleared before the step that should use them, so the step has none.

The detector reports if this happens in three steps of an optimizer in a row: a backward pass has filled gradients of
its parameters, and at `step()` none is left. It is stricter if a program may clear gradients on purpose. If gradients
are also cleared at the right place, or by hand, the optimizer must never have stepped with a gradient (spikes may be
skipped), and no other optimizer may have done so since (a part may be frozen). If a different optimizer has used that
backward pass (GANs), its first 24 steps must be empty. It does not report if a later backward pass has left zeros, if
the step computes gradients itself (a closure), or if the program has updated the parameters itself.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector

IN_A_ROW, IN_A_ROW_AFTER_OTHERS, LAST_STEP = 3, 24, 64
LOOKED_AT = 8  # number of parameters to check, the smallest ones


class History:
    """What the detector has observed of an optimizer. Times are counted in backward passes of the run."""

    steps = 0
    stepped_at = 0  # time of the last step
    filled_at = 0  # time of the last backward pass that filled gradients of its parameters
    weights = 0.0  # sum of some parameters at that time
    cleared_at = 0  # time of the last `zero_grad` that cleared such gradients
    in_a_row = 0  # steps in a row without any gradient although a backward pass had filled one
    cleared_elsewhere = False  # whether gradients were also cleared after a step, or without `zero_grad`
    began_at = 0  # time of the first step without gradients in a row
    learned_at = -1  # time of the last step with a gradient


class Watch(Detector):
    saw = {
        "en": "gradients are cleared between `backward()` and `step()`: {steps} steps in a row had no gradient to apply",
        "zh": "梯度在 `backward()` 与 `step()` 之间被清掉：连续 {steps} 步更新时已经没有梯度",
    }

    def __init__(self, run):
        super().__init__(run)
        self.history = weakref.WeakKeyDictionary()  # optimizer -> its History
        self.over = weakref.WeakSet()  # optimizers that are no longer checked
        self.empty_at = None  # time of the current step if it has no gradient

    def history_of(self, optimizer):
        return self.history.setdefault(optimizer, History())

    def note_gradients(self, optimizer):
        history = self.history_of(optimizer)
        if history.steps < LAST_STEP and any(map(holds_gradient, parameters(optimizer)[:LOOKED_AT])):
            if history.filled_at < self.run.backwards:
                history.weights = sum_of_weights(optimizer)
            history.filled_at = self.run.backwards

    def on_backward_done(self, loss):
        if len(self.over) < len(self.run.optimizers):
            for optimizer in list(self.run.optimizers):
                self.note_gradients(optimizer)

    def on_zero_grad(self, owner):
        if owner in self.over or len(self.over) == len(self.run.optimizers):
            return
        if isinstance(owner, torch.nn.Module):
            own = {id(p) for p in owner.parameters()}
            optimizers = [each for each in self.run.optimizers if own.intersection(map(id, parameters(each)))]
        else:
            optimizers = [owner]
        for optimizer in optimizers:
            history = self.history_of(optimizer)
            if history.stepped_at < self.run.backwards:
                self.note_gradients(optimizer)
            if history.filled_at > history.stepped_at:
                history.cleared_at = self.run.backwards
            elif history.steps:
                history.cleared_elsewhere = True

    def on_step(self, optimizer):
        history, self.empty_at = self.history_of(optimizer), None
        if history.filled_at > history.stepped_at:
            gradients = [p.grad for p in parameters(optimizer) if p.grad is not None]
            # Zeros count as cleared gradients only if no later backward pass may have computed them.
            if not gradients or history.filled_at == self.run.backwards and not any(map(is_nonzero, gradients)):
                unused = history.weights == sum_of_weights(optimizer)  # the program made no update itself
                self.empty_at = self.run.backwards if unused else None

    def on_gradients(self):
        self.empty_at = None  # a closure computes them

    def on_stepped(self, optimizer):
        history = self.history_of(optimizer)
        if history.steps >= LAST_STEP:
            return
        if self.empty_at is not None and self.empty_at == self.run.backwards:
            history.in_a_row += 1
            history.began_at = history.began_at if history.in_a_row > 1 else self.run.backwards
            history.cleared_elsewhere |= history.cleared_at < history.filled_at
            others = max((other.learned_at for other in self.history.values() if other is not history), default=-1)
            used = others >= history.filled_at
            on_purpose = (used or history.cleared_elsewhere) and history.learned_at >= 0
            on_purpose |= history.cleared_elsewhere and others >= history.began_at
            if history.in_a_row >= (IN_A_ROW_AFTER_OTHERS if used else IN_A_ROW) and not on_purpose:
                self.find("proof", steps=history.in_a_row)
        else:
            history.in_a_row = 0
            if history.steps < LAST_STEP and any(p.grad is not None for p in parameters(optimizer)):
                history.learned_at = self.run.backwards
        history.steps += 1
        if history.steps == LAST_STEP:
            self.over.add(optimizer)
        history.stepped_at = self.run.backwards
        self.finished = self.run.found(self.id)


def parameters(optimizer):
    """Return the trained parameters, the smallest first."""
    tensors = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
    return sorted((p for p in tensors if p.requires_grad), key=torch.Tensor.numel)


def sum_of_weights(optimizer):
    return sum(float(p.sum()) for p in parameters(optimizer)[:LOOKED_AT])


def holds_gradient(parameter):
    return parameter.grad is not None and is_nonzero(parameter.grad)


def is_nonzero(gradient):
    return bool(gradient.abs().sum() > 0)  # sparse tensors have no `any`
