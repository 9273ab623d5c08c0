"""Proof: all units of a layer have the same weights and the same gradient in three training steps in a row.

Such units stay equal forever, so the layer acts as a single unit. The detector checks weights with two or more
dimensions that an optimizer has; if their gradients are zero, at least two such weights are required. It does not
report last layers that start at zero, zeros in LoRA or at the end of residual branches (their units get different
gradients), or a part whose loss has the weight 0 at first. It checks the first steps only.

Where dropout gives the units different gradients, they still begin as copies of one unit. So the detector also reports
if, before the first step, all weights of two or more linear, convolution or recurrent layers are one number each, not
zero, or if the layer that runs first and another one have only zeros and the first one's gradient is zero, too.
"""

from __future__ import annotations

import weakref

from torch import nn

from torch_errors.watching.detector import Detector, is_real

IN_A_ROW, GIVEN_UP = 3, 8


class Watch(Detector):
    inside = (nn.Linear, nn.modules.conv._ConvNd, nn.RNNBase)
    saw = {
        "en": "the {units} units of a weight of shape {shape} {state}",
        "zh": "形状为 {shape} 的权重，{units} 个单元{state_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.in_a_row = {}  # id of a parameter -> steps in a row in which its units were the same
        self.began = False  # whether an optimizer has made a step
        self.weights = {}  # id -> weight with two or more dimensions of a layer that ran before the first step

    def on_forward(self, module, inputs, output, depth):
        if not self.began and isinstance(module, self.inside):
            weights = [p for p in module._parameters.values() if p is not None and not p.is_meta and p.dim() > 1]
            self.weights |= {id(p): weakref.ref(p) for p in weights}

    def on_step(self, optimizer):
        if all(p.is_meta for group in optimizer.param_groups for p in group["params"]):  # only shapes are computed
            return
        if not self.began:
            self.judge_constants(optimizer)
            self.began = True
        self.finished = self.finished or self.run.steps > GIVEN_UP
        weights = [p for group in optimizer.param_groups for p in group["params"] if is_real(p) and p.grad is not None]
        alike = [p for p in weights if p.dim() > 1 and len(p) > 1 and are_same(p) and are_same(p.grad)]
        self.in_a_row |= {id(p): 0 for p in weights} | {id(p): self.in_a_row.get(id(p), 0) + 1 for p in alike}
        for parameter in alike:
            if self.in_a_row[id(parameter)] >= IN_A_ROW and (len(alike) > 1 or parameter.grad.any()):
                state = "are all the same, and so are their gradients: they stay one unit"
                state_zh = "完全相同，梯度也完全相同：它们永远只相当于一个单元"
                self.find("proof", units=len(parameter), shape=tuple(parameter.shape), state=state, state_zh=state_zh)
                self.finished = True
                return

    def judge_constants(self, optimizer):
        """Report two or more layers of which each has begun with one number in all weights."""
        trained = {id(p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None}
        weights = [weight for id, ref in self.weights.items() if (weight := ref()) is not None and id in trained]
        zero = [p for p in weights if not p.any()]
        if len(zero) > 1 and zero[0] is weights[0] and not zero[0].grad.any():
            state = f"are all 0, and so are the weights of {len(zero) - 1} other layers: no information about the input gets past them"
            state_zh = f"全为 0，另有 {len(zero) - 1} 层的权重也是如此：输入的信息传不过去"
            self.find("proof", units=len(zero[0]), shape=tuple(zero[0].shape), state=state, state_zh=state_zh)
            self.finished = True
        constant = [
            p for p in weights if is_real(p) and min(p.shape[:2]) > 1 and p.any() and bool((p == p.flatten()[0]).all())
        ]
        if len(constant) > 1:
            p = max(constant, key=len)
            number = p.flatten()[0].item()
            state = (
                f"start at {number:.3g} everywhere, as in {len(constant) - 1} other layers: they are copies of one unit"
            )
            state_zh = f"的初值处处都是 {number:.3g}（还有 {len(constant) - 1} 层也是如此）：它们是同一个单元的副本"
            self.find("proof", units=len(p), shape=tuple(p.shape), state=state, state_zh=state_zh)
            self.finished = True


def are_same(tensor):
    """Whether all rows are the same up to rounding."""
    if tensor.is_sparse or not _are_close(tensor[:2]):  # the first two rows rule out nearly all other tensors
        return False
    return _are_close(tensor)


def _are_close(rows):
    apart = (rows - rows[:1]).abs().max()
    return bool(apart <= 1e-5 * rows.abs().max()) and bool(apart.isfinite())
