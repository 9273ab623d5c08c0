"""Train, and stop at the first bad batch, before it changes the weights.

Use it instead of your own loop while you debug, or as a starting point. Batches are
`(inputs, targets)`, with the loss `loss_fn(model(inputs), targets)`; inputs in a dict or a tuple are passed as
`model(**inputs)` or `model(*inputs)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`. Detection models, whose targets are a list of dicts, are called as `model(inputs, targets)`.
For any other form pass `compute_loss=`, called as `compute_loss(model, batch)`. Batches are moved to the model's
device.

Before each optimizer step it checks the batch for NaN, and the loss and gradients for NaN or Inf. If it finds any, it
raises BadBatch with `epoch`, `index` and `batch`. The optimizer has not stepped on that batch, but that does not make
the weights good: an earlier step may have ruined them. So it also stops when training has diverged, which means that
the loss is 1000 times the first and the norm of the weights 1000 times what it was; `last_good` is the last batch whose
loss, computed before its step, was below ten times the first. Other exceptions pass through with a note that names the
batch. Skipping the batch instead would hide a bug in the data or the model.

It prints one line per epoch: mean loss, largest gradient norm, learning rate, and a remark where the gradients are too
small to change a weight: below 1.2e-7 of the weights' norm (the precision of float32) and 1e-8 for each (Adam's `eps`).

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

DIVERGED = 1000  # how many times the loss and the norm of the weights are what they were


class BadBatch(RuntimeError):
    """The batch on which training stopped, before the optimizer's step.

    `weights_good` is False where an earlier step has ruined the weights: go back to a checkpoint. `last_good` is the
    epoch and the index of the last batch whose loss was below ten times the first one, None where there is none.
    """

    def __init__(
        self,
        problem: str,
        epoch: int,
        index: int,
        batch: Any,
        weights_good: bool = True,
        last_good: tuple[int, int] | None = None,
    ) -> None:
        text = f"epoch {epoch}, batch {index}: {problem}. The optimizer has not stepped on it"
        if not weights_good:
            text += ", but the weights are not good"
            if last_good:
                text += f": the loss was last normal in epoch {last_good[0]}, batch {last_good[1]}"
        super().__init__(text + ".")
        self.epoch, self.index, self.batch = epoch, index, batch
        self.weights_good, self.last_good = weights_good, last_good


def train(
    model: nn.Module,
    loader: Iterable[Any],
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    optimizer: torch.optim.Optimizer | None = None,
    *,
    epochs: int = 1,
    scheduler: Any = None,
    max_norm: float | None = None,
    after_epoch: Callable[[int, float], Any] | None = None,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
) -> list[float]:
    """Train for `epochs` epochs and return the mean loss of each.

    Args:
        loss_fn: `loss_fn(output, targets)`.
        scheduler: stepped after every epoch.
        max_norm: clip the total gradient norm to this.
        after_epoch: called as `after_epoch(epoch, mean_loss)`; training ends early when it returns True. The place to
            validate, to save a checkpoint and to ask `EarlyStopping`.
        compute_loss: in place of `loss_fn`, `compute_loss(model, batch)`.

    Raises:
        BadBatch: before the optimizer's step, so the weights are those before that batch.
    """
    if (loss_fn is None) == (compute_loss is None):
        raise TypeError("train takes either loss_fn or compute_loss")
    if optimizer is None:
        raise TypeError("train needs an optimizer")
    trained = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("the model has nothing to train: no parameter has requires_grad=True")
    device = trained[0][1].device
    history: list[float] = []
    watch = _Watch([parameter for _, parameter in trained])

    def loss_of(batch: Any) -> torch.Tensor:
        return compute_loss(model, batch) if compute_loss else _loss(model, batch, loss_fn)

    for epoch in range(epochs):
        model.train()
        losses, largest = [], 0.0
        for index, batch in enumerate(loader):
            batch = _to(batch, device)
            try:
                loss, norm = _backward(model, batch, loss_of, optimizer, trained)
                watch.check(loss, epoch, index)
            except FloatingPointError as error:
                raise BadBatch(str(error), epoch, index, batch, not watch.grown(), watch.last_good) from None
            except Exception as error:
                tensors = ", ".join(f"{path} {_describe(tensor)}" for path, tensor in _tensors(batch, "batch"))
                error.add_note(f"in epoch {epoch}, batch {index}: {tensors}")
                raise
            if max_norm is not None:
                nn.utils.clip_grads_with_norm_([parameter for _, parameter in trained], max_norm, norm)
            if isinstance(optimizer, torch.optim.LBFGS):
                optimizer.step(lambda batch=batch: _again(loss_of, batch, optimizer))
            else:
                optimizer.step()
            losses.append(loss)
            largest = max(largest, norm.item())
        if not losses:
            again = "; a generator is empty after its first epoch" if epoch else ""
            raise ValueError(f"the loader gave no batch in epoch {epoch}{again}")
        history.append(sum(losses) / len(losses))
        rate = optimizer.param_groups[0]["lr"]
        remark = "  gradients too small to change a weight" if watch.vanished(largest) else ""
        line = f"epoch {epoch}  loss {history[-1]:.3g}  largest gradient norm {largest:.3g}  rate {float(rate):.3g}"
        print(line + remark)
        if scheduler is not None:
            scheduler.step()
        if after_epoch is not None and after_epoch(epoch, history[-1]):
            break
    return history


class _Watch:
    """Compares the loss and the weights with those at the beginning."""

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        self.parameters = parameters
        self.first: float | None = None  # the first loss
        self.start = 1.0  # norm of the weights then, at least 1: a model may begin at zero
        self.last_good: tuple[int, int] | None = None

    def norm(self) -> float:
        return nn.utils.get_total_norm([parameter.detach() for parameter in self.parameters]).item()

    def grown(self) -> bool:
        """Whether the weights are far larger than at the beginning, or not finite."""
        norm = self.norm()
        return not math.isfinite(norm) or (self.first is not None and norm > DIVERGED * self.start)

    def check(self, loss: float, epoch: int, index: int) -> None:
        """Raise FloatingPointError where both the loss and the weights have exploded."""
        if self.first is None:  # now lazy layers have their weights
            self.first, self.start = loss, max(1.0, self.norm())
        if abs(loss) > DIVERGED * abs(self.first) and self.grown():
            weights = f"the norm of the weights from {self.start:.3g} to {self.norm():.3g}"
            raise FloatingPointError(
                f"training has diverged: the loss went from {self.first:.3g} to {loss:.3g}, {weights}"
            )
        if abs(loss) <= 10 * abs(self.first):
            self.last_good = epoch, index

    def vanished(self, gradient: float) -> bool:
        """Whether a total gradient norm is too small to change a weight."""
        numbers = sum(parameter.numel() for parameter in self.parameters)
        return gradient < 1.2e-7 * self.norm() and gradient < 1e-8 * numbers**0.5


def _loss(model: nn.Module, batch: Any, loss_fn: Any) -> torch.Tensor:
    if isinstance(batch, Mapping):
        return loss_fn(model(**batch), batch)
    inputs, targets = batch
    if isinstance(inputs, Mapping):
        return loss_fn(model(**inputs), targets)
    if isinstance(targets, list | tuple) and targets and isinstance(targets[0], Mapping):  # detection
        return loss_fn(model(inputs, targets), targets)
    return loss_fn(model(*inputs) if isinstance(inputs, list | tuple) else model(inputs), targets)


def _again(loss_of: Callable[[Any], torch.Tensor], batch: Any, optimizer: torch.optim.Optimizer) -> torch.Tensor:
    """What LBFGS calls several times in one step."""
    optimizer.zero_grad()
    loss = loss_of(batch)
    loss.backward()
    return loss


def _backward(
    model: nn.Module,
    batch: Any,
    loss_of: Callable[[Any], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    trained: list[tuple[str, nn.Parameter]],
) -> tuple[float, torch.Tensor]:
    """The loss of one batch and the total norm of its gradients; FloatingPointError says what is not finite."""
    pair = isinstance(batch, list | tuple) and len(batch) == 2
    parts = [("inputs", batch[0]), ("targets", batch[1])] if pair else [("inputs", batch)]
    for path, tensor in [found for name, part in parts for found in _tensors(part, name)]:
        # Before the forward pass, so that no running average takes it in. Infinite values may be a mask.
        if _values(tensor).isnan().any():
            raise FloatingPointError(f"{path}: {_nan(tensor)}")
    optimizer.zero_grad()
    loss = loss_of(batch)
    value = loss.item()
    if not math.isfinite(value):
        bad = [path for path, tensor in _tensors(parts[0][1], "inputs") if not _values(tensor).isfinite().all()]
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
