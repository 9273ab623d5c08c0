"""Proof: parameters that an optimizer has never get a gradient, because the program cuts the graph behind them.

Where `detach()` is called, the graph shows which parameters lie behind the cut; a module in training mode whose parameters
are trained and whose output has no gradient ran under `torch.no_grad()`. In the first steps of each optimizer it notes which
parameters have a gradient. It speaks if some have, and those behind a cut never do. It is silent if they get one on any
other way, as in a GAN or a straight-through estimator; in eval mode; about parameters with `requires_grad=False`; and about
what nothing cuts, such as a head that is not used. It does not see `.data`.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, program_line, tensors
from torch_errors.watching.graph import Graph

# Steps of an optimizer to wait for, and how many it must have made if the run ends before.
STEPS, FEWEST = 16, 4
# Reading a graph takes time: so many of each line.
MOST_CUTS = 4


class Watch(Detector):
    saw = {
        "en": "{lost} of the {all} parameters of the optimizer had no gradient in {steps} steps: the graph is cut here",
        "zh": "优化器的 {all} 个参数中有 {lost} 个在 {steps} 步里没有梯度：计算图在这里被切断",
    }

    def __init__(self, run):
        super().__init__(run)
        self.cuts = {}  # id of a parameter -> the line behind which it lies
        self.lines = {}  # line -> how often it was looked at
        self.trained = set()  # ids of parameters that had a gradient
        self.optimizers = {}  # id -> (optimizer's parameters, steps)

    def on_detached(self, tensor):
        line = program_line()
        if self.looks_at(line):
            for leaf in Graph(tensor).leaves:
                self.cuts.setdefault(id(leaf), line)

    def on_forward(self, module, inputs, output, depth):
        own = [p for p in module.parameters(recurse=False) if p.requires_grad] if module.training else []
        if own and not any(one.requires_grad for one in tensors(output)) and self.looks_at(line := program_line()):
            for parameter in own:
                self.cuts.setdefault(id(parameter), line)

    def on_gradients(self):
        self.finished = True  # gradients that no `.grad` shows

    def on_step(self, optimizer):
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        having = [id(p) for p in parameters if p.grad is not None]
        self.trained.update(having)
        known, steps = self.optimizers.get(id(optimizer), ([], 0))
        if having:
            self.optimizers[id(optimizer)] = ([id(p) for p in parameters], steps + 1)
        if steps + 1 == STEPS:
            self.judge()
        self.finished = self.run.steps > 8 * STEPS

    def on_end(self):
        self.judge()

    def looks_at(self, line):
        self.lines[line] = self.lines.get(line, 0) + 1
        return self.lines[line] <= MOST_CUTS

    def judge(self):
        for parameters, steps in self.optimizers.values():
            lost = [one for one in parameters if one in self.cuts and one not in self.trained]
            if lost and steps >= FEWEST:
                self.find("proof", at=self.cuts[lost[-1]], lost=len(lost), all=len(parameters), steps=steps)
