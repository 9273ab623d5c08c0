"""Proof: an operation in float16 produced an infinite value, and the loss is nan or infinite because of it.

At the backward pass of such a loss it looks for the first operation that kept a value which is not finite. It speaks where
that value is float16 and nothing of float32 was not finite before it.
"""

from __future__ import annotations

import math

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, dtype_of, is_finite, name_of, saved_tensors


class Watch(Detector):
    saw = {
        "en": "the loss is {value}: in float16, {operation} passed 65504 while its inputs in float32 were finite (at most {largest:.3g})",
        "zh": "损失为 {value}：float16 下 {operation} 的结果超过了 65504，而 float32 的输入都是有限值（最大 {largest:.3g}）",
    }

    def on_backward(self, loss, value):
        if value is None or math.isfinite(value) or self.run.found(self.id):
            return
        graph = Graph(loss)
        if not any(dtype_of(node) == torch.float16 for node in graph.nodes) or not all(map(is_finite, graph.leaves)):
            return
        largest = 0.0  # of what float32 operations before it kept
        for node in reversed(graph.nodes):
            for saved in saved_tensors(node):
                if not is_finite(saved):
                    if saved.dtype == torch.float16:
                        self.find("proof", value=value, operation=name_of(node), largest=largest)
                    return
                if saved.dtype == torch.float32 and saved.numel() and saved.layout == torch.strided:
                    largest = max(largest, saved.abs().max().item())
