"""Strong: the first non-finite value on the way to a NaN or infinite loss is an infinity in float16.

At the backward pass of such a loss, the detector reads the values that the operations saved, in their order. It reports
nothing if a NaN comes first, or if parameters are not finite.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, dtype_of, is_finite, name_of, saved_tensors


class Watch(Detector):
    saw = {
        "en": "the loss is {value}: {operation} saved a float16 value above 65504; float32 values before it were at most {largest:.3g}",
        "zh": "loss 为 {value}：{operation} 以 float16 保存的值超过了 65504；在它之前，float32 的值最大为 {largest:.3g}",
    }

    def on_not_finite(self, loss, value):
        if self.run.found(self.id):
            return
        graph = Graph(loss)
        if not any(dtype_of(node) == torch.float16 for node in graph.nodes) or not all(map(is_finite, graph.leaves)):
            return
        largest = 0.0  # largest value that operations before it saved in float32
        for node in graph.operations:
            for saved in saved_tensors(node):
                if not is_finite(saved):
                    if saved.dtype == torch.float16 and not saved.isnan().any():
                        self.find("strong", value=value, operation=name_of(node), largest=largest)
                    return
                if saved.dtype == torch.float32 and saved.numel() and saved.layout == torch.strided:
                    largest = max(largest, saved.abs().max().item())
