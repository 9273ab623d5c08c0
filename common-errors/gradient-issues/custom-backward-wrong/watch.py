"""Proof, with `--check`: the gradient of a custom `torch.autograd.Function` differs from finite differences.

The first calls of the functions that the program defines are repeated in float64. For each input, the derivative along
a random direction is computed by the function's own backward pass, and by the difference quotient of its forward pass,
with two step sizes that must agree. The detector does not report functions that return their input unchanged (gradient
reversal, clipping or scaling of gradients), functions whose difference quotient is 0 (rounding, signs, thresholds with a
gradient of their own), random or discontinuous ones, and those that don't compute in float64.
"""

from __future__ import annotations

import torch

from torch_errors.watching.batch import unchanged_randomness
from torch_errors.watching.detector import Detector

LARGEST = 2**20  # number of values in an input
STEPS, AGREE, DIFFERENT, DIRECTIONS = (1e-5, 1e-6), 1e-3, 0.02, 3


class Watch(Detector):
    needs = "check"
    saw = {
        "en": "the backward of {function} is wrong for its input {number}: it gives a derivative of {given:.4g} where finite differences give {measured:.4g}",
        "zh": "{function} 的 backward 对第 {number} 个输入算错了：给出的导数是 {given:.4g}，有限差分得到 {measured:.4g}",
    }

    def on_check(self, batch):
        agreed = []
        for call in batch.functions:
            for number, given in enumerate(call.arguments):
                if not isinstance(given, torch.Tensor) or not given.is_floating_point() or given.numel() > LARGEST:
                    continue
                try:
                    with unchanged_randomness(), torch.enable_grad():
                        results = [derivatives(call, number, seed) for seed in range(DIRECTIONS)]
                except Exception:  # the program's own code, which may not compute in float64
                    continue
                if any(result is None for result in results):
                    continue
                wrong = [(g, m) for g, m in results if abs(g - m) > DIFFERENT * max(abs(g), abs(m))]
                if len(wrong) == DIRECTIONS:
                    name = call.function.__name__
                    self.find("proof", function=name, number=number, given=wrong[0][0], measured=wrong[0][1])
                elif not wrong:
                    agreed.append(call.function.__name__)
        if agreed and not self.run.found(self.id):
            names = ", ".join(dict.fromkeys(agreed))
            en = f"the backward of {names} agrees with finite differences"
            batch.notes.append({"en": en, "zh": f"{names} 的 backward 与有限差分一致"})


def derivatives(call, number, seed):
    """The derivative along a random direction by backward, and by differences; None if these say nothing."""
    generator = torch.Generator().manual_seed(seed)
    arguments = [a.double() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in call.arguments]
    point = arguments[number]
    direction = torch.randn(point.shape, generator=generator, dtype=torch.double).to(point.device)

    def run(value):
        torch.manual_seed(seed)
        result = call.function.apply(*arguments[:number], value, *arguments[number + 1 :])
        return result[0] if isinstance(result, tuple) else result

    leaf = point.clone().requires_grad_()
    output = run(leaf)
    if output.shape == point.shape and torch.equal(output.detach(), point):
        return None
    weights = torch.randn(output.shape, generator=generator, dtype=torch.double).to(output.device)
    [gradient] = torch.autograd.grad((output * weights).sum(), leaf, allow_unused=True)
    if gradient is None:
        return None
    with torch.no_grad():
        quotients = [
            ((run(point + h * direction) - run(point - h * direction)) * weights).sum().item() / (2 * h) for h in STEPS
        ]
    size = max(map(abs, quotients))
    if not 1e-9 < size < float("inf") or abs(quotients[0] - quotients[1]) > AGREE * size:
        return None
    return (gradient * direction).sum().item(), quotients[1]
