"""Does one training step reach every parameter and change it?

Use it when the loss does not fall, and before a long run. It makes two steps on one batch with copies of the model and
of its optimizer, so yours stay as they are; the second step is for layers that begin at zero, which block the gradient
of the layers before them in the first one. The copies need as much memory again; `copy.deepcopy` refuses models
that keep their outputs, and the old `weight_norm`.

The batch is `(inputs, targets)` on the model's device, and `loss_fn(model(inputs), targets)` the loss. For batches of
another form, pass `compute_loss=` in place of `loss_fn`; it is called as `compute_loss(model, batch)`.

It prints the shapes, the loss and the problems, and returns the problems: a loss that is not finite or has no graph,
parameters whose gradient is missing, zero or not finite, parameters that do not change, and outputs and targets that
MSELoss and its like broadcast.

**Healthy:** "No problem found." A parameter that this batch does not use, such as an expert of a mixture, is named.

It does not run your own loop: a missing `zero_grad()`, a model left in training mode and other silent faults are found
by `python -m torch_errors --watch train.py`. L-BFGS is not supported, since its `step()` needs a closure.

Example, where the optimizer was given only the head:

    >>> import torch
    >>> from torch import nn
    >>> from training_step_check import training_step_check
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    >>> optimizer = torch.optim.SGD(model[2].parameters(), lr=0.01)
    >>> batch = torch.randn(32, 8), torch.randn(32)
    >>> problems = training_step_check(model, optimizer, batch, nn.MSELoss())
    output [32, 1] float32, targets [32] float32
    loss 0.898 at the first step, 0.892 at the second
    Problems:
      - the loss broadcasts [32, 1] and [32]: give output and targets the same shape
      - not in the optimizer: 0.weight, 0.bias
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

BROADCASTING = (nn.MSELoss, nn.L1Loss, nn.SmoothL1Loss, nn.HuberLoss)


def training_step_check(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    *,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
) -> list[str]:
    """Print what two steps on one batch do, and return the problems; model and optimizer stay as they are."""
    model, optimizer = copy.deepcopy((model, optimizer))  # together: the copy of one refers to the copy of the other
    model.train()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    problems: list[str] = []
    losses = []
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Using a target size")  # this is one of the problems below
        for number in range(2):
            optimizer.zero_grad()
            if compute_loss is not None:
                loss = compute_loss(model, batch)
            else:
                assert loss_fn is not None, "pass loss_fn or compute_loss"
                output, targets = model(batch[0]), batch[1]
                loss = loss_fn(output, targets)
                if number == 0:
                    problems += _shapes(output, targets, loss_fn)
            losses.append(loss.item())
            if not loss.requires_grad:
                problems.append("the loss has no graph: detach(), item(), no_grad(), or all parameters are frozen")
                break
            loss.backward()
            optimizer.step()
    print(f"loss {losses[0]:.3g} at the first step" + "".join(f", {loss:.3g} at the second" for loss in losses[1:]))
    if not all(torch.tensor(losses).isfinite()):
        problems.append("the loss is not finite: nan_guard finds the first such value")
    if loss.requires_grad:
        problems += _parameters(model, optimizer, before)
    print("\n  - ".join(["Problems:", *problems]) if problems else "No problem found.")
    return problems


def _shapes(output: Any, targets: Any, loss_fn: Any) -> list[str]:
    if not (isinstance(output, torch.Tensor) and isinstance(targets, torch.Tensor)):
        return []
    shapes = [list(tensor.shape) for tensor in (output, targets)]
    types = [str(tensor.dtype).removeprefix("torch.") for tensor in (output, targets)]
    print(f"output {shapes[0]} {types[0]}, targets {shapes[1]} {types[1]}")
    if shapes[0] != shapes[1] and isinstance(loss_fn, BROADCASTING):
        return [f"the loss broadcasts {shapes[0]} and {shapes[1]}: give output and targets the same shape"]
    return []


def _parameters(model: nn.Module, optimizer: torch.optim.Optimizer, before: dict[str, torch.Tensor]) -> list[str]:
    """What is wrong with the parameters that require a gradient, each named once."""
    rates = {parameter: group["lr"] for group in optimizer.param_groups for parameter in group["params"]}
    found: dict[str, list[str]] = {}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        gradient = parameter.grad if parameter.grad is None else parameter.grad.to_dense()
        if gradient is None:
            found.setdefault("no gradient reaches", []).append(name)
        elif not gradient.isfinite().all():
            found.setdefault("the gradient is not finite in", []).append(name)
        elif not gradient.any() and parameter.numel() > 1:  # a single number's may be zero by chance
            found.setdefault("the gradient is zero in", []).append(name)
        elif parameter not in rates:
            found.setdefault("not in the optimizer:", []).append(name)
        elif gradient.any() and rates[parameter] != 0 and torch.equal(parameter, before[name]):  # 0: a warm-up
            found.setdefault("the optimizer does not change", []).append(name)
    return [f"{what} {', '.join(names[:5])}{', ...' if len(names) > 5 else ''}" for what, names in found.items()]
