"""Proof: gradients of a backward pass are cleared before the step that was to use them, and the step finds none.

It speaks when that happens in three steps of an optimizer in a row: a backward pass has filled gradients of its parameters,
and at `step()` none is left. Where programs clear gradients on purpose, it asks for more. If the optimizer is also cleared at
the right place, or by hand, neither may it ever have stepped with a gradient (spikes may be skipped), nor may another since (a part
may be frozen). If another optimizer has used that backward pass (GANs), 24 steps from the first on must be empty. It is
silent where another backward pass has left zeros, where the step computes gradients itself (a closure), and where the program
has updated the parameters itself.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector

IN_A_ROW, IN_A_ROW_AFTER_OTHERS, LAST_STEP = 3, 24, 64
LOOKED_AT = 8  # parameters, the smallest ones


class Seen:
    """What was seen of an optimizer."""

    steps = 0
    stepped_at = 0  # backward passes before its last step
    filled_at = 0  # those up to the last one that filled gradients of its parameters
    weights = 0.0  # the sum of some parameters then
    cleared_at = 0  # the same at the last `zero_grad` that has cleared such gradients
    in_a_row = 0  # steps without any gradient, of which some backward pass has filled one
    cleared_elsewhere = False  # also by a `zero_grad` between a step and a backward pass, or not by `zero_grad`
    began_at = 0  # backward passes before the first of them
    learned_at = -1  # those before the last step with a gradient


class Watch(Detector):
    saw = {
        "en": "gradients are cleared between `backward()` and `step()`: {steps} steps in a row had no gradient to apply",
        "zh": "梯度在 `backward()` 与 `step()` 之间被清掉：连续 {steps} 步更新时已经没有梯度",
    }

    def __init__(self, run):
        super().__init__(run)
        self.seen = weakref.WeakKeyDictionary()  # optimizer -> Seen
        self.over = weakref.WeakSet()  # optimizers that are not looked at any more
        self.empty_at = None  # backward passes before the present step, if it has no gradient

    def of(self, optimizer):
        return self.seen.setdefault(optimizer, Seen())

    def fill(self, optimizer):
        seen = self.of(optimizer)
        if seen.steps < LAST_STEP and any(map(holds_gradient, parameters(optimizer)[:LOOKED_AT])):
            if seen.filled_at < self.run.backwards:
                seen.weights = sum_of_weights(optimizer)
            seen.filled_at = self.run.backwards

    def on_backward_done(self, loss):
        if len(self.over) < len(self.run.optimizers):
            for optimizer in list(self.run.optimizers):
                self.fill(optimizer)

    def on_zero_grad(self, owner):
        if isinstance(owner, torch.nn.Module):
            own = {id(p) for p in owner.parameters()}
            optimizers = [one for one in self.run.optimizers if own.intersection(map(id, parameters(one)))]
        else:
            optimizers = [owner]
        for optimizer in optimizers:
            seen = self.of(optimizer)
            if seen.stepped_at < self.run.backwards:
                self.fill(optimizer)
            if seen.filled_at > seen.stepped_at:
                seen.cleared_at = self.run.backwards
            elif seen.steps:
                seen.cleared_elsewhere = True

    def on_step(self, optimizer):
        seen, self.empty_at = self.of(optimizer), None
        if seen.filled_at > seen.stepped_at:
            gradients = [p.grad for p in parameters(optimizer) if p.grad is not None]
            # Zeros of a later backward pass are its own.
            if not gradients or seen.filled_at == self.run.backwards and not any(map(is_nonzero, gradients)):
                unused = seen.weights == sum_of_weights(optimizer)  # nobody else has updated the parameters
                self.empty_at = self.run.backwards if unused else None

    def on_gradients(self):
        self.empty_at = None  # a closure computes them

    def on_stepped(self, optimizer):
        seen = self.of(optimizer)
        if seen.steps >= LAST_STEP:
            return
        if self.empty_at is not None and self.empty_at == self.run.backwards:
            seen.in_a_row += 1
            seen.began_at = seen.began_at if seen.in_a_row > 1 else self.run.backwards
            seen.cleared_elsewhere |= seen.cleared_at < seen.filled_at
            others = max((one.learned_at for one in self.seen.values() if one is not seen), default=-1)
            used = others >= seen.filled_at
            on_purpose = (used or seen.cleared_elsewhere) and seen.learned_at >= 0
            on_purpose |= seen.cleared_elsewhere and others >= seen.began_at
            if seen.in_a_row >= (IN_A_ROW_AFTER_OTHERS if used else IN_A_ROW) and not on_purpose:
                self.find("proof", steps=seen.in_a_row)
        else:
            seen.in_a_row = 0
            if seen.steps < LAST_STEP and any(p.grad is not None for p in parameters(optimizer)):
                seen.learned_at = self.run.backwards
        seen.steps += 1
        if seen.steps == LAST_STEP:
            self.over.add(optimizer)
        seen.stepped_at = self.run.backwards
        self.finished = self.run.found(self.id)


def parameters(optimizer):
    """The trained ones, the smallest first."""
    found = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
    return sorted((p for p in found if p.requires_grad), key=torch.Tensor.numel)


def sum_of_weights(optimizer):
    return sum(float(p.sum()) for p in parameters(optimizer)[:LOOKED_AT])


def holds_gradient(parameter):
    return parameter.grad is not None and is_nonzero(parameter.grad)


def is_nonzero(gradient):
    return bool(gradient.abs().sum() > 0)  # sparse ones have no `any`
