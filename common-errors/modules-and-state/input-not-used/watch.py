"""Proof, with `--check`: with other values of an input, a module returns the same output, bit for bit.

The first calls that led to the loss are repeated with the same random numbers, and one input after the other is
replaced: numbers get noise, ids and marks change places. The detector reports an input that does not change the output,
and, if several samples have different values there, a feature, a channel, or a quarter or more of the rows, columns or
time steps, to which no gradient leads and which change nothing either. It does not report inputs whose values are all
the same (a mask of ones, ids of zeros), the labels of the loss, a model that returns other numbers each time, or wrappers
that compile, trace, scatter or shard. Positions that are padding in every sample have the same values in all of them.
"""

from __future__ import annotations

import torch

from torch_errors.watching.batch import different, is_repeatable, same
from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import is_finite

CALLS, LARGEST_PART = 3, 0.25


class Watch(Detector):
    needs = "check"
    saw = {
        "en": "in {module}, {what} does not reach the output: with other values there, the output is the same bit for bit",
        "zh": "{module} 的{what_zh}没有影响输出：换成别的数值，输出逐位相同",
    }

    def on_check(self, batch):
        reached = 0
        for call in batch.calls[:CALLS]:
            first = batch.rerun(call) if is_repeatable(call.module) else None
            if not same(first, batch.rerun(call) if first else None) or not all(map(is_finite, first)):
                continue
            for name, tensor in call.inputs():
                other = different(tensor)
                unchanged = None if other is None else same(first, batch.rerun(call, {id(tensor): other}))
                if unchanged:
                    self.report(call, f"the input `{name}`", f"输入 `{name}` ")
                elif unchanged is False:
                    reached += 1
                    self.judge_parts(batch, call, name, tensor, other, first)
        if reached and not self.run.found(self.id):
            batch.notes.append(
                {
                    "en": f"inputs that reach the output of their module: {reached}",
                    "zh": f"有 {reached} 个输入影响所在模块的输出",
                }
            )

    def judge_parts(self, batch, call, name, tensor, other, first):
        """Report features, channels, rows, columns or time steps that change nothing."""
        if not tensor.is_floating_point() or tensor.dim() < 2 or len(tensor) < 2:
            return
        given = tensor.detach().clone().requires_grad_()
        outputs = batch.rerun(call, {id(tensor): given}, gradients=True) or []
        outputs = [output for output in outputs if output.requires_grad]
        if not outputs:
            return
        generator = torch.Generator(tensor.device).manual_seed(1)
        weights = [torch.randn(o.shape, generator=generator, device=o.device).to(o.dtype) for o in outputs]
        try:
            with torch.enable_grad():
                total = sum((output * weight).sum() for output, weight in zip(outputs, weights, strict=True))
                [gradient] = torch.autograd.grad(total, given, allow_unused=True)
        except RuntimeError:  # the program's own backward pass will raise it
            return
        if gradient is None or not bool(gradient.isfinite().all()):
            return
        for dim in range(1, tensor.dim()):
            size = tensor.shape[dim]
            rows = tensor.detach().movedim(dim, 0).reshape(size, len(tensor), -1)
            unreached = (gradient.movedim(dim, 0).reshape(size, -1) == 0).all(1) & (rows != rows[:, :1]).any(2).any(1)
            count = int(unreached.sum())
            feature = dim == tensor.dim() - 1 if tensor.dim() < 4 else dim == tensor.dim() - 3
            if not count or not (feature or count >= LARGEST_PART * size):
                continue
            at = unreached.reshape([size if axis == dim else 1 for axis in range(tensor.dim())])
            if same(first, batch.rerun(call, {id(tensor): torch.where(at, other, tensor.detach())})):
                index = unreached.nonzero()[0].item()
                what = (
                    f"a part of the input `{name}` ({count} of the {size} places of dimension {dim}, such as {index})"
                )
                self.report(call, what, f"输入 `{name}` 第 {dim} 维的 {size} 个位置中有 {count} 个（例如 {index}）")
                return

    def report(self, call, what, what_zh):
        self.find("proof", what=what, what_zh=what_zh, module=type(call.module).__name__)
