"""Split a large batch into micro-batches, and check that the accumulated gradient is the same.

Use it when the batch you want does not fit into memory. `accumulated_step` adds up the gradients of the micro-batches
and calls the optimizer once. Each loss is weighted by its share of the samples: without that, four micro-batches give
four times the gradient, and a smaller last micro-batch counts too much. `in_groups(loader, 4)` groups four batches of a
loader.

A batch is `(inputs, targets)` on the model's device, with the loss `loss_fn(model(inputs), targets)`, a mean over the
samples; inputs in a dict or a tuple are passed as `model(**inputs)` or `model(*inputs)`, and a batch that is one dict
as `model(**batch)`, with the loss `loss_fn(output, batch)`.

`accumulated_step` prints nothing and returns the mean loss. `compare_with_full_batch` prints how far the accumulated
gradient is from that of the full batch, and why, and restores the model.

**Healthy:** a difference below 1e-5 in float32. It is larger with batch normalization, which uses the statistics of
each micro-batch (use group or layer normalization, or larger micro-batches), and with a loss that sums or averages over
anything but samples (pass `count`). Dropout would differ, too, and is off in the comparison. Let the scheduler and the
logs count optimizer steps, not micro-batches.

Example:

    >>> import torch
    >>> from torch import nn
    >>> from gradient_accumulation import accumulated_step, compare_with_full_batch, in_groups
    >>> _ = torch.manual_seed(0)
    >>> batch = torch.randn(30, 8), torch.randn(30, 1)
    >>> model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    >>> difference = compare_with_full_batch(model, batch, nn.MSELoss(), parts=4)
    the same gradient in 4 parts as in one
    >>> difference < 1e-5
    True
    >>> difference = compare_with_full_batch(model, batch, nn.MSELoss(reduction="sum"), parts=4)
    NOT the same gradient: it differs by 74%, about 0.261 times as long: is the loss a mean over samples?
    >>> normalised = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
    >>> difference = compare_with_full_batch(normalised, batch, nn.MSELoss(), parts=4)  # doctest: +ELLIPSIS
    NOT the same gradient: it differs by ...%, batch normalization averages over each part: 1 (BatchNorm1d)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> loader = [batch] * 10
    >>> losses = [accumulated_step(model, group, nn.MSELoss(), optimizer) for group in in_groups(loader, 4)]
    >>> len(losses)
    3
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn


def accumulated_step(
    model: nn.Module,
    batches: Sequence[Any],
    loss_fn: Callable[[Any, Any], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    *,
    count: Callable[[Any], float] | None = None,
    max_norm: float | None = None,
) -> float:
    """Take one step of `optimizer` with the gradient of all `batches` together; return their mean loss.

    Args:
        count: what the loss of a batch is a mean over; by default its samples. For a loss that ignores padding:
            `lambda batch: (batch[1] != -100).sum().item()`.
        max_norm: clip the total gradient norm of all batches together to this.
    """
    optimizer.zero_grad()
    mean = _accumulate(model, batches, loss_fn, count or _samples)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return mean


def in_groups(loader: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of `size` batches, the last one with what is left. Only one group is in memory."""
    if size < 1:
        raise ValueError(f"a group has at least one batch, not {size}")
    iterator = iter(loader)
    while group := list(itertools.islice(iterator, size)):
        yield group


def compare_with_full_batch(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor],
    parts: int = 4,
    *,
    count: Callable[[Any], float] | None = None,
) -> float:
    """Print and return the norm of the difference between the two gradients, relative to that of the whole batch."""
    samples = _samples(batch)
    if not 2 <= parts <= samples:
        raise ValueError(f"parts must be from 2 to the {samples} samples of the batch, not {parts}")
    size = -(-samples // parts)
    split = [_slice(batch, slice(start, start + size), samples) for start in range(0, samples, size)]
    gradients = []
    with _left_alone(model):
        for module in model.modules():
            if isinstance(module, nn.modules.dropout._DropoutNd):
                module.eval()
        for batches in ([batch], split):
            model.zero_grad()
            _accumulate(model, batches, loss_fn, count or _samples)
            found = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
            gradients.append(torch.cat([gradient.to_dense().flatten().double().cpu() for gradient in found]))
    whole, added = gradients
    difference = ((added - whole).norm() / whole.norm()).item()
    if difference < 1e-5:
        print(f"the same gradient in {len(split)} parts as in one")
        return difference
    layers = [
        f"{name} ({type(module).__name__})"
        for name, module in model.named_modules()
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training
    ]
    if layers:
        why = f"batch normalization averages over each part: {', '.join(layers)}"
    elif torch.cosine_similarity(whole, added, dim=0) > 0.99:
        why = f"about {(added.norm() / whole.norm()).item():.3g} times as long: is the loss a mean over samples?"
    else:
        why = "a layer looks at several samples at once or draws random numbers, or `count` is not what the loss counts"
    share = f"{difference:.0%}" if difference > 0.01 else f"{difference:.1e}"
    print(f"NOT the same gradient: it differs by {share}, {why}")
    return difference


def _accumulate(model: nn.Module, batches: Sequence[Any], loss_fn: Any, count: Callable[[Any], float]) -> float:
    """Add up the gradients of the weighted losses; return the mean loss."""
    counts = [float(count(batch)) for batch in batches]
    total = sum(counts)
    if total <= 0:
        raise ValueError("the batches hold nothing that the loss could be a mean over")
    mean = 0.0
    for number, (batch, part) in enumerate(zip(batches, counts, strict=True), start=1):
        # DistributedDataParallel exchanges gradients in every backward(); once, with the last batch, is enough.
        alone = model.no_sync() if number < len(batches) and hasattr(model, "no_sync") else contextlib.nullcontext()
        with alone:
            loss = _loss(model, batch, loss_fn) * (part / total)
            loss.backward()
        mean += loss.item()
    return mean


def _loss(model: nn.Module, batch: Any, loss_fn: Any) -> torch.Tensor:
    inputs, targets = (batch, batch) if isinstance(batch, Mapping) else batch
    if isinstance(inputs, Mapping):
        return loss_fn(model(**inputs), targets)
    return loss_fn(model(*inputs) if isinstance(inputs, list | tuple) else model(inputs), targets)


def _samples(value: Any) -> int:
    """The first size of the first tensor in a batch."""
    if isinstance(value, torch.Tensor):
        return len(value) if value.dim() else 0
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return next((samples for part in value if (samples := _samples(part))), 0)
    return 0


def _slice(value: Any, rows: slice, samples: int) -> Any:
    """Some rows of every tensor that has one row per sample."""
    if isinstance(value, torch.Tensor):
        return value[rows] if value.dim() and len(value) == samples else value
    if isinstance(value, Mapping):
        return {key: _slice(part, rows, samples) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_slice(part, rows, samples) for part in value]
    return value


@contextlib.contextmanager
def _left_alone(model: nn.Module) -> Iterator[None]:
    """Afterwards gradients, buffers, training mode and random state are as before, also after an exception."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    buffers = [
        (module, name, buffer, buffer.clone())
        for module in model.modules()
        for name, buffer in module.named_buffers(recurse=False)
    ]
    modes = [(module, module.training) for module in model.modules()]
    try:
        for parameter, _ in gradients:
            parameter.grad = None
        with torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type):
            yield
    finally:
        for parameter, gradient in gradients:
            parameter.grad = gradient
        with torch.no_grad():
            for module, name, buffer, value in buffers:
                module._buffers[name] = buffer.copy_(value)  # some modules replace theirs by a new tensor
        for module, training in modes:
            module.training = training
