"""Strong: the gradients of several micro-batches are added up, but their mean losses are not divided by their number.

Before each backward pass, the detector records the line, the loss, the parameters that it reaches, and whether the loss
is a mean over its batch that the program has not divided since. (A factor above 1/2, as from a `GradScaler` or label
smoothing, does not count as a division.) It reports when three steps in a row use two or more such passes from the same
line, with the same parameters and without clearing gradients in between. It does not report if the losses differ (a
GAN, several heads), if they are sums or are divided, if a step follows each pass, or if the gradients are divided
before the step.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, program_line
from torch_errors.watching.graph import Graph, kind_of, parents, saved, shape_of, source

IN_A_ROW = 3
# Number of passes to check: a program that accumulates gradients does so from the start.
MOST_PASSES = 128
SINGLE = 6  # steps in a row with a single pass, after which the detector stops
SAMPLE = 8  # number of gradient elements to compare
MEAN = 1  # torch's internal code of reduction="mean"


class Watch(Detector):
    saw = {
        "en": "the gradients of {count} batches are added up before a step, and the loss, a mean, is not divided by {count}",
        "zh": "一次更新累积了 {count} 个批次的梯度，而取平均的 loss 没有除以 {count}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.passes = []  # identity of each pass since the last step, None for a pass without an undivided mean loss
        self.leaf, self.sample = None, None  # a parameter, and its gradient after the last pass
        self.checked = self.in_a_row = self.single = 0

    def on_backward(self, loss, value):
        if loss.is_meta:  # only shapes are computed
            return
        self.checked += 1
        self.finished = self.finished or self.checked > MOST_PASSES
        leaves = Graph(loss).leaves
        if not leaves or leaves[0].grad is None or not leaves[0].grad.abs().sum() > 0:
            self.passes = []
        if leaves and value is not None and is_mean(loss.grad_fn):
            self.passes.append((program_line(), kind_of(loss.grad_fn), frozenset(map(id, leaves))))
            self.leaf = leaves[0]
        else:
            self.passes.append(None)

    def on_backward_done(self, loss):
        self.sample = gradient_sample(self.leaf)

    def on_gradients(self):
        self.passes.append(None)

    def on_step(self, optimizer):
        passes, before, after = self.passes, self.sample, gradient_sample(self.leaf)
        leaf, self.passes, self.leaf, self.sample = self.leaf, [], None, None
        self.single = self.single + 1 if len(passes) == 1 else 0
        self.finished = self.finished or self.single >= SINGLE
        trained = {id(p) for group in optimizer.param_groups for p in group["params"]}
        if not passes or None in passes or len(set(passes)) > 1 or id(leaf) not in trained:
            self.in_a_row = 0
            return
        both = before is not None and after is not None
        divided = both and (after * len(passes) - before).abs().max() < 0.01 * before.abs().max()
        self.in_a_row = self.in_a_row + 1 if len(passes) > 1 and not divided else 0
        if self.in_a_row >= IN_A_ROW:
            self.find("strong", at=passes[0][0], count=len(passes))


def is_mean(node):
    """Whether a loss is an undivided mean over its batch, or a sum or difference that contains one."""
    while node is not None and kind_of(node) == "MulBackward" and is_large(saved(node, "_saved_other")):
        node = source(parents(node)[0])
    if node is None:
        return False
    if kind_of(node) in ("AddBackward", "SubBackward"):
        return any(is_mean(source(parent)) for parent in parents(node))
    if kind_of(node) == "MeanBackward":
        return bool(parents(node)) and shape_of(parents(node)[0]) not in ((), (1,), None)
    return saved(node, "_saved_reduction") == MEAN


def is_large(factor):
    """Whether a factor is a single number above 1/2, which can't be a division by 2 or more."""
    if factor is None or getattr(factor, "numel", lambda: 1)() != 1:
        return False
    return float(factor) > 1 / 2


def gradient_sample(parameter):
    """Return a copy of the first elements of a parameter's gradient, or None if there is no dense gradient."""
    gradient = None if parameter is None else parameter.grad
    return None if gradient is None or gradient.is_sparse else gradient.flatten()[:SAMPLE].clone()
