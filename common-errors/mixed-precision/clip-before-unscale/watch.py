"""Proof: gradients of a scaled loss are clipped before the `GradScaler` unscales them, three times in a row.

When gradients are clipped, the detector looks for a `GradScaler` that has not unscaled the optimizer of these
parameters, and whose scale was the last factor of the loss and is more than 100 times the limit. If the scaler has
unscaled the gradients by the optimizer's step, the limit was applied to gradients that were too large by that factor.
It reports nothing if `unscale_` ran first, if the program changed the gradients in between (divided them itself, for
example), if the limit was multiplied by the scale, or if it is infinite.
"""

from __future__ import annotations

import gc
import math
import weakref

import torch

from torch_errors.watching.detector import Detector, program_line
from torch_errors.watching.graph import kind_of, saved

IN_A_ROW, MOST_SEARCHES = 3, 8
SCALED = 0.01  # a limit above this share of the scale was itself multiplied by the scale


class Watch(Detector):
    saw = {
        "en": "gradients are clipped to {limit:g} while they are {scale:g} times too large: call `scaler.unscale_(optimizer)` first; {times} steps did not",
        "zh": "裁剪到 {limit:g} 时，梯度还放大着 {scale:g} 倍：裁剪之前应当调用 `scaler.unscale_(optimizer)`，已有 {times} 步没有调用",
    }

    def __init__(self, run):
        super().__init__(run)
        self.factor = 1.0  # factor by which the last loss was multiplied
        self.computed = {}  # id of a parameter -> its gradient after the last backward pass, and the gradient's version
        self.clipped = {}  # id of an optimizer -> scaler, limit, scale and line of a clipping that came too early
        self.times = self.searches = 0
        self.scaler = lambda: None  # a weak reference

    def on_backward(self, loss, value):
        factor = saved(loss.grad_fn, "_saved_other") if kind_of(loss.grad_fn) == "MulBackward" else None
        self.factor = float(factor) if isinstance(factor, torch.Tensor) and factor.numel() == 1 else 1.0

    def on_backward_done(self, loss):
        self.computed = {}
        if self.factor >= 2:
            for optimizer in self.run.optimizers:
                for parameter in (p for group in optimizer.param_groups for p in group["params"]):
                    if parameter.grad is not None:
                        self.computed[id(parameter)] = weakref.ref(parameter.grad), parameter.grad._version

    def on_clip(self, parameters, limit):
        ids = {id(p) for p in parameters if p.grad is not None}
        if not ids or not math.isfinite(limit) or not all(self.is_unchanged(p) for p in parameters if id(p) in ids):
            return
        if self.searches < MOST_SEARCHES and self.scaler() is None:
            self.searches += 1
            scalers = (obj for obj in gc.get_objects() if isinstance(obj, torch.amp.GradScaler) and obj.is_enabled())
            self.scaler = next((weakref.ref(obj) for obj in scalers if obj.get_scale() == self.factor), self.scaler)
        if (
            (scaler := self.scaler()) is not None
            and limit < SCALED * (scale := float(scaler.get_scale()))
            and scale == self.factor
        ):
            for optimizer in self.run.optimizers:
                held = {id(p) for group in optimizer.param_groups for p in group["params"]}
                if ids & held and not unscaled(scaler, optimizer):
                    self.clipped[id(optimizer)] = weakref.ref(scaler), float(limit), scale, program_line()

    def is_unchanged(self, parameter):
        gradient, version = self.computed.get(id(parameter), (lambda: None, 0))
        return gradient() is parameter.grad and parameter.grad._version == version

    def on_step(self, optimizer):
        scaler, limit, scale, place = self.clipped.pop(id(optimizer), (lambda: None, 0, 0, None))
        if scaler() is None or not unscaled(scaler(), optimizer):
            self.times = 0
            return
        self.times += 1
        if self.times >= IN_A_ROW:
            self.find("proof", at=place, limit=limit, scale=scale, times=self.times)
            self.finished = True


def unscaled(scaler, optimizer):
    """Whether the scaler has divided the gradients of an optimizer in this step."""
    if getattr(optimizer, "grad_scale", None) is not None:  # a fused optimizer divides them itself
        return True
    states = getattr(scaler, "_per_optimizer_states", {})
    return id(optimizer) in states and states[id(optimizer)]["stage"].name != "READY"
