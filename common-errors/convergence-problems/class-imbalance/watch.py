"""Strong, reported at the end: only the most frequent class is predicted, although the scores distinguish the others.

The detector reads every second `cross_entropy` or `nll_loss` in training that has one row of scores per target. In the
last 32 to 64 of them, one of three or more classes makes up 85% of the targets. At least 50 samples have a different
class, and fewer than 2% of these are predicted correctly, although in 65% of the comparisons with samples of the
frequent class they have the higher scores for the other classes. It does not report if nothing has been learned, for
two classes (whose probability may serve as a score), or for more than 64 classes (such as tokens).
"""

from __future__ import annotations

from collections import deque

import torch

from torch_errors.watching.detector import Detector, is_real

LOOKS, FEWEST, EVERY, RARE = 64, 32, 2, 50
BALANCED, NEARLY = 0.7, 256  # the detector stops below this share, and after NEARLY calls below SHARE
SHARE, FOUND, TOLD_APART = 0.85, 0.02, 0.65
CLASSES, SAMPLES = range(3, 65), 1024


class Watch(Detector):
    needs = "course"
    saw = {
        "en": "class {often} makes up {share:.0%} of the targets and is predicted for (nearly) all samples: {found} of {rare} samples of other classes were recognized, although the scores tell them apart; if you take the argmax, give the loss class weights",
        "zh": "类别 {often} 占标签的 {share:.0%}，几乎所有样本都被预测成这一类：其他类别的 {rare} 个样本只认出 {found} 个，而分数其实能区分它们；如果用 argmax 取结果，请给损失函数设置类别权重",
    }

    def __init__(self, run):
        super().__init__(run)
        self.calls = 0
        # Per loss: most frequent class; counts of samples, rare samples, recognized ones, comparisons won, comparisons.
        self.looks = deque(maxlen=LOOKS)

    def on_loss(self, name, input, target, value):
        if name not in ("cross_entropy", "nll_loss") or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if value.dim() or not all(isinstance(tensor, torch.Tensor) and is_real(tensor) for tensor in (input, target)):
            return
        if input.dim() != 2 or target.dim() != 1 or input.shape[1] not in CLASSES or target.is_floating_point():
            return
        self.calls += 1
        if self.calls % EVERY or not 4 <= len(target) <= SAMPLES:
            return
        scores, valid = input.detach().float(), (target >= 0) & (target < input.shape[1])
        often = int(target[valid].bincount().argmax()) if bool(valid.any()) else 0
        rare, usual = valid & (target != often), valid & (target == often)
        others = scores.clone()
        others[:, often] = -torch.inf
        margin = others.logsumexp(1) - scores[:, often]
        recognized = rare & (scores.argmax(1) == target)
        won = (margin[rare][:, None] > margin[usual][None]).sum()
        numbers = torch.stack([valid.sum(), rare.sum(), recognized.sum(), won, rare.sum() * usual.sum()])
        self.looks.append((often, *numbers.tolist()))
        if len(self.looks) >= FEWEST:
            self.finished = self.frequent_share() < (SHARE if self.calls > NEARLY else BALANCED)

    def frequent_share(self):
        return 1 - sum(look[2] for look in self.looks) / max(1, sum(look[1] for look in self.looks))

    def on_end(self):
        looks = list(self.looks)
        if len(looks) < FEWEST or len({look[0] for look in looks}) > 1:
            return
        rare, found, won, compared = (sum(look[at] for look in looks) for at in range(2, 6))
        share = self.frequent_share()
        if rare >= RARE and share >= SHARE and found < FOUND * rare and won >= TOLD_APART * compared:
            self.find("strong", often=looks[0][0], share=share, found=found, rare=rare)
