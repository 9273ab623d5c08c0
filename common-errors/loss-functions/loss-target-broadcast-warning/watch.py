"""Proof: a loss function of torch gets input and target sizes that broadcast to more elements than either has.

A difference written by hand is left to accidental-outer-product.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector

ELEMENTWISE = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "gaussian_nll_loss", "poisson_nll_loss"}


class Watch(Detector):
    saw = {
        "en": "predictions {input} and targets {target} broadcast to {result}: each prediction is compared with each target",
        "zh": "预测 {input} 与目标 {target} 广播成了 {result}：每个预测都和每个目标比较了一遍",
    }
    unseen = {"wrong_fix": "its loss is written by hand, so accidental-outer-product reports it"}

    def on_loss(self, name, input, target, value):
        if name not in ELEMENTWISE or not isinstance(input, torch.Tensor) or not isinstance(target, torch.Tensor):
            return
        if input.shape == target.shape or not (isinstance(value, torch.Tensor) and value.requires_grad):
            return
        result = torch.broadcast_shapes(input.shape, target.shape)
        if result.numel() > max(input.numel(), target.numel()) > 1:
            self.find("proof", input=tuple(input.shape), target=tuple(target.shape), result=tuple(result))
