"""Strong, reported at the end: the logits of many classes have rank 1 or 2, and the training loss stays high.

The detector checks `cross_entropy` and `nll_loss` in training. In its last checks, the logits of a batch, without their
mean, have rank 1 (four or more classes) or 2 (eight or more), as behind a layer of one or two units, although they take
more than 16 values; fewer than 80% of the targets are predicted correctly, and the loss of the last quarter is less
than 25% below the loss of the quarter before. It does not report outputs that are trained with a different loss, such
as the narrow code of an autoencoder, for which a narrow layer suffices, classes that lie on the line in the order of
their numbers (grades), or inputs of one or two numbers.
"""

from __future__ import annotations

from collections import defaultdict

import torch

from torch_errors.watching.detector import Detector, is_real, tensors

FIRST, EVERY, FEWEST, LONGEST = 4, 4, 24, 2048
FLAT, RIGHT, DISTINCT, NOTHING = 0.25, 0.8, 16, 1e-9
CLASSES, SAMPLES, HALF = range(4, 257), range(24, 4097), (torch.float16, torch.bfloat16)


class Watch(Detector):
    needs = "course"
    inside = ()
    saw = {
        "en": "the logits of {classes} classes have rank {rank}: a layer before them has at most {rank} effective units; the training loss stays at {loss:.2g}, with {right:.0%} of the targets predicted correctly",
        "zh": "{classes} 个类别的 logits 秩只有 {rank}：前面某一层只有 {rank} 个起作用的单元；训练 loss 停在 {loss:.2g}，只有 {right:.0%} 的标签预测正确",
    }

    def __init__(self, run):
        super().__init__(run)
        self.calls = defaultdict(int)  # number of classes -> number of losses
        self.looks = {}  # number of classes -> (rank, loss, accuracy) of each check; None if the rank is high
        self.few_inputs = False  # whether a model was given rows of one or two numbers

    def on_forward(self, module, inputs, output, depth):
        if depth or self.few_inputs:
            return
        given = next(iter(tensors(inputs)), None)
        self.few_inputs = (
            given is not None and given.shape[-1:].numel() <= 2 and next(module.parameters(), None) is not None
        )

    def on_loss(self, name, input, target, value):
        if name not in ("cross_entropy", "nll_loss") or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if value.dim() or not isinstance(input, torch.Tensor) or not is_real(input) or input.dim() != 2:
            return
        samples, classes = input.shape
        if self.looks.get(classes, ()) is None:
            self.finished = self.run.backwards > 64 and all(looks is None for looks in self.looks.values())
            return
        if classes not in CLASSES or samples not in SAMPLES or input.dtype in HALF or target.dim() != 1:
            return
        self.calls[classes] += 1
        if self.calls[classes] > FIRST and self.calls[classes] % EVERY:
            return
        looks = self.looks.setdefault(classes, [])
        if len(looks) >= LONGEST:
            return
        rank = rank_of(input.detach())
        if rank * 4 > classes or rank > 2:
            self.looks[classes] = None
        elif rank:
            looks.append((rank, value.item(), (input.argmax(1) == target).float().mean().item()))

    def on_end(self):
        for classes, looks in self.looks.items():
            if looks is None or len(looks) < FEWEST or self.few_inputs:
                continue
            quarter = len(looks) // 4
            before, now = (mean(looks[-2 * quarter : -quarter], 1), mean(looks[-quarter:], 1))
            right = mean(looks[-quarter:], 2)
            if now > (1 - FLAT) * before and right < RIGHT and now > 0.2:
                self.find(
                    "strong", classes=classes, rank=max(look[0] for look in looks[-quarter:]), loss=now, right=right
                )


def mean(looks, at):
    return sum(look[at] for look in looks) / len(looks)


def rank_of(logits):
    """Return the rank of centered logits up to rounding; 0 if few differ, one isn't finite, or classes are ordered."""
    values = logits.double() - logits.double().mean(1, keepdim=True)
    values = values - values.mean(0)
    if not bool(values.isfinite().all()):
        return 0
    sizes, directions = torch.linalg.eigh(values.T @ values)
    if len((values @ directions[:, -1]).float().unique()) <= DISTINCT:
        return 0
    rank = int((sizes > NOTHING * sizes[-1]).sum())
    steps = directions[:, -1].diff()
    # Ordered classes, such as grades, may need a single score only.
    ordered = rank == 1 and bool((steps > 0).all() | (steps < 0).all())
    return 0 if ordered else rank
