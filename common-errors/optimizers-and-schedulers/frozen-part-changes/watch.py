"""Proof: a step of an optimizer has changed parameters that have `requires_grad=False`, in three steps.

Such a parameter still has a gradient, from before it was frozen or set to zero, so momentum and weight decay go on. The
detector compares some of its values before and after the step. It does not report parameters whose gradient the program
assigns in every step (it has then another value each time), or frozen ones without gradient, which optimizers leave alone.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, is_real

STEPS, COMPARED, MOST = 3, 64, 16


class Watch(Detector):
    saw = {
        "en": "the optimizer changes {count} parameters with `requires_grad=False`, such as one of shape {shape}: they still have a gradient ({state}), so {why} go on",
        "zh": "优化器仍在改动 {count} 个 `requires_grad=False` 的参数，例如形状为 {shape} 的那个：它们还留有梯度（{state_zh}），所以{why_zh}照常进行",
    }

    def __init__(self, run):
        super().__init__(run)
        self.before = []  # (parameter, first values, sum of its gradient) before this step, until it ends
        self.changed = {}  # id -> steps in which it changed with the same gradient
        self.gradients = {}  # id -> sum of its gradient in the last step

    def on_step(self, optimizer):
        frozen = [
            p
            for group in optimizer.param_groups
            for p in group["params"]
            if not p.requires_grad and p.grad is not None and is_real(p) and not p.grad.is_sparse
        ]
        self.before = [(p, first_values(p), p.grad.double().sum().item()) for p in frozen[:MOST]]

    def on_stepped(self, optimizer):
        before, self.before = self.before, []
        for parameter, values, gradient in before:
            kept = self.gradients.setdefault(id(parameter), gradient) == gradient
            self.gradients[id(parameter)] = gradient
            moved = first_values(parameter) != values
            self.changed[id(parameter)] = self.changed.get(id(parameter), 0) + 1 if moved and kept else 0
        enough = [p for p, _, _ in before if self.changed[id(p)] >= STEPS]
        if enough:
            group = optimizer.param_groups[0]
            zero = not any(bool(p.grad.any()) for p in enough)
            decay = [("weight decay", "权重衰减")] if group.get("weight_decay") else []
            momentum = [("momentum", "动量")] if group.get("momentum") or "betas" in group else []
            names = decay + momentum or [("updates", "更新")]
            self.find(
                "proof",
                count=len(enough),
                shape=tuple(enough[0].shape),
                state="of zeros" if zero else "an old one",
                state_zh="全为 0" if zero else "旧的",
                why=" and ".join(name for name, _ in names),
                why_zh="、".join(name for _, name in names),
            )
            self.finished = True


def first_values(parameter):
    return parameter.detach().flatten()[:COMPARED].tolist()
