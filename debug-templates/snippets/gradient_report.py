"""Report each parameter's gradient after backward(): missing, zero, NaN/Inf or how large.

Use it when the loss does not decrease or is NaN, or a layer does not change. Call it after `loss.backward()` and before
`optimizer.step()`; with a GradScaler, after `scaler.unscale_(optimizer)`, since before that the gradients are scaled.

It prints one line per parameter: its gradient norm, that norm divided by the parameter's norm, and any problem. The
total norm is what `clip_grad_norm_` compares with `max_norm`. Parameters with `requires_grad=False` are listed as
frozen, which is a problem only if an old gradient is left: the optimizer would keep updating them.

**Healthy:** no problems; a total norm that changes slowly, often between 0.1 and 100 (0.2 to 2 at the start of small
networks, 25 to 60 for a ResNet-18); norms of the first and last layer within a factor of 100. A zero gradient is fine
if you initialize to zero on purpose, as in a residual branch or in LoRA's first step.

Example:

    >>> import torch
    >>> from torch import nn
    >>> from gradient_report import gradient_report
    >>> _ = torch.manual_seed(0)
    >>> model = nn.ModuleDict({"encoder": nn.Linear(4, 8), "head": nn.Linear(8, 2)})
    >>> _ = model["head"].bias.requires_grad_(False)
    >>> features = model["encoder"](torch.randn(16, 4)).detach()  # cuts the encoder off
    >>> model["head"](features).square().mean().backward()
    >>> problems, total_norm = gradient_report(model)
    parameter            norm  norm / weight
    encoder.weight          -              -  NO GRADIENT: the loss does not depend on it
    encoder.bias            -              -  NO GRADIENT: the loss does not depend on it
    head.weight         0.669          0.824
    head.bias               -              -  frozen
    total               0.669
    >>> problems
    {'encoder.weight': 'no gradient', 'encoder.bias': 'no gradient'}
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import nn

REMARKS = {
    "no gradient": "NO GRADIENT: the loss does not depend on it",
    "zero": "ZERO: nothing flows back to it",
    "left over": "LEFT OVER: frozen, but the optimizer still applies this gradient; set it to None",
    "on meta": "ON META: it has no values",
}


class GradientReport(NamedTuple):
    """What is wrong, by the parameter's name, and the norm of all gradients together."""

    problems: dict[str, str]
    total_norm: float


def gradient_report(model: nn.Module) -> GradientReport:
    """Print the state of every gradient of `model` and return the problems and the total norm. Changes nothing.

    A problem is "no gradient", "zero", "not finite", "left over" (on a frozen parameter) or "on meta".
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"gradient_report takes the model, after loss.backward(), not a {type(model).__name__}")
    parameters = dict(model.named_parameters())
    width = max(map(len, [*parameters, "parameter"]))
    problems: dict[str, str] = {}
    squares = 0.0
    print(f"{'parameter':<{width}}  {'norm':>9}  {'norm / weight':>13}")
    for name, parameter in parameters.items():
        norm = ratio = "-"
        remark = "" if parameter.requires_grad else "frozen"
        if parameter.grad is None:
            if parameter.requires_grad:
                problems[name] = "no gradient"
        elif parameter.grad.is_meta:
            problems[name] = "on meta"
        else:
            gradient = _values(parameter.grad)
            size = torch.linalg.vector_norm(gradient).item()
            weight = torch.linalg.vector_norm(_values(parameter.detach())).item()
            squares += size**2
            norm, ratio = f"{size:.3g}", f"{size / weight:.3g}" if weight else "-"
            broken = int((~torch.isfinite(gradient)).sum())
            if broken:
                problems[name] = "not finite"
                remark = f"NOT FINITE: {broken} of {gradient.numel()} values are NaN or infinite"
            elif not parameter.requires_grad:
                problems[name] = "left over"
            elif size == 0:
                problems[name] = "zero"
        remark = REMARKS.get(problems.get(name, ""), remark)
        print(f"{name:<{width}}  {norm:>9}  {ratio:>13}  {remark}".rstrip())
    print(f"{'total':<{width}}  {squares**0.5:>9.3g}")
    if parameters and all(parameter.grad is None for parameter in parameters.values()):
        trained = any(parameter.requires_grad for parameter in parameters.values())
        print("No gradient at all: " + ("call this after loss.backward()" if trained else "every parameter is frozen"))
    return GradientReport(problems, squares**0.5)


def _values(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a dense or sparse tensor, in at least float32: the square of a float16 soon overflows."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce().values()
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
