"""Proof: an optimizer turns weights with finite gradients into NaN or Inf because its `eps` is 0 in their dtype.

Before a step, the detector records which float16 parameters are finite and have finite gradients; after the step, it
checks whether they are still finite. It reports at the first step that ruins one of them. It does not report float32
weights (as under autocast), an `eps` that is large enough not to be 0 in float16, or gradients that were not finite
before. It can't detect updates that are rounded away, in float16 or bfloat16.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import is_finite

# Maximum number of steps with such parameters (second moments are smallest in the first steps), and of all steps.
MOST_STEPS, MOST = 64, 4096


class Watch(Detector):
    saw = {
        "en": "the step made {count} of {all} weights NaN or infinite although their gradients are finite: eps={eps:.0e} is 0 in float16",
        "zh": "梯度都是有限值，这一步更新却把 {all} 个权重中的 {count} 个变成了 NaN 或 Inf：eps={eps:.0e} 在 float16 里等于 0",
    }

    def __init__(self, run):
        super().__init__(run)
        self.checked = 0
        self.before = []  # (parameter, eps) of finite parameters with finite gradients

    def on_step(self, optimizer):
        self.before = [
            (parameter, group["eps"])
            for group in optimizer.param_groups
            if isinstance(group.get("eps"), float)
            for parameter in group["params"]
            if parameter.dtype == torch.float16 and parameter.grad is not None and is_real(parameter)
            if torch.tensor(group["eps"], dtype=torch.float16) == 0
            and is_finite(parameter)
            and is_finite(parameter.grad)
        ]
        self.checked += bool(self.before)
        self.finished = self.checked > MOST_STEPS or self.run.steps > MOST

    def on_stepped(self, optimizer):
        before, self.before = self.before, []
        ruined = [(parameter, eps) for parameter, eps in before if not is_finite(parameter)]
        if ruined:
            count = sum(int((~parameter.isfinite()).sum()) for parameter, _ in ruined)
            self.find("proof", count=count, all=sum(parameter.numel() for parameter, _ in before), eps=ruined[0][1])
