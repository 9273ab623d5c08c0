"""Strong, reported at the end: in at least 100 steps, no weight has changed by more than 5%, and the loss is stuck.

The detector compares some values of the first and last weights of an optimizer with their values before its first step.
There must be something to learn: the outputs in the first losses of `torch.nn.functional` go with the targets more than
by chance (a correlation, or means that differ between classes). Labels that are noise, dead units and outputs that
ignore the inputs don't show that, at any learning rate. The detector does not report if the loss has fallen by 10%, if
a different fault was found, or for losses that the program computes itself.
"""

from __future__ import annotations

import math
import weakref

import torch

from torch_errors.watching.detector import Detector, is_real

STEPS, MOVED, FALLEN, COMPARED = 100, 0.05, 0.1, 256
# Of the first LOOKS losses: at most so many samples, outputs per sample, and groups of classes are read.
LOOKS, SAMPLES, OUTPUTS, GROUPS = 128, 1024, 16, 64


class Watch(Detector):
    needs = "course"
    saw = {
        "en": "after {steps} steps with lr={rate:g}, the weights have changed by at most {moved:.2%}, and the loss went from {first:.4g} to {last:.4g}",
        "zh": "以 lr={rate:g} 训练了 {steps} 步，权重最多只变化了 {moved:.2%}，loss 从 {first:.4g} 变为 {last:.4g}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.before = weakref.WeakKeyDictionary()  # optimizer -> values of some weights before its first step
        self.moved = {}  # id of an optimizer -> [steps, largest relative change, highest learning rate]
        self.first: list[float] = []
        self.looks = 0
        self.related = {}  # number of outputs -> sums over samples, see `relation`

    def on_loss(self, name, input, target, value):
        self.looks += self.looks < LOOKS
        if self.looks == LOOKS or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if not all(isinstance(tensor, torch.Tensor) and is_real(tensor) for tensor in (input, target)):
            return
        if (sums := relation(input.detach(), target.detach())) is not None:
            count = sums.shape[1]
            self.related[count] = self.related.get(count, 0) + sums

    def on_backward(self, loss, value):
        if value is not None and len(self.first) < 10:
            self.first.append(value)

    def on_step(self, optimizer):
        if optimizer not in self.before:
            weights = [p for g in optimizer.param_groups for p in g["params"] if p.dim() > 1 and p.grad is not None]
            chosen = weights[:1] + weights[-1:]
            self.before[optimizer] = [(weakref.ref(p), p.detach().flatten()[:COMPARED].clone()) for p in chosen]
            self.moved[id(optimizer)] = [0, 0.0, 0.0]

    def on_stepped(self, optimizer):
        record = self.moved[id(optimizer)]
        record[0] += 1
        if record[0] < STEPS or record[0] % 16 == 0:
            record[2] = max(record[2], *(float(g["lr"]) for g in optimizer.param_groups))
        if record[0] >= STEPS and (record[0] == STEPS or record[0] % 64 == 0):
            changes = [
                float((p.detach().flatten()[:COMPARED] - old).norm() / old.norm().clamp(min=1e-30))
                for ref, old in self.before[optimizer]
                if (p := ref()) is not None
            ]
            record[1] = max(changes, default=math.inf)

    def on_end(self):
        records = list(self.moved.values())
        last = [loss for loss in self.run.losses[-10:] if math.isfinite(loss)]
        if self.run.findings or not records or not self.first or not last:
            return
        first, now = sum(self.first) / len(self.first), sum(last) / len(last)
        steps, moved, rate = max(records, key=lambda record: record[1])
        if not any(map(is_related, self.related.values())):
            return
        if steps >= STEPS and moved < MOVED and first - now < FALLEN * abs(first) and math.isfinite(first):
            self.find("strong", steps=steps, rate=rate, moved=moved, first=first, last=now)


def relation(input, target):
    """Return sums over the samples of a loss, of shape (GROUPS, outputs, 3), or None if they can't be compared.

    The three are the number of samples, and the sums of the outputs and of their squares. Classes are told apart by their
    number modulo GROUPS; targets that are not classes are in two groups, above the batch's mean and below it.
    """
    if not input.numel() or not target.numel():
        return None
    if not target.is_floating_point() and input.dim() == target.dim() + 1 > 1:
        outputs = input.movedim(1, -1).reshape(-1, input.shape[1])[:SAMPLES, :OUTPUTS].double()
        classes = target.reshape(-1)[:SAMPLES, None].expand(outputs.shape)
    elif input.shape == target.shape and input.dim():
        rows = (len(input), -1) if input.dim() > 1 else (-1, 1)
        outputs, wanted = (tensor.reshape(rows)[:SAMPLES, :OUTPUTS].double() for tensor in (input, target))
        classes = (wanted > wanted.mean(0)).long()
    else:
        return None
    ones = torch.ones_like(outputs)
    sums = torch.zeros(GROUPS, outputs.shape[1], 3, dtype=torch.double, device=outputs.device)
    at = (classes.long() % GROUPS)[..., None].expand(*outputs.shape, 3)
    return sums.scatter_add_(0, at, torch.stack([ones, outputs, outputs.square()], 2)).cpu()


def is_related(sums):
    """Whether the mean of an output differs between the groups of targets by more than chance."""
    count, total, squares = sums.unbind(2)
    groups = (count > 0).sum(0)
    mean = total.sum(0) / count.sum(0)
    between = (count * (total / count.clamp(min=1) - mean).square()).sum(0)
    around = squares.sum(0) - count.sum(0) * mean.square()
    explained = count.sum(0) * between / around.clamp(min=1e-12 * squares.sum(0).clamp(min=1e-30))
    freedom = groups - 1
    return bool((explained > freedom + 6 * (2 * freedom).sqrt())[freedom > 0].any())
