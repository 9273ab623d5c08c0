"""Proof: all units of a layer have the same weights and the same gradient in three training steps in a row.

Such units stay equal forever, so the layer acts as a single unit. The detector checks weights with two or more
dimensions that an optimizer has; if their gradients are zero, at least two such weights are required. It does not
report last layers that start at zero, zeros in LoRA or at the end of residual branches (their units get different
gradients), or a part whose loss has the weight 0 at first. It can't detect units that dropout has made different, and
it checks the first steps only.
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
        self.in_a_row = {}  # id of a parameter -> steps in a row in which its units were the same

    def on_step(self, optimizer):
        self.finished = self.run.steps > GIVEN_UP
        weights = [p for group in optimizer.param_groups for p in group["params"] if is_real(p) and p.grad is not None]
        alike = [p for p in weights if p.dim() > 1 and len(p) > 1 and are_same(p) and are_same(p.grad)]
        self.in_a_row |= {id(p): 0 for p in weights} | {id(p): self.in_a_row.get(id(p), 0) + 1 for p in alike}
        for parameter in alike:
            if self.in_a_row[id(parameter)] >= IN_A_ROW and (len(alike) > 1 or parameter.grad.any()):
                self.find("proof", units=len(parameter), shape=tuple(parameter.shape))
                self.finished = True
                return


def are_same(tensor):
    """Whether all rows are the same up to rounding."""
    if tensor.is_sparse or not _are_close(tensor[:2]):  # the first two rows rule out nearly all other tensors
        return False
    return _are_close(tensor)


def _are_close(rows):
    apart = (rows - rows[:1]).abs().max()
    return bool(apart <= 1e-5 * rows.abs().max()) and bool(apart.isfinite())
