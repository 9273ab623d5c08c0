"""Strong: a resumed training run continues with a new optimizer state, and writes checkpoints without one.

The detector reports this if all of these hold: weights were loaded into a module that had no gradients yet; a
checkpoint that the program writes later has a counter, such as `step` or `epoch`, beyond the steps or passes made
since; the checkpoint holds weights but no optimizer state; and an optimizer of these weights that keeps moments started
without any. A step counter may count other steps than the optimizer's (an environment's, for example), so it must have
been stored with the loaded weights, or have grown by the steps made between two checkpoints. It reports nothing for
fine-tuning, which counts from 0, optimizers that keep no state, programs that load an optimizer's state, and resumed
runs that write no checkpoint.
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
    needs = "checkpoint"
    saw = {
        "en": "a checkpoint with {key}={value} has no optimizer state, and {optimizer} started from scratch when the weights were loaded, {done} steps or epochs before: its moments are lost",
        "zh": "checkpoint 写着 {key}={value}，却没有优化器状态；加载权重之后 {optimizer} 是从头开始的（之后只训练了 {done} 步或 epoch）：动量等状态丢失了",
    }

    def __init__(self, run):
        super().__init__(run)
        self.since = None  # (steps, backward passes, passes over data) when weights were loaded
        self.loaded = set()  # ids of the parameters that were loaded
        self.counted = False  # whether a counter was stored with the weights
        self.ahead = {}  # counter -> how far it was ahead of the steps or passes made, in the last checkpoint
        self.fresh = set()  # ids of optimizers that started without state since then
        self.started = set()  # ids of optimizers that have made a step since then
        self.written = None  # line and values to report once such an optimizer has made a step

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
            self.fresh, self.started, self.written = set(), set(), None

    def on_step(self, optimizer):
        if self.since is not None and id(optimizer) not in self.started:
            self.started.add(id(optimizer))
            held = {id(p) for group in optimizer.param_groups for p in group["params"]}
            if not optimizer.state and held & self.loaded:
                self.fresh.add(id(optimizer))

    def on_stepped(self, optimizer):
        if self.written and id(optimizer) in self.fresh and any(map(has_moments, optimizer.state.values())):
            line, values = self.written
            self.find("strong", at=line, optimizer=type(optimizer).__name__, **values)
            self.finished = True

    def on_written(self, value):
        if holds_optimizer(value):
            self.finished = self.since is not None  # the optimizer's state is saved
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
    return {key: count for key, count in value.items() if type(count) is int and key in EPOCHS | STEPS}


def is_checkpoint(value):
    """Whether a value is a dict with a counter, and not the namespace of a module."""
    return isinstance(value, dict) and "__name__" not in value and any(count > 0 for count in counters(value).values())


def has_moments(state):
    return isinstance(state, Mapping) and any(state.get(name) is not None for name in MOMENTS)


def has_weights(value):
    """Whether a checkpoint holds the state of a module."""
    parts = [part for part in value.values() if isinstance(part, Mapping)]
    return any(isinstance(item, torch.Tensor) for part in parts for item in part.values())


def holds_optimizer(value, deep=0):
    """Whether the state of an optimizer is somewhere in a checkpoint."""
    if isinstance(value, torch.optim.Optimizer) or (
        isinstance(value, Mapping) and {"state", "param_groups"} <= value.keys()
    ):
        return True
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return deep < 3 and any(holds_optimizer(part, deep + 1) for part in parts)
