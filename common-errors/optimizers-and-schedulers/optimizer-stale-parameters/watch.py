"""Proof: the loss depends on parameters that are in no optimizer, and an optimizer holds others in their place.

The graph of a backward pass shows which parameters receive gradients. The detector reports one that is in no optimizer,
if an optimizer holds a parameter of a similar shape that no backward pass has reached and that belongs to no module any
more, or if no backward pass has reached any that it holds. It reports nothing for parameters that are left out on
purpose while a head is not used yet.
"""

from __future__ import annotations

import gc

import torch

from torch_errors.watching.detector import Detector

READ = 3  # the first step that is checked


class Watch(Detector):
    saw = {
        "en": "{orphans} parameters that the loss depends on are in no optimizer, and {stale} in the optimizer never "
        "receive a gradient, such as one of shape {shape}: the model's parameters were replaced after the optimizer was created",
        "zh": "loss 依赖的参数中有 {orphans} 个不在任何优化器里，而优化器里有 {stale} 个参数从未得到梯度，例如形状为 {shape} 的那个：优化器创建之后，模型的参数被换掉了",
    }

    def __init__(self, run):
        super().__init__(run)
        self.reached: set[int] = set()  # ids of parameters
        # id -> shape of the parameters in the last graph, until a step checks them
        self.graph: dict[int, tuple[int, ...]] = {}
        self.steps = 0

    def on_graph(self, graph, loss):
        self.graph = {id(leaf): tuple(leaf.shape) for leaf in graph.leaves if isinstance(leaf, torch.nn.Parameter)}
        self.reached |= self.graph.keys()

    def on_step(self, optimizer):
        self.steps += 1
        if self.steps < READ or self.steps > 64 or not self.graph:
            return
        orphans = [shape for number, shape in self.graph.items() if number not in self.run.optimized()]
        self.graph = {}
        for trainable in (True, False):  # not trainable: a head that was frozen, then replaced
            held = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad == trainable]
            stale = [p for p in held if id(p) not in self.reached and p.grad is None]
            replaced = [p for p in stale if any(_similar(tuple(p.shape), shape) for shape in orphans)]
            if replaced and ((trainable and len(stale) == len(held)) or not _belong_to_modules(replaced)):
                self.find("proof", orphans=len(orphans), stale=len(stale), shape=tuple(replaced[0].shape))


def _similar(old, new):
    """Whether two shapes have the same rank and a size in common: a new head has other classes but the same inputs."""
    return len(old) == len(new) > 1 and any(a == b for a, b in zip(old, new, strict=True))


def _belong_to_modules(parameters):
    ids = {id(p) for p in parameters}
    modules = (thing for thing in gc.get_objects() if issubclass(type(thing), torch.nn.Module))
    return any(id(p) in ids for module in modules for p in module._parameters.values())
