"""Proof: the loss depends on parameters that no optimizer has, and an optimizer holds others of their place.

The graph of a backward pass names the parameters that receive gradients. One of them is in no optimizer, while an optimizer
holds a parameter that none of the passes reached: the model's parameter was replaced after the optimizer was made. It is
silent about parameters that are left out on purpose, where nothing in an optimizer stays without gradient.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector

READ = 3  # graphs before it speaks


class Watch(Detector):
    saw = {
        "en": "{orphans} parameters that the loss depends on are in no optimizer, and {stale} that the optimizer has never "
        "receive a gradient, such as one of shape {shape}: the model's parameters were replaced after the optimizer was made",
        "zh": "损失依赖的参数中有 {orphans} 个不在任何优化器里，而优化器里有 {stale} 个参数从未得到梯度，例如形状为 {shape} 的那个：优化器创建之后，模型的参数被换掉了",
    }

    def __init__(self, run):
        super().__init__(run)
        self.reached: set[int] = set()
        self.graphs = 0

    def on_graph(self, graph, loss):
        self.reached |= {id(leaf) for leaf in graph.leaves}
        self.leaves = graph.leaves

    def on_step(self, optimizer):
        self.graphs += 1
        if self.graphs < READ or self.graphs > 64 or not getattr(self, "leaves", None):
            return
        optimized = self.run.optimized()
        orphans = [leaf for leaf in self.leaves if isinstance(leaf, torch.nn.Parameter) and id(leaf) not in optimized]
        self.leaves = []
        held = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        stale = [p for p in held if id(p) not in self.reached and p.grad is None]
        # The same rank and one equal size at least: a new head has another number of classes, and the same inputs.
        pairs = [
            (old, new)
            for old in stale
            for new in orphans
            if old.dim() == new.dim() > 1 and any(a == b for a, b in zip(old.shape, new.shape, strict=True))
        ]
        if pairs:
            self.find("proof", orphans=len(orphans), stale=len(stale), shape=tuple(pairs[0][0].shape))
