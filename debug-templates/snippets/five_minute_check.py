"""Check environment, data, model and a small run in five minutes, before you dig deeper.

Use it first, whatever the symptom. It works on a copy of the model, which `copy.deepcopy` must be able to make.

The batch is two tensors on the model's device, and `loss_fn(model(inputs), targets)` the loss. For batches of
another form, pass `compute_loss=` in place of `loss_fn`; it is called as `compute_loss(model, batch)`, and the data
is not looked at. It prints four steps and returns the problems:

1. environment (30 seconds): versions, device, a matrix product on it.
2. data (1 minute): shape, dtype, device and range of inputs and targets; NaN, identical samples, unscaled inputs.
3. model (1 minute): parameters, the loss, the gradient's norm, parameters that get no gradient.
4. small run (2 minutes): the loss on two samples (with batch norm or `compute_loss`, on the batch) must fall by half
   in 100 steps of Adam at one of four learning rates.

**Healthy:** "No problem found." The first loss of a classifier is near ln(classes), 2.3 for ten. A loss whose minimum
is above zero, or unscaled targets, can keep a healthy model above half.

Your own loop is not run; `python -m torch_errors --watch train.py` watches it for silent faults.

Example, with unscaled pixels:

    >>> import torch
    >>> from torch import nn
    >>> from five_minute_check import five_minute_check
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    >>> batch = torch.randint(0, 256, (16, 64)).float(), torch.randint(0, 10, (16,))
    >>> problems = five_minute_check(model, batch, nn.CrossEntropyLoss())  # doctest: +ELLIPSIS
    1 environment: Python ..., torch ..., cpu
    2 data
      inputs [16, 64] torch.float32 on cpu, 0 to 255
      targets [16] torch.int64 on cpu, 0 to 9
    3 model: 2,410 trained parameters, loss 40.6, gradient norm 378
    4 small run: loss 17.7 at step 0, ... at step ...
    Problems:
      - inputs from 0 to 255 are not scaled: bring them near -1 to 1
"""

from __future__ import annotations

import copy
import math
import platform
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

Loss = Callable[[nn.Module, Any], torch.Tensor]


def five_minute_check(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    *,
    compute_loss: Loss | None = None,
    lr: float = 1e-3,
) -> list[str]:
    """Print the four steps, and return the problems. The small run tries `lr` and 10, 100 and 1000 times as much."""
    if compute_loss is None:
        compute_loss = lambda model, batch: loss_fn(model(batch[0]), batch[1])  # type: ignore[misc] # noqa: E731
    model = copy.deepcopy(model).train()
    ones = torch.ones(64, 64, device=next(model.parameters()).device)
    print(f"1 environment: Python {platform.python_version()}, torch {torch.__version__}, {ones.device}")
    problems = [] if bool((ones @ ones == 64).all()) else [f"{ones.device} multiplies two matrices wrongly"]
    print("2 data")
    if loss_fn is not None:
        problems += _data("inputs", batch[0]) + _data("targets", batch[1])
    with torch.random.fork_rng():
        problems += _model(copy.deepcopy(model), batch, compute_loss)
        if loss_fn is not None and not any("BatchNorm" in type(module).__name__ for module in model.modules()):
            batch = batch[0][:2], batch[1][:2]
        problems += _small_run(model, batch, compute_loss, lr)
    print("\n  - ".join(["Problems:", *problems]) if problems else "No problem found.")
    return problems


def _data(name: str, tensor: torch.Tensor) -> list[str]:
    low, high = tensor.min().item(), tensor.max().item()
    print(f"  {name} {list(tensor.shape)} {tensor.dtype} on {tensor.device}, {low:.3g} to {high:.3g}")
    if bad := int((~torch.isfinite(tensor)).sum()):
        return [f"{name}: {bad} values are NaN or infinite"]
    if name == "inputs" and len(tensor) > 1 and bool((tensor == tensor[:1]).all()):
        return ["inputs: all samples are the same"]
    if name == "inputs" and tensor.is_floating_point() and max(-low, high) > 100:
        return [f"inputs from {low:.3g} to {high:.3g} are not scaled: bring them near -1 to 1"]
    return []


def _model(model: nn.Module, batch: Any, compute_loss: Loss) -> list[str]:
    trained = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    loss = compute_loss(model, batch)
    if loss.requires_grad:
        loss.backward()
    norm = math.hypot(*(float(p.grad.to_dense().norm()) for p in trained.values() if p.grad is not None))
    number = sum(parameter.numel() for parameter in trained.values())
    print(f"3 model: {number:,} trained parameters, loss {loss.item():.3g}, gradient norm {norm:.3g}")
    problems = [] if 0 < norm < math.inf else [f"the norm of the gradient is {norm:.3g}"]
    missing = [name for name, parameter in trained.items() if parameter.grad is None]
    return [*problems, f"no gradient reaches {', '.join(missing)}"] if missing else problems


def _small_run(model: nn.Module, batch: Any, compute_loss: Loss, lr: float) -> list[str]:
    for rate in (lr, 10 * lr, 100 * lr, 1000 * lr):
        tried, losses = copy.deepcopy(model), []
        optimizer = torch.optim.Adam(tried.parameters(), lr=rate)
        while len(losses) <= 100 and (not losses or losses[-1] > losses[0] / 2):
            torch.manual_seed(0)  # the same noise in every step
            loss = compute_loss(tried, batch)
            losses.append(loss.item())
            if loss.requires_grad:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if losses[-1] <= losses[0] / 2:
            break
    print(f"4 small run: loss {losses[0]:.3g} at step 0, {losses[-1]:.3g} at step {len(losses) - 1}")
    return [] if losses[-1] <= losses[0] / 2 else ["the loss of the small run does not fall by half in 100 steps"]
