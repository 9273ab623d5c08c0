"""Train, and stop at the first bad batch, before it changes the weights.

Use it instead of your own loop while you debug, or as a starting point. Batches are
`(inputs, targets)`, with the loss `loss_fn(model(inputs), targets)`; inputs in a dict or a tuple are passed as
`model(**inputs)` or `model(*inputs)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`. Batches are moved to the model's device.

Before each optimizer step it checks the batch for NaN, and the loss and gradients for NaN or Inf. If it finds any, it
raises BadBatch with `epoch`, `index` and `batch`. Other exceptions pass through with a note that names the batch.
Skipping the batch instead would hide a bug in the data or the model.

It prints one line per epoch: mean loss, largest gradient norm, learning rate.

**Healthy:** no exception, a decreasing loss, and a largest gradient norm within ten times the usual value; otherwise
clip it with `max_norm`. Cross-entropy starts near ln(classes): 2.3 for ten.

Example, with a missing value in the data:

    >>> import torch
    >>> from training_loop import BadBatch, train
    >>> _ = torch.manual_seed(0)
    >>> readings = torch.randn(64, 4)
    >>> targets = readings.sum(1, keepdim=True)
    >>> model = torch.nn.Linear(4, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> batches = list(zip(readings.split(8), targets.split(8)))
    >>> losses = train(model, batches, torch.nn.MSELoss(), optimizer, epochs=2)
    epoch 0  loss 2.2  largest gradient norm 7.07  rate 0.1
    epoch 1  loss 0.0879  largest gradient norm 1.06  rate 0.1
    >>> readings[37, 2] = float("nan")
    >>> try:
    ...     losses = train(model, batches, torch.nn.MSELoss(), optimizer)
    ... except BadBatch as error:
    ...     print(error)
    ...     print(error.index, [list(tensor.shape) for tensor in error.batch])
    epoch 0, batch 4: inputs: 1 of 32 values are NaN, the first at [5, 2]. The optimizer has not stepped on it.
    4 [[8, 4], [8, 1]]
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import nn


class BadBatch(RuntimeError):
    """The first batch that would have spoilt the weights."""

    def __init__(self, problem: str, epoch: int, index: int, batch: Any) -> None:
        super().__init__(f"epoch {epoch}, batch {index}: {problem}. The optimizer has not stepped on it.")
        self.epoch, self.index, self.batch = epoch, index, batch


def train(
    model: nn.Module,
    loader: Iterable[Any],
    loss_fn: Callable[[Any, Any], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    *,
    epochs: int = 1,
    scheduler: Any = None,
    max_norm: float | None = None,
    after_epoch: Callable[[int, float], Any] | None = None,
) -> list[float]:
    """Train for `epochs` epochs and return the mean loss of each.

    Args:
        scheduler: stepped after every epoch.
        max_norm: clip the total gradient norm to this.
        after_epoch: called as `after_epoch(epoch, mean_loss)`; training ends early when it returns True. The place to
            validate, to save a checkpoint and to ask `EarlyStopping`.

    Raises:
        BadBatch: before the optimizer's step, so the weights are those before that batch.
    """
    trained = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("the model has nothing to train: no parameter has requires_grad=True")
    device = trained[0][1].device
    history: list[float] = []
    for epoch in range(epochs):
        model.train()
        losses, largest = [], 0.0
        for index, batch in enumerate(loader):
            batch = _to(batch, device)
            try:
                loss, norm = _backward(model, batch, loss_fn, optimizer, trained)
            except FloatingPointError as error:
                raise BadBatch(str(error), epoch, index, batch) from None
            except Exception as error:
                tensors = ", ".join(f"{path} {_describe(tensor)}" for path, tensor in _tensors(batch, "batch"))
                error.add_note(f"in epoch {epoch}, batch {index}: {tensors}")
                raise
            if max_norm is not None:
                nn.utils.clip_grads_with_norm_([parameter for _, parameter in trained], max_norm, norm)
            optimizer.step()
            losses.append(loss)
            largest = max(largest, norm.item())
        if not losses:
            again = "; a generator is empty after its first epoch" if epoch else ""
            raise ValueError(f"the loader gave no batch in epoch {epoch}{again}")
        history.append(sum(losses) / len(losses))
        rate = optimizer.param_groups[0]["lr"]
        print(f"epoch {epoch}  loss {history[-1]:.3g}  largest gradient norm {largest:.3g}  rate {float(rate):.3g}")
        if scheduler is not None:
            scheduler.step()
        if after_epoch is not None and after_epoch(epoch, history[-1]):
            break
    return history


def _backward(
    model: nn.Module,
    batch: Any,
    loss_fn: Any,
    optimizer: torch.optim.Optimizer,
    trained: list[tuple[str, nn.Parameter]],
) -> tuple[float, torch.Tensor]:
    """The loss of one batch and the total norm of its gradients; FloatingPointError says what is not finite."""
    whole = isinstance(batch, Mapping)
    inputs, targets = (batch, batch) if whole else batch
    for path, tensor in [*_tensors(inputs, "inputs"), *([] if whole else _tensors(targets, "targets"))]:
        # Before the forward pass, so that no running average takes it in. Infinite values may be a mask.
        if _values(tensor).isnan().any():
            raise FloatingPointError(f"{path}: {_nan(tensor)}")
    optimizer.zero_grad()
    if isinstance(inputs, Mapping):
        output = model(**inputs)
    else:
        output = model(*inputs) if isinstance(inputs, list | tuple) else model(inputs)
    loss = loss_fn(output, targets)
    value = loss.item()
    if not math.isfinite(value):
        bad = [path for path, tensor in _tensors(inputs, "inputs") if not _values(tensor).isfinite().all()]
        weights = [name for name, parameter in model.named_parameters() if not parameter.isfinite().all()]
        if weights:
            why = f"the weights {weights[0]} were bad before it"
        elif bad:
            why = f"{bad[0]} has infinite values"
        else:
            why = "its data are finite, so the model or the loss makes it (nan_guard names the layer)"
        raise FloatingPointError(f"the loss is {value}; {why}")
    loss.backward()
    gradients = [(name, parameter.grad) for name, parameter in trained if parameter.grad is not None]
    norm = nn.utils.get_total_norm([gradient for _, gradient in gradients])
    if not math.isfinite(norm.item()):
        bad = [name for name, gradient in gradients if not _values(gradient).isfinite().all()]
        problem = (
            f"the gradient of {bad[0]} is not finite" if bad else "the squares of the gradients are too large to add"
        )
        raise FloatingPointError(f"the loss is {value:.3g}, but {problem}")
    return value, norm


def _to(value: Any, device: torch.device) -> Any:
    """The batch on the model's device."""
    if isinstance(value, torch.Tensor):
        return value.to(device, non_blocking=True)
    if isinstance(value, Mapping):
        return {key: _to(part, device) for key, part in value.items()}
    if hasattr(value, "_fields"):
        return type(value)(*(_to(part, device) for part in value))
    return type(value)(_to(part, device) for part in value) if isinstance(value, list | tuple) else value


def _tensors(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor inside a value, with the expression that reaches it."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _tensors(part, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _tensors(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _tensors(part, f"{path}[{number}]")


def _values(tensor: torch.Tensor) -> torch.Tensor:
    """What a tensor holds: isnan() takes no sparse one."""
    return tensor.coalesce().values() if tensor.layout is torch.sparse_coo else tensor


def _nan(tensor: torch.Tensor) -> str:
    bad = tensor.to_dense().isnan()
    return f"{int(bad.sum())} of {bad.numel()} values are NaN, the first at {bad.nonzero()[0].tolist()}"


def _describe(tensor: torch.Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"
