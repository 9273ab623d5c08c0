"""Proof: all units of a layer have the same weights and the same gradient, in three training steps in a row.

Such units stay equal for ever: the layer is one unit. It asks about weights of two dimensions or more that an optimizer
has. It is silent about last layers that begin at zero, and zeros in LoRA or at the end of residual branches: their
units get different gradients. It does not see units that dropout has driven apart, and looks at the first steps only.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, is_real

IN_A_ROW, GIVEN_UP = 3, 8


class Watch(Detector):
    saw = {
        "en": "the {units} units of a weight of shape {shape} are all the same, and so are their gradients: they stay one unit",
        "zh": "形状为 {shape} 的权重，{units} 个单元完全相同，梯度也完全相同：它们永远只相当于一个单元",
    }

    def __init__(self, run):
        super().__init__(run)
        self.in_a_row = {}  # id of a parameter -> steps in which its units were the same

    def on_step(self, optimizer):
        self.finished = self.run.steps > GIVEN_UP
        for parameter in (p for group in optimizer.param_groups for p in group["params"]):
            if parameter.grad is None or parameter.dim() < 2 or len(parameter) < 2 or not is_real(parameter):
                continue
            same = are_same(parameter) and are_same(parameter.grad)
            self.in_a_row[id(parameter)] = self.in_a_row.get(id(parameter), 0) + 1 if same else 0
            if self.in_a_row[id(parameter)] >= IN_A_ROW:
                self.find("proof", units=len(parameter), shape=tuple(parameter.shape))
                self.finished = True
                return


def are_same(tensor):
    """Whether all rows are the same but for rounding."""
    if tensor.is_sparse or not bool(tensor.isfinite().all()):
        return False
    apart = (tensor - tensor[:1]).abs().max()
    return bool(apart <= 1e-5 * tensor.abs().max())
