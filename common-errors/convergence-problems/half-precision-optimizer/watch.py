"""Proof: an optimizer makes NaN or infinite weights of finite gradients, where its `eps` is 0 in their dtype.

Before a step it notes which float16 parameters are finite and have finite gradients; after it, whether they still are. It
speaks at the first step that ruins one of them. It is silent about weights in float32, as under autocast; where `eps` was
raised so that it is not 0 in float16; and where the gradients were not finite before. It does not see updates that are
rounded away, in float16 or bfloat16.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import is_finite

# Steps with such parameters to look at, as the second moments are smallest in the first ones; and in all.
MOST_STEPS, MOST = 64, 4096


class Watch(Detector):
    saw = {
        "en": "the step made {count} of {all} weights NaN or infinite though their gradients are finite: eps={eps:.0e} is 0 in float16",
        "zh": "梯度都是有限值，这一步更新却把 {all} 个权重中的 {count} 个变成了 NaN 或 Inf：eps={eps:.0e} 在 float16 里等于 0",
    }

    def __init__(self, run):
        super().__init__(run)
        self.looked = 0
        self.before = []  # parameters that are finite, with finite gradients, and their eps

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
        self.looked += bool(self.before)
        self.finished = self.looked > MOST_STEPS or self.run.steps > MOST

    def on_stepped(self, optimizer):
        before, self.before = self.before, []
        ruined = [(parameter, eps) for parameter, eps in before if not is_finite(parameter)]
        if ruined:
            count = sum(int((~parameter.isfinite()).sum()) for parameter, _ in ruined)
            self.find("proof", count=count, all=sum(parameter.numel() for parameter, _ in before), eps=ruined[0][1])
