"""Proof: parameters that an optimizer has never get a gradient, because the program cuts the graph behind them.

Where `detach()` is called, the graph shows which parameters lie behind the cut; a module in training mode whose parameters
are trained and whose output has no gradient ran under `torch.no_grad()`. In each step it notes which parameters of the
optimizer have a gradient. It speaks at the end of the run, if some have had one, and those behind a cut have not and have
kept their numbers. It is silent if they get a gradient in any other way or later, as in a GAN, a straight-through estimator
or a part that is frozen at first; if the program changes them itself, as a teacher that follows; if they were loaded before
the first step; in eval mode; about parameters with `requires_grad=False`; about what nothing cuts, such as a head that is
not used; where `torch.autograd.grad` is called; and where gradients are cleared before the step. It does not see `.data`.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, program_line, tensors
from torch_errors.watching.graph import Graph

# Steps that an optimizer must have made, and between two looks at the numbers of a parameter.
FEWEST, APART = 4, 16
# Reading a graph takes time: so many of each line.
MOST_CUTS = 4
CLEARED = "zero-grad-before-step"


class Watch(Detector):
    saw = {
        "en": "{lost} of the {all} parameters of the optimizer had no gradient in {steps} steps: the graph is cut here",
        "zh": "优化器的 {all} 个参数中有 {lost} 个在 {steps} 步里没有梯度：计算图在这里被切断",
    }

    def __init__(self, run):
        super().__init__(run)
        self.cuts = {}  # id of a parameter -> the line behind which it lies
        self.lines = {}  # line -> how often it was looked at
        self.alive = set()  # ids of parameters that were loaded, had a gradient, or changed
        self.learns = False  # whether any had a gradient
        self.optimizers = {}  # id -> [its steps, how many parameters it has, first numbers of those without gradient]

    def on_loaded(self, owner, state):
        if isinstance(owner, torch.nn.Module) and not self.run.steps:
            self.alive.update(map(id, owner.parameters()))

    def on_detached(self, tensor):
        line = program_line()
        if self.looks_at(line):
            for leaf in Graph(tensor).leaves:
                self.cuts.setdefault(id(leaf), line)

    def on_forward(self, module, inputs, output, depth):
        if not (module.training and module._parameters):  # `parameters()` takes longer than the layer
            return
        own = [p for p in module._parameters.values() if p is not None and p.requires_grad]
        if own and not any(one.requires_grad for one in tensors(output)) and self.looks_at(line := program_line()):
            for parameter in own:
                self.cuts.setdefault(id(parameter), line)

    def on_gradients(self):
        self.finished = True  # gradients that no `.grad` shows

    def on_step(self, optimizer):
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        steps, _, lost = self.optimizers.get(id(optimizer), (0, 0, {}))
        self.optimizers[id(optimizer)] = (steps + 1, len(parameters), lost)
        for p in parameters:
            if p.grad is not None:
                self.alive.add(id(p))
                self.learns = True
            elif id(p) in self.cuts and id(p) not in self.alive and (steps < APART or steps % APART == 0):
                numbers = p.detach().flatten()[:4].tolist()
                if lost.setdefault(id(p), numbers) != numbers:
                    self.alive.add(id(p))
        if self.run.steps > 8 * APART and all(self.alive.issuperset(lost) for _, _, lost in self.optimizers.values()):
            self.finished = True

    def on_end(self):
        if self.run.found(CLEARED):  # they had gradients, and none of them was left before the step
            return
        for steps, all, lost in self.optimizers.values():
            lost = [one for one in lost if one not in self.alive]
            if lost and steps >= FEWEST and self.learns and not self.finished:
                self.find("proof", at=self.cuts[lost[-1]], lost=len(lost), all=all, steps=steps)

    def looks_at(self, line):
        self.lines[line] = self.lines.get(line, 0) + 1
        return self.lines[line] <= MOST_CUTS
