"""Run a training step in bfloat16 or float16, and detect overflow and underflow.

Use it on a GPU to save time and memory; a CPU without bfloat16 support becomes slower. Weights stay float32 (no
`.half()`); `torch.autocast` selects the dtype of each operation. bfloat16 has the range of float32 and needs no scaler.
float16 overflows above 65504 and underflows below 6e-8, so it needs a `scaler = torch.amp.GradScaler(device)`, created
once before training. (`torch.cuda.amp` is the old name of both.)

A batch is `(inputs, targets)` on the model's device, with the loss `loss_fn(model(inputs), targets)`; inputs in a dict
or a tuple are passed as `model(**inputs)` or `model(*inputs)`, and a batch that is one dict as `model(**batch)`, with
the loss `loss_fn(output, batch)`.

The step returns the loss, the total gradient norm, and whether the scaler skipped the update. It prints nothing. A NaN
or Inf loss raises FloatingPointError before the weights change.

**Healthy:** the first losses agree with float32 within 1 %. With float16, a few skipped steps at the start while the
scale settles, and few after that. Many skipped steps in a row, with a scale below 1, suggest that the gradients
overflow without scaling, too; a gradient norm of exactly 0 suggests underflow.

Example, unnormalized inputs whose weighted sum is too large for float16:

    >>> import torch
    >>> from mixed_precision import mixed_precision_step
    >>> _ = torch.manual_seed(0)
    >>> model = torch.nn.Linear(300, 1)
    >>> _ = torch.nn.init.constant_(model.weight, 1.0)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
    >>> batch = torch.full((8, 300), 250.0), torch.zeros(8, 1)
    >>> step = mixed_precision_step(model, batch, torch.nn.MSELoss(), optimizer, dtype=torch.bfloat16)
    >>> f"{step.loss:.2g}, skipped: {step.skipped}"
    '5.6e+09, skipped: False'
    >>> scaler = torch.amp.GradScaler("cpu")
    >>> mixed_precision_step(model, batch, torch.nn.MSELoss(), optimizer, dtype=torch.float16, scaler=scaler)
    Traceback (most recent call last):
    FloatingPointError: the loss is inf in float16, whose largest number is 65504, and 5.2e+09 in float32: use bfloat16
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn


class Step(NamedTuple):
    """The loss, the total norm of the gradients before clipping, and whether the scaler has skipped the update."""

    loss: float
    gradient_norm: float
    skipped: bool


def mixed_precision_step(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    *,
    dtype: torch.dtype = torch.bfloat16,
    scaler: torch.amp.GradScaler | None = None,
    max_norm: float | None = None,
) -> Step:
    """Take one training step under `torch.autocast`.

    Args:
        scaler: needed for float16; the same one in every step, and part of your checkpoint.
        max_norm: clip the total gradient norm, after unscaling, to this.

    Raises:
        FloatingPointError: for a loss that is not finite, and without a scaler for such gradients.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("the model has nothing to train: no parameter has requires_grad=True")
    small = {torch.float16, torch.bfloat16}
    if dtype not in small:
        raise ValueError(f"dtype must be torch.bfloat16 or torch.float16, not {dtype}")
    if found := {parameter.dtype for parameter in trained} & small:
        raise ValueError(f"the weights are {found.pop()}: keep them float32 (no .half()); autocast converts")
    if dtype == torch.float16 and scaler is None:
        raise ValueError("float16 needs a scaler, made once: scaler = torch.amp.GradScaler(device)")
    device = trained[0].device.type
    scaler = scaler or torch.amp.GradScaler(device, enabled=False)

    optimizer.zero_grad()
    with torch.autocast(device, dtype=dtype):  # forward and loss only: backward follows the types of forward
        loss = _loss(model, batch, loss_fn)
    if not math.isfinite(loss.item()):
        raise FloatingPointError(_explain(model, batch, loss_fn, loss.item(), dtype))
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)  # the norm of scaled gradients says nothing
    norm = nn.utils.get_total_norm([parameter.grad for parameter in trained if parameter.grad is not None])
    if not scaler.is_enabled() and not math.isfinite(norm.item()):
        raise FloatingPointError(
            f"the loss is {loss.item():.3g}, but its gradients are not finite: look with nan_guard"
        )
    if max_norm is not None:
        nn.utils.clip_grads_with_norm_(trained, max_norm, norm)
    scale = scaler.get_scale()
    scaler.step(optimizer)  # skips by itself where a gradient is not finite
    scaler.update()
    return Step(loss.item(), norm.item(), scaler.get_scale() < scale)


def _loss(model: nn.Module, batch: Any, loss_fn: Any) -> torch.Tensor:
    inputs, targets = (batch, batch) if isinstance(batch, Mapping) else batch
    if isinstance(inputs, Mapping):
        return loss_fn(model(**inputs), targets)
    return loss_fn(model(*inputs) if isinstance(inputs, list | tuple) else model(inputs), targets)


def _explain(model: nn.Module, batch: Any, loss_fn: Any, loss: float, dtype: torch.dtype) -> str:
    """Whether the small type is to blame: the same loss in float32, with the layers as they are in evaluation."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        with torch.no_grad():
            full = _loss(model, batch, loss_fn).item()
    finally:
        for module, training in modes:
            module.training = training
    name = str(dtype).removeprefix("torch.")
    if not math.isfinite(full):
        return f"the loss is {loss} in {name} and {full} in float32: the data or the model are at fault"
    largest = f", whose largest number is {torch.finfo(dtype).max:g}" if dtype == torch.float16 else ""
    remedy = "use bfloat16" if dtype == torch.float16 else "leave autocast where it happens (nan_guard names the layer)"
    return f"the loss is {loss} in {name}{largest}, and {full:.2g} in float32: {remedy}"
