"""Proof: a layer that a module keeps in a Python list or dict computes part of the loss, and no optimizer has it.

The graph shows the parameters that the backward pass reaches. The detector looks for them in lists among the attributes
of modules that ran. It does not report if an optimizer has these parameters, or if the module has also registered them
(`self.stages = [self.layer1, self.layer2]`).
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector

WATCHED = 4  # number of graphs to check: layers do not change later
DEEPEST = 3  # maximum nesting of lists


class Watch(Detector):
    saw = {
        "en": "`{owner}.{name}` is a Python {kind}: its {count} layers compute part of the loss, and no optimizer has their parameters",
        "zh": "`{owner}.{name}` 是 Python 的 {kind}：里面的 {count} 个层参与了损失的计算，但它们的参数不在任何优化器里",
    }

    def __init__(self, run):
        super().__init__(run)
        self.ran = weakref.WeakSet()
        self.graphs = 0
        self.leaves: set[int] = set()

    def on_forward(self, module, inputs, output, depth):
        self.ran.add(module)

    def on_graph(self, graph, loss):
        self.graphs += 1
        self.leaves = {id(leaf) for leaf in graph.leaves}
        self.finished = self.graphs > WATCHED

    def on_step(self, optimizer):
        if not self.leaves:
            return
        without = self.leaves - self.run.optimized()
        self.leaves = set()
        for owner in list(self.ran) if without else ():
            for name, value in vars(owner).items():
                if name.startswith("_") or not isinstance(value, list | tuple | dict):
                    continue
                layers = list(layers_in(value))
                registered = {id(p) for p in owner.parameters()}
                if any(id(p) in without - registered for layer in layers for p in layer.parameters()):
                    kind = type(value).__name__
                    self.find("proof", owner=type(owner).__name__, name=name, kind=kind, count=len(layers))


def layers_in(value, deep=0):
    """Yield the modules in lists and dicts, up to three levels deep."""
    if isinstance(value, torch.nn.Module):
        yield value
    elif isinstance(value, list | tuple | dict) and deep < DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:
            yield from layers_in(part, deep + 1)
