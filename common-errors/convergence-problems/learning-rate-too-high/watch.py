"""Strong: early steps change the weights by half their norm and the loss triples, or the loss grows a thousandfold.

In the first case, one of the first eight steps changes the median weight matrix by more than half of its norm, and in
at least two of the later steps the loss is more than three times the first loss. Weights that start at zero do not
count. In the second case, the loss has grown in at least six of eight steps, to a thousand times the first loss, and no
other cause is proven. The detector does not report a single jump (as from an outlier), losses that start at 0 or below,
large steps that lower the loss, optimizers that call a closure (L-BFGS), first losses with fewer than eight targets
(they differ by chance) or with identical targets (sorted data), batches that get larger, whose sums differ, or programs
in which no optimizer steps.
"""

from __future__ import annotations

import math
import statistics

import torch

from torch_errors.watching.detector import Detector, is_real, tensors

GROWN, STEPS = 1000, 8
MOVED, WORSE, FIRST_STEPS, LOOKED_AT = 0.5, 3, 8, 1000
FEWEST = 8  # minimum number of targets
LARGER = 2  # maximum size of a batch, as a multiple of the first batch


class Watch(Detector):
    inside = ()
    saw = {
        "en": "lr={rate:g} is too high for this loss: {what}",
        "zh": "lr={rate:g} 对这个 loss 来说太大：{what_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.before = {}  # id of a weight -> some of its values, during a step
        self.moved = 0.0  # largest change of the median weight in the first steps, as a share of its norm
        self.worse = 0  # number of losses after that step that are more than three times the first loss
        self.by_chance = False  # whether the first losses differ for other reasons
        self.zeros = set()  # ids of weights that started at zero
        self.sizes = {}  # class of an outermost module -> size of its first batch

    def on_forward(self, module, inputs, output, depth):
        if not module.training or not inputs:
            return
        given = inputs[0] if type(inputs[0]) is torch.Tensor else next(iter(tensors(inputs[:1])), None)
        shape = given.shape if given is not None else ()
        if shape and shape[0] > LARGER * self.sizes.setdefault(type(module), shape[0]):
            self.finished = True

    def on_loss(self, name, input, target, value):
        if self.run.steps < FIRST_STEPS and isinstance(target, torch.Tensor) and is_real(target):
            self.by_chance = self.by_chance or target.numel() < FEWEST or bool((target == target.flatten()[0]).all())

    def on_backward(self, loss, value):
        first = self.run.first_loss
        self.by_chance = self.by_chance or bool(self.before)  # within a step: a closure, which tries other weights
        if self.moved > MOVED and value is not None and first and first > 0:
            self.worse += self.run.steps <= 2 * FIRST_STEPS and (value > WORSE * first or not math.isfinite(value))

    def on_step(self, optimizer):
        if self.run.steps < FIRST_STEPS:
            self.before = {id(weight): part.clone() for weight, part in parts(optimizer)}
            self.zeros |= {number for number, part in self.before.items() if not part.any()}
        if self.worse >= 2 and not self.by_chance:
            what = f"the first steps changed the weights by {self.moved:.0%} of their size, and the loss tripled"
            what_zh = f"最初几步把权重改变了自身大小的 {self.moved:.0%}，loss 涨到了三倍以上"
            self.report(optimizer, what, what_zh)
        losses, first = self.run.losses, self.run.first_loss
        if len(losses) <= STEPS or not first or first <= 0 or losses[-1] < GROWN * first or self.run.proven:
            return
        losses = [loss for loss in losses if math.isfinite(loss)][-STEPS - 1 :]
        ratios = [after / before for before, after in zip(losses, losses[1:], strict=False) if before > 0]
        rises = sum(ratio > 1 for ratio in ratios)
        if rises >= STEPS - 2 and losses[-1] > 10 * max(ratios) * losses[0] and min(losses[-3:]) > 10 * first:
            what = f"the loss has grown from {first:.3g} to {losses[-1]:.3g}, in {rises} of the last {STEPS} steps"
            what_zh = f"loss 从 {first:.3g} 涨到了 {losses[-1]:.3g}，最近 {STEPS} 步里有 {rises} 步在上涨"
            self.report(optimizer, what, what_zh)

    def on_stepped(self, optimizer):
        if self.before:
            nonzero = self.before.keys() - self.zeros
            old = [(part, self.before[id(weight)]) for weight, part in parts(optimizer) if id(weight) in nonzero]
            changes = [float((new - old).norm() / old.norm()) for new, old in old if old.norm() > 0]
            if changes and all(map(math.isfinite, changes)):  # NaN has other causes
                self.moved = max(self.moved, statistics.median(changes))
            self.before = {}

    def report(self, optimizer, what, what_zh):
        rate = float(torch.as_tensor(optimizer.param_groups[0]["lr"]))
        self.find("strong", what=what, what_zh=what_zh, rate=rate)


def parts(optimizer):
    """Return the weight matrices of an optimizer, each with some of its values."""
    weights = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
    return [(p, p.detach().flatten()[:LOOKED_AT].float()) for p in weights if is_real(p) and p.dim() > 1]
