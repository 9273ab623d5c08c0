"""Proof: steps are made with gradients of a pass that went around DistributedDataParallel, in eight steps in a row.

In a group of several ranks, modules inside the wrapper were called by the program, with a gradient, and the wrapper was not called
since the last step of an optimizer that has its parameters: the hooks that average gradients are prepared by the forward pass of
the wrapper. It speaks when the wrapper is gone, the program has ended, or after 2048 such steps, unless by then a collective has sent
a tensor as large as the largest parameter or more, as large as one or all where tensors are gathered, which may be predictions: then
the program averages gradients or weights itself, as local SGD does, perhaps only after hundreds of steps. It is silent where the wrapper is called as well; about steps after which any tensor was sent; about calls from
within other modules; and about compiled training steps.
"""

from __future__ import annotations

import weakref

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch_errors.watching.detector import Detector, program_line, tensors

IN_A_ROW, LONG_ENOUGH, GIVEN_UP = 8, 2048, 512


class Wrapped:
    def __init__(self, wrapper, ranks):
        self.wrapper, self.name, self.ranks = weakref.ref(wrapper), type(wrapper.module).__name__, ranks
        self.modules = {id(module) for module in wrapper.module.modules()}
        parameters = [parameter for parameter in wrapper.module.parameters() if parameter.requires_grad]
        self.parameters = {id(parameter) for parameter in parameters}
        self.largest = max((parameter.numel() for parameter in parameters), default=0)
        self.all = sum(parameter.numel() for parameter in parameters)
        self.called = self.around = False  # since the last step: the wrapper, modules inside it
        self.steps = 0  # in a row that went around the wrapper
        self.at = None  # the line of the step that was one too many

    def averages(self, name, sent):
        """Whether a collective that sends so many numbers may average its weights or gradients."""
        if "gather" not in name:
            return sent >= self.largest
        return sent in {size * times for size in (self.largest, self.all) for times in (1, self.ranks)}


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
        sent = max((tensor.numel() for tensor in tensors(value)), default=0)
        if sent > 1:
            self.wrapped = [one for one in self.wrapped if not ((one.steps or one.around) and one.averages(name, sent))]
            for one in self.wrapped:
                one.called = True

    def on_step(self, optimizer):
        if not self.wrapped:
            return
        ids = {id(p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None}
        for one in list(self.wrapped):
            if one.wrapper() is None:
                self.decide(one)
                self.wrapped.remove(one)
            elif not ids.isdisjoint(one.parameters):
                one.steps = one.steps + 1 if one.around and not one.called else 0
                one.called = one.around = False
                if one.steps == IN_A_ROW:
                    one.at = program_line()
                if one.steps == LONG_ENOUGH:
                    self.decide(one)
        if self.run.steps > GIVEN_UP and not any(one.at or one.steps for one in self.wrapped):
            self.finished = True

    def decide(self, one):
        if one.at:
            self.find("proof", at=one.at, module=one.name, ranks=one.ranks, steps=max(one.steps, IN_A_ROW))
            self.finished = True

    def on_end(self):
        for one in self.wrapped:
            self.decide(one)
