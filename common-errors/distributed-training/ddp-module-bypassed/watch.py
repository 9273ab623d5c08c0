"""Proof: steps are made with gradients of a pass that went around DistributedDataParallel, in eight steps in a row.

In a group of several ranks, modules inside the wrapper were called by the program, with a gradient, and the wrapper was not called
since the last step of an optimizer that has its parameters: the hooks that average gradients are prepared by the forward pass of
the wrapper. It is silent where tensors were sent by a collective since then, as by a program that averages gradients or weights
itself; where the wrapper is called as well; about calls from within other modules; and about compiled training steps.
"""

from __future__ import annotations

import weakref

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch_errors.watching.detector import Detector, tensors

IN_A_ROW, GIVEN_UP = 8, 512


class Wrapped:
    def __init__(self, wrapper, ranks):
        self.wrapper, self.ranks = weakref.ref(wrapper), ranks
        self.modules = {id(module) for module in wrapper.module.modules()}
        self.parameters = {id(parameter) for parameter in wrapper.module.parameters() if parameter.requires_grad}
        self.called = self.around = False  # since the last step: the wrapper, modules inside it
        self.steps = 0  # in a row that went around the wrapper


class Watch(Detector):
    inside = (DistributedDataParallel,)
    saw = {
        "en": "the gradients of {module} are not averaged over the {ranks} ranks, in {steps} steps: the program calls what DistributedDataParallel wraps (`.module`) instead of the wrapper",
        "zh": "{module} 的梯度没有在 {ranks} 个 rank 之间平均（已有 {steps} 步）：程序调用的是 DistributedDataParallel 里面的模型（`.module`），应当调用外层的包装",
    }

    def __init__(self, run):
        super().__init__(run)
        self.wrapped = []

    def on_wrapped(self, wrapper):
        ranks = dist.get_world_size(wrapper.process_group)
        if ranks > 1:
            self.wrapped.append(Wrapped(wrapper, ranks))

    def on_forward(self, module, inputs, output, depth):
        for one in self.wrapped:
            if one.wrapper() is module:
                one.called = True
            elif depth == 0 and id(module) in one.modules and not one.around:
                one.around = any(tensor.requires_grad for tensor in tensors(output))

    def on_collective(self, name, value):
        if any(tensor.numel() > 1 for tensor in tensors(value)):
            for one in self.wrapped:
                one.called = True

    def on_step(self, optimizer):
        if not self.wrapped:
            return
        self.wrapped = [one for one in self.wrapped if one.wrapper() is not None]
        ids = {id(p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None}
        for one in self.wrapped:
            if ids.isdisjoint(one.parameters):
                continue
            one.steps = one.steps + 1 if one.around and not one.called else 0
            one.called = one.around = False
            if one.steps == IN_A_ROW:
                self.find("proof", module=type(one.wrapper().module).__name__, ranks=one.ranks, steps=one.steps)
                self.finished = True
        self.finished = self.finished or self.run.steps > GIVEN_UP
