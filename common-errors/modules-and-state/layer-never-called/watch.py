"""Proof: an optimizer has the parameters of a layer that was never called, while the model around it was.

The model is an instance of a class of the program, in training mode, and keeps the layer in an attribute of its own. In
16 steps (or in the batch of `--check`), the layer has not run, and none of its parameters got a gradient. The detector
does not report layers in a `ModuleList` or `ModuleDict`, of which a batch may need some (experts, heads of tasks),
modules that are not called but whose weights are used (tied or functional), layers that a class of a package has
created, layers that a different attribute calls, loaded models, parameters with `requires_grad=False`, or layers that no
optimizer has.
"""

from __future__ import annotations

import sys
import weakref

from torch import nn

from torch_errors.paste.frames import package_of
from torch_errors.watching.detector import Detector

STEPS = 16


class Watch(Detector):
    saw = {
        "en": "`{owner}.{name}`, {layer}, was never called in {steps}: its {count} parameters are in the optimizer but get no gradient",
        "zh": "`{owner}.{name}`（{layer}）在{steps_zh}从未被调用：它的 {count} 个参数在优化器里，却没有梯度",
    }

    def __init__(self, run):
        super().__init__(run)
        self.ran = weakref.WeakSet()
        self.outermost = weakref.WeakSet()
        self.reached = set()  # ids of parameters
        self.loaded = False

    def on_loaded(self, owner, state):
        self.loaded = self.loaded or isinstance(owner, nn.Module)

    def on_forward(self, module, inputs, output, depth):
        self.ran.add(module)
        if depth == 0 and module.training:
            self.outermost.add(module)

    def on_graph(self, graph, loss):
        self.reached |= {id(leaf) for leaf in graph.leaves}

    def on_check(self, batch):
        self.reached |= {id(leaf) for leaf in batch.graph.leaves}
        self.judge("the first batch", "第一个批次里")
        if not self.run.found(self.id) and self.run.optimizers:
            missed = len(self.run.optimized() - self.reached)
            found = {"en": "all parameters of the optimizer get a gradient", "zh": "优化器的参数都有梯度"}
            if not missed:
                batch.notes.append(found)

    def on_step(self, optimizer):
        self.reached |= {id(p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None}
        if self.run.steps == STEPS:
            self.judge(f"{STEPS} steps", f" {STEPS} 步里")
            self.finished = True

    def judge(self, steps, steps_zh):
        trained = self.run.optimized()
        for model in list(self.outermost) if not self.loaded else ():
            for owner in model.modules():
                if owner not in self.ran or not is_own(owner):
                    continue
                for name, layer in owner.named_children():
                    own = list(layer.parameters())
                    unused = own and all(p.requires_grad and id(p) in trained - self.reached for p in own)
                    containers = (nn.ModuleList, nn.ModuleDict)
                    if unused and not isinstance(layer, containers) and self.ran.isdisjoint(layer.modules()):
                        names = {"owner": type(owner).__name__, "name": name, "layer": type(layer).__name__}
                        self.find("proof", **names, count=len(own), steps=steps, steps_zh=steps_zh)
                        self.finished = True
                        return


def is_own(module):
    """Whether the program has written the class of a module, and no package a class with layers that it extends."""
    kinds = [kind for kind in type(module).__mro__ if issubclass(kind, nn.Module) and kind is not nn.Module]
    files = [getattr(sys.modules.get(kind.__module__), "__file__", None) or "" for kind in kinds]
    packages = [package_of(file) for file in files]
    return packages[:1] == [None] and set(packages) <= {None, "lightning", "pytorch_lightning"}
