"""Proof: a layer that a module keeps in a Python list or dict computes part of the loss, and no optimizer has it.

The graph shows the parameters that the backward pass reaches. The detector looks for them in lists among the attributes
of modules that ran. It does not report if an optimizer has these parameters, or if the module has also registered them
(`self.stages = [self.layer1, self.layer2]`).

If optimizers have them, as where each layer has its own, the module still misses them in `state_dict()` and `to()`. This
is reported of a module that has no parameters at all, if no other module has registered the two or more layers either.
"""

from __future__ import annotations

import gc
import weakref

import torch

from torch_errors.watching.detector import Detector

WATCHED = 4  # number of graphs to check: layers do not change later
DEEPEST = 3  # maximum nesting of lists


MISSED = "no optimizer has their parameters", "它们的参数不在任何优化器里"
HIDDEN = (
    "`state_dict()`, `parameters()` and `to()` of {0} leave them out",
    "{0} 的 `state_dict()`、`parameters()`、`to()` 都不包括它们",
)


class Watch(Detector):
    saw = {
        "en": "`{owner}.{name}` is a Python {kind}: its {count} layers compute part of the loss, and {missed}",
        "zh": "`{owner}.{name}` 是 Python 的 {kind}：里面的 {count} 个层参与了 loss 的计算，但{missed_zh}",
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
        if self.graphs == WATCHED:
            self.judge_hidden()
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
                    names = {"owner": type(owner).__name__, "name": name, "kind": kind, "count": len(layers)}
                    self.find("proof", **names, missed=MISSED[0], missed_zh=MISSED[1])

    def judge_hidden(self):
        """Report a module without parameters whose layers are trained, but are in a list and registered nowhere."""
        modules = [thing for thing in gc.get_objects() if issubclass(type(thing), torch.nn.Module)]
        registered = {id(child) for module in modules for child in module._modules.values()}
        for owner in modules:
            for name, value in vars(owner).items():
                if name.startswith("_") or not isinstance(value, list | tuple | dict) or not value:
                    continue
                layers = list(layers_in(value))
                trained = self.leaves & {id(p) for layer in layers for p in layer.parameters()}
                alone = registered.isdisjoint(map(id, layers)) and next(owner.parameters(), None) is None
                if len(layers) > 1 and alone and trained and trained <= self.run.optimized():
                    names = {"owner": type(owner).__name__, "name": name, "kind": type(value).__name__}
                    texts = [text.format(type(owner).__name__) for text in HIDDEN]
                    self.find("proof", **names, count=len(layers), missed=texts[0], missed_zh=texts[1])


def layers_in(value, deep=0):
    """Yield the modules in lists and dicts, up to three levels deep."""
    if isinstance(value, torch.nn.Module):
        yield value
    elif isinstance(value, list | tuple | dict) and deep < DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:
            yield from layers_in(part, deep + 1)
