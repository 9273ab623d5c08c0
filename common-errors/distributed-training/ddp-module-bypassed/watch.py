"""Proof: eight steps in a row use gradients of forward passes that bypassed DistributedDataParallel.

In a group of several ranks, the program called modules inside the wrapper, with a gradient, and did not call the
wrapper since the last step of an optimizer that has its parameters. The forward pass of the wrapper prepares the hooks
that average gradients, except under `torch.no_grad()`. The detector reports when the wrapper is gone, the program has
ended, or after 2048 such steps, unless by then a collective has sent a tensor at least as large as the largest
parameter. Gathered tensors may be predictions, so their size must be the size of this parameter or of all parameters.
Such a program averages gradients or weights itself, as local SGD does, perhaps only after hundreds of steps. The
detector does not report if the wrapper is called as well, steps after which a tensor was sent that is more than a few
numbers (of a metric), calls from within other modules, or compiled training steps.
"""

from __future__ import annotations

import weakref

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch_errors.watching.detector import Detector, program_line, tensors

IN_A_ROW, LONG_ENOUGH, GIVEN_UP = 8, 2048, 512
METRICS = 16  # most numbers of metrics that a step sends


class Wrapped:
    def __init__(self, wrapper, ranks):
        self.wrapper, self.name, self.ranks = weakref.ref(wrapper), type(wrapper.module).__name__, ranks
        self.modules = {id(module) for module in wrapper.module.modules()}
        parameters = [parameter for parameter in wrapper.module.parameters() if parameter.requires_grad]
        self.parameters = {id(parameter) for parameter in parameters}
        self.largest = max((parameter.numel() for parameter in parameters), default=0)
        self.all = sum(parameter.numel() for parameter in parameters)
        self.called = self.around = False  # whether the wrapper, or modules inside it, were called since the last step
        self.steps = 0  # number of steps in a row that bypassed the wrapper
        self.at = None  # line of the step with which IN_A_ROW was reached

    def averages(self, name, sent):
        """Whether a collective that sends this many numbers may average the weights or gradients."""
        if "gather" not in name:
            return sent >= self.largest
        return sent in {size * times for size in (self.largest, self.all) for times in (1, self.ranks)}


class Watch(Detector):
    inside = (DistributedDataParallel,)
    saw = {
        "en": "the gradients of {module} are not averaged over the {ranks} ranks, in {steps} steps: the program calls the model inside DistributedDataParallel (`.module`) instead of the wrapper",
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
        for model in self.wrapped:
            if model.wrapper() is module:
                results = list(tensors(output))
                model.called |= not results or any(tensor.requires_grad for tensor in results)
            elif depth == 0 and id(module) in model.modules and not model.around:
                model.around = any(tensor.requires_grad for tensor in tensors(output))

    def on_collective(self, name, value):
        sent = max((tensor.numel() for tensor in tensors(value)), default=0)
        if sent > 1:
            self.wrapped = [
                model for model in self.wrapped if not ((model.steps or model.around) and model.averages(name, sent))
            ]
            for model in self.wrapped if sent > METRICS else ():
                model.called = True

    def on_step(self, optimizer):
        if not self.wrapped:
            return
        ids = {id(p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None}
        for model in list(self.wrapped):
            if model.wrapper() is None:
                self.decide(model)
                self.wrapped.remove(model)
            elif not ids.isdisjoint(model.parameters):
                model.steps = model.steps + 1 if model.around and not model.called else 0
                model.called = model.around = False
                if model.steps == IN_A_ROW:
                    model.at = program_line()
                if model.steps == LONG_ENOUGH:
                    self.decide(model)
        if self.run.steps > GIVEN_UP and not any(model.at or model.steps for model in self.wrapped):
            self.finished = True

    def decide(self, model):
        if model.at:
            self.find("proof", at=model.at, module=model.name, ranks=model.ranks, steps=max(model.steps, IN_A_ROW))
            self.finished = True

    def on_end(self):
        for model in self.wrapped:
            self.decide(model)
