"""Strong, said at the end: of three or more classes only the most frequent one is predicted, although others are told apart.

It looks at `cross_entropy` or `nll_loss` in training, one row of scores for each target. In its last 32 to 64 looks one class makes up 85
percent of the targets, 50 samples or more have another class and fewer than 2 percent of those are predicted as theirs, although
their scores for the other classes are higher than those of the frequent class in 65 percent of the comparisons. It is silent where nothing has
been learned, about two classes, whose probability may serve as a score, and about more than 64, such as tokens.
"""

from __future__ import annotations

from collections import deque

import torch

from torch_errors.watching.detector import Detector, is_real

LOOKS, FEWEST, EVERY, RARE = 64, 32, 2, 50
BALANCED, NEARLY = 0.7, 256  # a share that ends the looks at once, and the calls after which too low a share does
SHARE, FOUND, TOLD_APART = 0.85, 0.02, 0.65
CLASSES, SAMPLES = range(3, 65), 1024


class Watch(Detector):
    saw = {
        "en": "class {often} makes up {share:.0%} of the targets and is predicted for all samples, or nearly: {found} of {rare} samples of other classes were recognized, although the scores tell them apart: if you take the argmax, give the loss class weights",
        "zh": "类别 {often} 占标签的 {share:.0%}，几乎所有样本都被预测成这一类：其他类别的 {rare} 个样本只认出 {found} 个，而分数其实能区分它们；如果用 argmax 取结果，请给损失函数设置类别权重",
    }

    def __init__(self, run):
        super().__init__(run)
        self.calls = 0
        # Of each: the most frequent class, samples, rare ones, recognized ones, comparisons won, and made.
        self.looks = deque(maxlen=LOOKS)

    def on_loss(self, name, input, target, value):
        if name not in ("cross_entropy", "nll_loss") or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if value.dim() or not all(isinstance(one, torch.Tensor) and is_real(one) for one in (input, target)):
            return
        if input.dim() != 2 or target.dim() != 1 or input.shape[1] not in CLASSES or target.is_floating_point():
            return
        self.calls += 1
        if self.calls % EVERY or not 4 <= len(target) <= SAMPLES:
            return
        scores, known = input.detach().float(), (target >= 0) & (target < input.shape[1])
        often = int(target[known].bincount().argmax()) if bool(known.any()) else 0
        rare, usual = known & (target != often), known & (target == often)
        others = scores.clone()
        others[:, often] = -torch.inf
        margin = others.logsumexp(1) - scores[:, often]
        recognized = rare & (scores.argmax(1) == target)
        won = (margin[rare][:, None] > margin[usual][None]).sum()
        numbers = torch.stack([known.sum(), rare.sum(), recognized.sum(), won, rare.sum() * usual.sum()])
        self.looks.append((often, *numbers.tolist()))
        if len(self.looks) >= FEWEST:
            self.finished = self.often() < (SHARE if self.calls > NEARLY else BALANCED)

    def often(self):
        return 1 - sum(look[2] for look in self.looks) / max(1, sum(look[1] for look in self.looks))

    def on_end(self):
        looks = list(self.looks)
        if len(looks) < FEWEST or len({look[0] for look in looks}) > 1:
            return
        rare, found, won, made = (sum(look[at] for look in looks) for at in range(2, 6))
        share = self.often()
        if rare >= RARE and share >= SHARE and found < FOUND * rare and won >= TOLD_APART * made:
            self.find("strong", often=looks[0][0], share=share, found=found, rare=rare)
