"""Proof: a state dict that was taken before the weights changed is loaded or saved, and is still the live weights.

Loading it changes nothing then, and saving it saves the present weights. Weights change in training steps and where
another state is loaded. It is silent about copies, states of other models, and parts of a state; about a dict that was
taken before the first step and is saved (a checkpoint that is filled once); and of saving it sees the first time only.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict

from torch import nn

from torch_errors.watching.detector import Detector, tensors

MOST = 64  # state dicts that are known at a time


class Watch(Detector):
    saw = {
        "en": "the state dict taken after step {step} is the live weights, not those of that time; copy it with `copy.deepcopy`",
        "zh": "第 {step} 步之后取出的 state_dict 就是正在训练的权重本身，不是当时的值；应当用 `copy.deepcopy` 复制一份",
    }

    def __init__(self, run):
        super().__init__(run)
        self.taken = []  # (state dict, model, steps and loads before it) of each that is still in use
        self.last = weakref.WeakKeyDictionary()  # model -> steps and loads before its last state dict
        self.loads = weakref.WeakKeyDictionary()  # model -> how often a state was loaded

    def now(self, owner):
        return self.run.steps, self.loads.get(owner, 0)

    def on_saved(self, owner, state):
        if isinstance(owner, nn.Module):
            self.last[owner] = self.now(owner)
            if isinstance(state, OrderedDict):
                self.taken = [known for known in self.taken if known[0]() is not None][-MOST:]
                self.taken.append((weakref.ref(state), weakref.ref(owner), self.now(owner)))

    def on_loaded(self, owner, state):
        if isinstance(owner, nn.Module):
            when = next((then for taken, model, then in self.taken if taken() is state and model() is owner), None)
            self.ask(owner, state, when or self.last.get(owner))  # also of a copy of the dict with the same tensors
            self.loads[owner] = self.loads.get(owner, 0) + 1

    def on_written(self, value):
        parts = [value, *value.values()] if isinstance(value, dict) else [value]
        for known in list(self.taken):
            state, owner, when = known[0](), known[1](), known[2]
            if when[0] and owner is not None and any(part is state for part in parts):
                self.taken = [other for other in self.taken if other is not known]  # equality would compare tensors
                self.ask(owner, state, when)

    def ask(self, owner, state, when):
        """Whether the weights have changed since `when`, and all that are trained are alive in `state`."""
        if when is None or when == self.now(owner):
            return
        trained = self.run.optimized()
        live = {p.data_ptr() for p in tensors(list(owner.parameters())) if id(p) in trained and p.numel()}
        if live and live <= {tensor.data_ptr() for tensor in tensors(state)}:
            self.find("proof", step=when[0])
            self.finished = True
