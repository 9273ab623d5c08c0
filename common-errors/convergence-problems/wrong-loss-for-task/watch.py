"""Strong: in call after call, the targets of `cross_entropy` are 0/1 labels, and many samples have several or none.

The class probabilities of a sample add up to 1. 0/1 labels for several classes do not: they need a loss that decides
about each class separately. The detector reports at the fourth such call. It does not report soft labels, mixed labels
or labels of one class each; symmetric matrices that mark the positives in a batch (contrastive losses); targets that
are the input, or have more than 256 classes, as in recommenders that use a multinomial likelihood on purpose; or an MSE
on class numbers, which looks like a valid regression.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real, tensors

CALLS, GIVEN_UP, MOST_CLASSES, SHARE = 4, 64, 256, 0.1


class Watch(Detector):
    saw = {
        "en": "`cross_entropy` picks one of {classes} classes, but its targets are marks of 0 and 1, and {share:.0%} of the samples have several or none: use `binary_cross_entropy_with_logits`",
        "zh": "`cross_entropy` 假设 {classes} 个类别中只有一个正确，而目标是 0/1 标记，{share:.0%} 的样本有多个标签或没有标签：应改用 `binary_cross_entropy_with_logits`",
    }
    inside = ()

    def __init__(self, run):
        super().__init__(run)
        self.given = set()  # addresses of the tensors in the first argument of the last outermost call
        self.calls = self.marked = self.several = self.other = self.samples = 0

    def on_forward(self, module, inputs, output, depth):
        self.given = {t.data_ptr() for t in tensors(inputs[:1]) if t.layout == torch.strided}

    def on_loss(self, name, input, target, value):
        if name != "cross_entropy" or not isinstance(target, torch.Tensor) or not is_real(target):
            return
        self.calls += 1
        self.finished = self.calls >= GIVEN_UP
        if not isinstance(input, torch.Tensor) or not input.requires_grad or not target.is_floating_point():
            return
        if (
            target.shape != input.shape
            or target.dim() < 2
            or not 2 < target.shape[1] <= MOST_CLASSES
            or not target.numel()
        ):
            return
        matches = target.dim() == 2 and len(target) == target.shape[1] and torch.equal(target, target.T)
        if matches or target.data_ptr() in self.given or not bool(((target == 0) | (target == 1)).all()):
            self.finished = True
            return
        counts = target.sum(dim=1).flatten()
        self.marked += 1
        self.samples += len(counts)
        self.several += int((counts > 1).sum())
        self.other += int((counts != 1).sum())
        share = self.other / self.samples
        if self.marked >= CALLS and share > SHARE and self.several > SHARE / 2 * self.samples:
            self.find("strong", classes=target.shape[1], share=share)
            self.finished = True
