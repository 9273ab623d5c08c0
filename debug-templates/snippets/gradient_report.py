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
    "vanishing": "VANISHING: too small to change the weight",
    "left over": "LEFT OVER: frozen, but the optimizer still applies this gradient; set it to None",
    "on meta": "ON META: it has no values",
}


class GradientReport(NamedTuple):
    """What is wrong, by the parameter's name, and the norm of all gradients together."""

    problems: dict[str, str]
    total_norm: float


def gradient_report(model: nn.Module) -> GradientReport:
    """Print the state of every gradient of `model` and return the problems and the total norm. Changes nothing.

    A problem is "no gradient", "zero", "vanishing", "not finite", "left over" (on a frozen parameter) or "on meta".
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"gradient_report takes the model, after loss.backward(), not a {type(model).__name__}")
    parameters = dict(model.named_parameters())
    width = max(map(len, [*parameters, "parameter"]))
    rows = {name: _measured(parameter) for name, parameter in parameters.items()}
    problems = {name: problem for name, parameter in parameters.items() if (problem := _problem(parameter, rows[name]))}
    excused = _excused(parameters, rows, problems)
    problems = {name: problem for name, problem in problems.items() if name not in excused}
    problems |= dict.fromkeys(_vanishing(parameters, rows, problems), "vanishing")
    print(f"{'parameter':<{width}}  {'norm':>9}  {'norm / weight':>13}")
    for name, parameter in parameters.items():
        norm = ratio = "-"
        remark = excused.get(name, "" if parameter.requires_grad else "frozen")
        if row := rows[name]:
            norm, ratio = f"{row.norm:.3g}", f"{row.norm / row.weight:.3g}" if row.weight else "-"
            if problems.get(name) == "not finite":
                remark = f"NOT FINITE: {row.broken} of {row.numbers} values are NaN or infinite"
        remark = REMARKS.get(problems.get(name, ""), remark)
        print(f"{name:<{width}}  {norm:>9}  {ratio:>13}  {remark}".rstrip())
    total = sum(row.norm**2 for row in rows.values() if row) ** 0.5
    print(f"{'total':<{width}}  {total:>9.3g}")
    if parameters and all(parameter.grad is None for parameter in parameters.values()):
        trained = any(parameter.requires_grad for parameter in parameters.values())
        print("No gradient at all: " + ("call this after loss.backward()" if trained else "every parameter is frozen"))
    elif 0 < total < 1e-12:
        print("No gradient changes a weight: training has reached a minimum, or the loss is saturated.")
    return GradientReport({name: problems[name] for name in parameters if name in problems}, total)


class _Row(NamedTuple):
    """Norms of a gradient and of its parameter, the number of values and of those that are not finite."""

    norm: float
    weight: float
    numbers: int
    broken: int


def _measured(parameter: nn.Parameter) -> _Row | None:
    if parameter.grad is None or parameter.grad.is_meta:
        return None
    gradient = _values(parameter.grad)
    norm, weight = (torch.linalg.vector_norm(part).item() for part in (gradient, _values(parameter.detach())))
    return _Row(norm, weight, gradient.numel(), int((~torch.isfinite(gradient)).sum()))


def _problem(parameter: nn.Parameter, row: _Row | None) -> str:
    if row is None:
        return "on meta" if parameter.grad is not None else "no gradient" if parameter.requires_grad else ""
    if row.broken:
        return "not finite"
    if not parameter.requires_grad:
        return "left over"
    return "" if row.norm else "zero"


def _excused(
    parameters: dict[str, nn.Parameter], rows: dict[str, _Row | None], problems: dict[str, str]
) -> dict[str, str]:
    """Why a gradient of zero is no problem, by the parameter's name."""
    closed = [n for n, row in rows.items() if row and row.norm and not row.weight and not n.endswith("bias")]
    alive = {name.rpartition(".")[0] for name, row in rows.items() if row and row.norm}
    reasons = {}
    for name, problem in problems.items():
        if problem == "zero" and closed:
            reasons[name] = f"0 as long as {closed[0]} is 0: look again after a step"
        elif problem == "zero" and parameters[name].dim() < 2 and name.rpartition(".")[0] in alive:
            reasons[name] = "0: it has no effect, as before a normalization"
    return reasons


def _vanishing(
    parameters: dict[str, nn.Parameter], rows: dict[str, _Row | None], problems: dict[str, str]
) -> list[str]:
    """Names of weights whose gradient vanishes. Biases may get next to none by design: before a normalization."""
    weights = {
        name: row
        for name, row in rows.items()
        if row and row.norm and row.weight and parameters[name].dim() > 1 and name not in problems
    }
    if not weights:
        return []
    ratios = {name: row.norm / row.weight for name, row in weights.items()}
    sizes = {name: row.norm / row.numbers**0.5 for name, row in weights.items()}
    small = [name for name in weights if ratios[name] < 1.2e-7 and sizes[name] < 1e-8]
    small = [name for name in small if max(ratios.values()) > 1e4 * ratios[name]]
    # A branch may be scaled down on purpose (1e-6 in ConvNeXt); the first layer gets its gradient all the same.
    return small if small[:1] == list(weights)[:1] else [name for name in small if sizes[name] < 1e-12]


def _values(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a dense or sparse tensor, in at least float32: the square of a float16 soon overflows."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce().values()
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
