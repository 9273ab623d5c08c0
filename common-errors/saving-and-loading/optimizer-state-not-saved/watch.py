"""Strong: a training that was resumed goes on with an optimizer whose state is new, and writes checkpoints without one.

The signs are together: weights were loaded into a module that had no gradients yet; a counter in a checkpoint that the program
writes then, such as `step` or
`epoch`, is beyond the steps or passes made since; the checkpoint holds weights, but no state of an optimizer; and an optimizer
of these weights that keeps moments began without any. A counter of steps may count others than the optimizer's, those of an environment for
instance: it must have stood beside the loaded weights, or have grown by as many as were made between two checkpoints. It is silent
about fine-tuning, which counts from 0, about optimizers that keep nothing, about
programs that load an optimizer's state, and about a resumed run that writes no checkpoint.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping

import torch

from torch_errors.watching.detector import Detector, program_line

EPOCHS = {"epoch", "cur_epoch", "current_epoch", "start_epoch"}
STEPS = {"step", "global_step", "iter", "iteration", "iter_num", "cur_iter"}
MOMENTS = {"exp_avg", "momentum_buffer", "square_avg", "sum", "acc_delta"}


class Watch(Detector):
    saw = {
        "en": "a checkpoint with {key}={value} has no optimizer state, and {optimizer} began anew when the weights were loaded, {done} steps or epochs before: its moments are lost",
        "zh": "检查点写着 {key}={value}，却没有优化器状态；加载权重之后 {optimizer} 是从头开始的（之后只训练了 {done} 步或 epoch）：动量等状态丢失了",
    }

    def __init__(self, run):
        super().__init__(run)
        self.since = None  # steps, backward passes and passes over data when weights were loaded
        self.loaded = set()  # id of parameters that were loaded
        self.counted = False  # a counter stood beside the weights
        self.ahead = {}  # counter -> by how much it was ahead of what was done, in the last checkpoint
        self.fresh = set()  # id of optimizers that have begun without state since then
        self.began = set()
        self.written = None  # what to say once such an optimizer has made a step

    def on_loaded(self, owner, state):
        if isinstance(owner, torch.optim.Optimizer):
            self.finished = True
            return
        parameters = list(owner.parameters())
        if any(p.grad is not None for p in parameters):
            self.since = None  # trained before, in this program
        elif parameters:
            if self.since is None or self.since[0] != self.run.steps:
                self.loaded, self.counted = set(), False
            self.loaded.update(map(id, parameters))
            self.counted = self.counted or any(map(is_checkpoint, gc.get_referrers(state)))
            self.ahead = {}
            self.since = self.run.steps, self.run.backwards, self.run.passes
            self.fresh, self.began, self.written = set(), set(), None

    def on_step(self, optimizer):
        if self.since is not None and id(optimizer) not in self.began:
            self.began.add(id(optimizer))
            held = {id(p) for group in optimizer.param_groups for p in group["params"]}
            if not optimizer.state and held & self.loaded:
                self.fresh.add(id(optimizer))

    def on_stepped(self, optimizer):
        if self.written and id(optimizer) in self.fresh and any(map(has_moments, optimizer.state.values())):
            place, said = self.written
            self.find("strong", at=place, optimizer=type(optimizer).__name__, **said)
            self.finished = True

    def on_written(self, value):
        if holds_optimizer(value):
            self.finished = self.since is not None  # it is saved
        if self.since is None or self.finished or not isinstance(value, Mapping) or not has_weights(value):
            return
        steps, backwards, passes = self.since
        for key, number in counters(value).items():
            by_pass = key in EPOCHS and self.run.passes > passes
            done = self.run.passes - passes if by_pass else max(self.run.steps - steps, self.run.backwards - backwards)
            sure = by_pass or self.counted or self.ahead.get(key) == number - done
            self.ahead[key] = number - done
            if number > done + 1 and sure:
                self.written = program_line(), {"key": key, "value": number, "done": done}
                for optimizer in self.run.optimizers:
                    self.on_stepped(optimizer)
                return


def counters(value):
    """The counts of steps and epochs in a checkpoint."""
    return {key: one for key, one in value.items() if type(one) is int and key in EPOCHS | STEPS}


def is_checkpoint(value):
    """Whether it is a dict with a counter, and not the names of a program."""
    return isinstance(value, dict) and "__name__" not in value and any(one > 0 for one in counters(value).values())


def has_moments(state):
    return isinstance(state, Mapping) and any(state.get(name) is not None for name in MOMENTS)


def has_weights(value):
    """Whether a checkpoint holds a state of a module."""
    parts = [part for part in value.values() if isinstance(part, Mapping)]
    return any(isinstance(one, torch.Tensor) for part in parts for one in part.values())


def holds_optimizer(value, deep=0):
    """Whether the state of an optimizer is somewhere in a checkpoint."""
    if isinstance(value, torch.optim.Optimizer) or (
        isinstance(value, Mapping) and {"state", "param_groups"} <= value.keys()
    ):
        return True
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return deep < 3 and any(holds_optimizer(part, deep + 1) for part in parts)
