"""Proof: gradients of a scaled loss are clipped, and the scaler divides them by its scale after that, three times in a row.

When gradients are clipped it looks for a `GradScaler` that has not unscaled the optimizer of these parameters, with a scale of more than
100 times the limit, and whose scale was the last factor of the loss. At the optimizer's step, the scaler has unscaled them by itself: so the limit applied
to gradients that were too large by that factor. It is silent where `unscale_` came first, where the program changed the gradients in
between, as by a division of its own, about a limit that was multiplied by the scale, and about a limit of infinity.
"""

from __future__ import annotations

import gc
import math
import weakref

import torch

from torch_errors.watching.detector import Detector, program_line
from torch_errors.watching.graph import kind_of, saved

IN_A_ROW, MOST_SEARCHES = 3, 8
SCALED = 0.01  # of the scale: a limit that is larger was multiplied by it


class Watch(Detector):
    saw = {
        "en": "gradients are clipped to {limit:g} while they are {scale:g} times too large: call `scaler.unscale_(optimizer)` before, {times} steps did not",
        "zh": "裁剪到 {limit:g} 时，梯度还放大着 {scale:g} 倍：裁剪之前应当调用 `scaler.unscale_(optimizer)`，已有 {times} 步没有调用",
    }

    def __init__(self, run):
        super().__init__(run)
        self.factor = 1.0  # by which the last loss was multiplied
        self.computed = {}  # id of a parameter -> its gradient after the last backward pass, and the version of that
        self.clipped = {}  # id of an optimizer -> limit, scale and line of a clipping that came too early
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
        ours = {id(p) for p in parameters if p.grad is not None}
        if not ours or not math.isfinite(limit) or not all(self.is_as_computed(p) for p in parameters if id(p) in ours):
            return
        if self.searches < MOST_SEARCHES and self.scaler() is None:
            self.searches += 1
            found = (one for one in gc.get_objects() if isinstance(one, torch.amp.GradScaler) and one.is_enabled())
            self.scaler = next((weakref.ref(one) for one in found if one.get_scale() == self.factor), self.scaler)
        if (
            (scaler := self.scaler()) is not None
            and limit < SCALED * (scale := float(scaler.get_scale()))
            and scale == self.factor
        ):
            for optimizer in self.run.optimizers:
                held = {id(p) for group in optimizer.param_groups for p in group["params"]}
                if ours & held and not unscaled(scaler, optimizer):
                    self.clipped[id(optimizer)] = weakref.ref(scaler), float(limit), scale, program_line()

    def is_as_computed(self, parameter):
        known, version = self.computed.get(id(parameter), (lambda: None, 0))
        return known() is parameter.grad and parameter.grad._version == version

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
