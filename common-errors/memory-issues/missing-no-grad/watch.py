"""Strong: a model in evaluation mode builds graphs that no backward pass uses.

The detector counts the calls of an outermost module in evaluation mode whose output requires a gradient. It reports two
or more of them, or one whose graph keeps more than 8 MiB, when the same model is trained again or the program ends. A
backward pass, or a call of `torch.autograd.grad`, shows that the graphs are wanted; it then reports nothing from there
on. Calls in training mode and inside `torch.func` do not count.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, program_line, tensors
from torch_errors.watching.graph import Graph, saved_tensors

LARGE = 8 * 2**20  # bytes


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "{calls} calls of {model} in evaluation mode built a graph that no backward pass used: `torch.no_grad()` is missing",
        "zh": "{model} 在评估模式下被调用了 {calls} 次，每次都建了计算图，却从未反向传播：缺少 `torch.no_grad()`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.calls = 0
        self.model, self.place = "", None
        self.kept = 0  # bytes kept by the graph of the first call, including parameters
        self.module = 0  # id of the model

    def on_forward(self, module, inputs, output, depth):
        if depth:
            return
        if module.training:
            if id(module) == self.module and any(result.requires_grad for result in tensors(output)):
                self.report_calls()
        elif any(p.requires_grad for p in module.parameters()):
            built = [result for result in tensors(output) if result.requires_grad]
            if built and not _in_torch_func():
                self.calls += 1
                if self.calls == 1:
                    kept = [saved for node in Graph(built[0]).nodes for saved in saved_tensors(node)]
                    self.kept = sum(saved.nbytes for saved in kept if saved.layout == torch.strided)
                    self.module, self.model, self.place = id(module), type(module).__name__, program_line()

    def on_backward(self, loss, value):
        self.finished = self.calls > 0  # this program differentiates through models in evaluation mode

    def on_gradients(self):
        self.on_backward(None, None)

    def on_end(self):
        self.report_calls()

    def report_calls(self):
        if self.calls > 1 or self.kept > LARGE:
            self.find("strong", at=self.place, calls=self.calls, model=self.model)


def _in_torch_func():
    return torch._C._functorch.peek_interpreter_stack() is not None
