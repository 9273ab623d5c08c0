"""Proof: a loss compares each prediction with each target.

Two places show it: a loss function of torch that is given sizes which broadcast to more elements than either has; and in the
graph of a loss that was written by hand, a difference of shape (N, N) whose prediction has the shape (N,) or (N, 1), and whose
other side carries no gradient. It is silent where the program adds the dimension itself (`unsqueeze`, `[:, None]`), and about
pairwise distances, both sides of which carry a gradient.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import name_of, parents, shape_of

ELEMENTWISE = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "gaussian_nll_loss", "poisson_nll_loss"}
MADE_ON_PURPOSE = ("Unsqueeze", "Slice", "Expand", "Index")


class Watch(Detector):
    saw = {
        "en": "predictions {input} and targets {target} broadcast to {result}: each prediction is compared with each target",
        "zh": "预测 {input} 与目标 {target} 广播成了 {result}：每个预测都和每个目标比较了一遍",
    }

    def on_loss(self, name, input, target, value):
        if name not in ELEMENTWISE or not isinstance(input, torch.Tensor) or not isinstance(target, torch.Tensor):
            return
        if input.shape == target.shape or not (isinstance(value, torch.Tensor) and value.requires_grad):
            return
        result = torch.broadcast_shapes(input.shape, target.shape)
        if result.numel() > max(input.numel(), target.numel()) > 1:
            self.tell(input.shape, target.shape, result)

    def on_graph(self, graph, loss):
        for node in graph.named("SubBackward", "RsubBackward"):
            shape, inputs = shape_of(node), parents(node)
            tracked = [one for one in inputs if one is not None]
            size = max(shape or [0])
            if shape != (size, size) or size < 2 or len(tracked) != 1:
                continue
            given = shape_of(tracked[0])
            if given in ((size,), (size, 1)) and not name_of(tracked[0]).startswith(MADE_ON_PURPOSE):
                self.tell(given, (size, 1) if given == (size,) else (size,), shape)

    def tell(self, input, target, result):
        self.find("proof", input=tuple(input), target=tuple(target), result=tuple(result))
