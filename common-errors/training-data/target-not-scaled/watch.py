"""Strong: a network of several layers is trained on targets of size 30 or more, at least ten times its outputs' size.

Size is the root mean square. The detector reads squared and absolute errors that are the whole loss of a backward pass,
in the first passes, and reports the third in a row. It reports nothing for linear models, which have one layer;
networks whose last bias starts at the mean; and a loss that is one of several terms, such as the loss of a value
function.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import kind_of, parents

LARGE, AHEAD, IN_A_ROW, GIVEN_UP = 30, 10, 3, 8
ERRORS = ("huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss")
SCALING, ADDING = ("MulBackward", "DivBackward"), ("AddBackward", "SubBackward", "StackBackward")


class Watch(Detector):
    saw = {
        "en": "{name} compares outputs of size {output:.2g} with targets of size {target:.3g}; scale the targets to about 1",
        "zh": "{name} 比较的输出大小约为 {output:.2g}，目标大小约为 {target:.3g}；应把目标缩放到 1 左右",
    }

    def __init__(self, run):
        super().__init__(run)
        self.last = None  # (name, size of the outputs, size of the targets) of the loss since the last backward pass
        self.in_a_row = 0

    def on_loss(self, name, input, target, value):
        if name in ERRORS and is_real(input) and is_real(target) and input.requires_grad and not target.requires_grad:
            sizes = (tensor.detach().float().square().mean().sqrt().item() for tensor in (input, target))
            self.last = (name, *sizes)

    def on_graph(self, graph, loss):
        self.finished = self.run.backwards >= GIVEN_UP
        (name, output, target), self.last = self.last or ("", 0.0, 0.0), None
        top = graph.root
        while kind_of(top) in SCALING:  # scaled for gradient accumulation, or by a gradient scaler
            top = next(parent for parent in parents(top) if parent is not None)
        layers = sum(leaf.dim() > 1 for leaf in graph.leaves)
        fault = target >= max(LARGE, AHEAD * output) and kind_of(top) not in ADDING and layers > 1
        self.in_a_row = self.in_a_row + 1 if fault else 0
        if self.in_a_row >= IN_A_ROW:
            self.find("strong", name=name, output=output, target=target)
            self.finished = True
