"""Proof: the gradients of a step still contain the gradients of the step before.

Before each backward pass, the detector checks whether the gradients of a few parameters still exist although their
optimizer has stepped since they were last empty. It notices every way of clearing them or changing them in between. It
reports when a step uses such gradients the second time in a row, since some programs (GANs) leave gradients behind and
clear them before use. It does not report steps that compute their gradients themselves (a closure).
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.weak import WeakIdKeyDictionary

from torch_errors.watching.detector import Detector, is_real

LOOKED_AT = 4  # number of parameters to check per optimizer: the first and last ones
IN_A_ROW = 2
SAMPLE = 16  # number of values to compare per parameter


class Watch(Detector):
    saw = {
        "en": "the gradients of this step still contain those of the steps before: nothing clears them between `step()` and `backward()`",
        "zh": "这一步的梯度里还留着前几步的梯度：`step()` 与下一次 `backward()` 之间没有清零",
    }

    def __init__(self, run):
        super().__init__(run)
        # parameter -> version of its gradient that a step has used, None if it was cleared
        self.stepped = WeakIdKeyDictionary()
        self.carried = WeakIdKeyDictionary()  # parameter -> whether the backward pass adds to that gradient
        self.in_a_row = weakref.WeakKeyDictionary()  # optimizer -> such steps in a row, -1 if it clears gradients
        self.used = False  # whether the step that is running, without a backward pass in it, is the second of this kind
        self.before = WeakIdKeyDictionary()  # parameter -> version of its gradient before the backward pass
        # parameter without optimizer -> (its values, its gradient, updates in a row)
        self.by_hand = WeakIdKeyDictionary()

    def on_backward(self, loss, value):
        self.used = False
        for parameter in list(self.stepped) if self.stepped else ():
            now, left = version(parameter.grad), holds_gradient(parameter)
            self.carried[parameter] = left and self.stepped[parameter] == now
            if left:
                self.before[parameter] = now
            else:
                self.stepped[parameter] = None

    def on_graph(self, graph, loss):
        optimized = self.run.optimized()
        free = [leaf for leaf in graph.leaves if id(leaf) not in optimized and is_real(leaf)]
        watched, self.by_hand = self.by_hand, WeakIdKeyDictionary()
        for parameter in free[: LOOKED_AT // 2] + free[-LOOKED_AT // 2 :]:
            values, gradient, updates = first_values(parameter), first_values(parameter.grad), 0
            if parameter in watched and gradient is not None and holds_gradient(parameter):
                old_values, old_gradient, updates = watched[parameter]
                updated = (
                    not torch.equal(values, old_values)
                    and old_gradient is not None
                    and torch.equal(gradient, old_gradient)
                )
                updates = updates + 1 if updated else 0
            if updates >= IN_A_ROW:
                self.find("proof")
            self.by_hand[parameter] = (values, gradient, updates)

    def on_backward_done(self, loss):
        for parameter, gradient in list(self.before.items()) if self.before else ():
            if version(parameter.grad) == gradient:  # not reached, like the float32 copy of a half-precision weight
                self.carried[parameter] = False
            elif self.carried[parameter]:
                self.stepped[parameter] = version(parameter.grad)  # the pass has changed it, not the program
        if self.before:
            self.before = WeakIdKeyDictionary()
        for parameter, (values, _, updates) in list(self.by_hand.items()) if self.by_hand else ():
            self.by_hand[parameter] = (values, first_values(parameter.grad), updates)

    def on_step(self, optimizer):
        if self.in_a_row.get(optimizer, 0) < 0:
            return
        looked_at = self.parameters(optimizer)
        carried = [p for p in looked_at if self.carried.get(p) and holds_gradient(p)]
        self.in_a_row[optimizer] = self.in_a_row.get(optimizer, 0) + 1 if carried else 0
        self.used = self.in_a_row[optimizer] >= IN_A_ROW
        if self.run.steps > 64 and not carried:  # it clears them: stop checking it
            self.in_a_row[optimizer] = -1
            for parameter in looked_at:
                self.stepped.pop(parameter, None)
            return
        for parameter in looked_at:
            self.stepped[parameter] = None
            self.carried[parameter] = False

    def on_stepped(self, optimizer):
        if self.used:
            self.find("proof")
            self.used = False
        if self.in_a_row.get(optimizer, 0) < 0:
            return
        for parameter in self.parameters(optimizer):
            if parameter in self.stepped:
                self.stepped[parameter] = version(parameter.grad)

    def parameters(self, optimizer):
        tensors = (p for group in optimizer.param_groups for p in group["params"])
        trained = [p for p in tensors if isinstance(p, torch.Tensor) and not p.is_meta]
        return trained[: LOOKED_AT // 2] + trained[-LOOKED_AT // 2 :]


def holds_gradient(parameter):
    return parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)  # sparse tensors have no `any`


def version(gradient):
    return gradient if gradient is None else (id(gradient), gradient._version)


def first_values(tensor):
    """Return a copy of the first values of a tensor."""
    return None if tensor is None else tensor.detach().to_dense().flatten()[:SAMPLE].clone()
