"""Strong: before the first step, the cross entropy is three times that of equal probabilities, or more.

A model that knows nothing should give all classes about the same probability, and a loss of about ln(classes). The
detector reports if, before the first step, the loss is three times as large, the mean of the highest
probabilities is above 0.8, and fewer than half are right. It does not report models that were loaded, whose
inputs are large (not normalized), or that were trained before, losses with weights, and fewer than four classes.
"""

from __future__ import annotations

import math

import torch

from torch_errors.watching.detector import Detector, is_real, tensors

TIMES, SURE, SAMPLES, LARGE, CLASSES = 3, 0.8, 1024, 20, 4


class Watch(Detector):
    inside = ()
    saw = {
        "en": "the first loss is {loss:.3g}, while equal probabilities for {classes} classes give ln({classes}) = {chance:.3g}: the model is sure of its first guesses ({sure:.0%} on average), with logits of a standard deviation of {spread:.3g}",
        "zh": "第一个 loss 是 {loss:.3g}，而 {classes} 个类别概率相等时应为 ln({classes}) = {chance:.3g}：模型对初始的猜测过于自信（平均 {sure:.0%}），logits 的标准差为 {spread:.3g}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.large = False  # whether the model was loaded, or has got large inputs

    def on_loaded(self, owner, state):
        self.large = self.large or isinstance(owner, torch.nn.Module)

    def on_forward(self, module, inputs, output, depth):
        for tensor in tensors(inputs):
            if tensor.layout == torch.strided and tensor.is_floating_point() and tensor.numel():
                self.large = self.large or bool(tensor.detach().abs().max() > LARGE)

    def on_step(self, optimizer):
        self.finished = True

    def on_loss(self, name, input, target, value):
        if name != "cross_entropy" or self.large or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if not all(isinstance(tensor, torch.Tensor) and is_real(tensor) for tensor in (input, target)):
            return
        if value.dim() or target.is_floating_point() or input.dim() != target.dim() + 1 or input.dim() < 2:
            return
        classes = input.shape[1]
        logits = input.detach().movedim(1, -1).reshape(-1, classes)[:SAMPLES].float()
        targets = target.reshape(-1)[:SAMPLES]
        valid = (targets >= 0) & (targets < classes)
        logits, targets = logits[valid], targets[valid]
        if classes < CLASSES or len(targets) < 2 or not bool(logits.isfinite().all()):
            return
        loss = torch.nn.functional.cross_entropy(logits, targets).item()
        sure, right = logits.softmax(1).amax(1).mean().item(), (logits.argmax(1) == targets).float().mean().item()
        if loss > TIMES * math.log(classes) and sure > SURE and right < 0.5:
            spread = logits.std().item()
            self.find("strong", loss=loss, classes=classes, chance=math.log(classes), sure=sure, spread=spread)
