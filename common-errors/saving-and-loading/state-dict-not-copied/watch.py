"""Proof: a state dict taken before the weights changed is loaded or saved, but it still holds the live weights.

Loading it changes nothing, and saving it saves the present weights. Weights change in training steps, and when a
different state is loaded. The detector reports nothing for copies, states of other models, and parts of a state, nor
for a dict that was taken before the first step and is saved (a checkpoint that is filled once). It checks only the
first time a dict is saved. A dict with other keys or in another dict is recognized by its tensors: each call of
`state_dict()` makes new ones.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict

from torch import nn

from torch_errors.watching.detector import Detector, tensors

MOST = 64  # maximum number of state dicts that are followed


class Watch(Detector):
    needs = "checkpoint"
    saw = {
        "en": "the state dict taken after step {step} is the live weights, not a copy from that step; copy it with `copy.deepcopy`",
        "zh": "第 {step} 步之后取出的 state_dict 就是正在训练的权重本身，不是当时的值；应当用 `copy.deepcopy` 复制一份",
    }

    def __init__(self, run):
        super().__init__(run)
        self.taken = []  # (state dict, model, (steps, loads) before it) of each that is still alive
        self.last = weakref.WeakKeyDictionary()  # model -> (steps, loads) before its last state dict
        # (first tensor of a state, model, (steps, loads) before it) of the states that are still alive
        self.first = []
        self.loads = weakref.WeakKeyDictionary()  # model -> number of states that were loaded

    def progress(self, owner):
        return self.run.steps, self.loads.get(owner, 0)

    def on_saved(self, owner, state):
        if isinstance(owner, nn.Module):
            self.last[owner] = self.progress(owner)
            if (tensor := next(iter(tensors(list(state.values()))), None)) is not None:
                self.first = [entry for entry in self.first if entry[0]() is not None][-MOST:]
                self.first.append((weakref.ref(tensor), weakref.ref(owner), self.progress(owner)))
            if isinstance(state, OrderedDict):
                self.taken = [entry for entry in self.taken if entry[0]() is not None][-MOST:]
                self.taken.append((weakref.ref(state), weakref.ref(owner), self.progress(owner)))

    def on_loaded(self, owner, state):
        if isinstance(owner, nn.Module):
            when = next((then for taken, model, then in self.taken if taken() is state and model() is owner), None)
            when = when or next((then for _, model, then in self.taken_from(state) if model is owner), None)
            self.report_if_live(owner, state, when or self.last.get(owner))  # or a copy with the same tensors
            self.loads[owner] = self.loads.get(owner, 0) + 1

    def on_written(self, value):
        parts = [value, *value.values()] if isinstance(value, dict) else [value]
        for entry in list(self.taken):
            state, owner, when = entry[0](), entry[1](), entry[2]
            if when[0] and owner is not None and any(part is state for part in parts):
                self.taken = [other for other in self.taken if other is not entry]  # equality would compare tensors
                self.report_if_live(owner, state, when)

        for part in parts:
            states = [part] if isinstance(part, dict) and not isinstance(part, OrderedDict) else []
            for state, owner, when in (found for state in states for found in self.taken_from(state)):
                if when[0] and owner is not None:
                    self.first = [entry for entry in self.first if entry[2] != when or entry[1]() is not owner]
                    self.report_if_live(owner, state, when)

    def taken_from(self, state):
        """Yield the state, model and progress of the call of `state_dict()` whose first tensor a dict holds."""
        own = {id(tensor) for tensor in tensors(list(state.values()))}
        for ref, model, when in list(self.first):
            if (tensor := ref()) is not None and id(tensor) in own:
                yield state, model(), when

    def report_if_live(self, owner, state, when):
        """Report `state` if the weights have changed since `when` and it still holds all that are trained."""
        if when is None or when == self.progress(owner):
            return
        trained = self.run.optimized()
        live = {p.data_ptr() for p in tensors(list(owner.parameters())) if id(p) in trained and p.numel()}
        if live and live <= {tensor.data_ptr() for tensor in tensors(state)}:
            self.find("proof", step=when[0])
            self.finished = True
