"""Split a large batch into micro-batches, and check that the accumulated gradient is the same.

Use it when the batch you want does not fit into memory. `accumulated_step` adds up the gradients of the micro-batches
and calls the optimizer once. Each loss is weighted by its share of the samples: without that, four micro-batches give
four times the gradient, and a smaller last micro-batch counts too much. `in_groups(loader, 4)` groups four batches of a
loader.

A batch is `(inputs, targets)` on the model's device, with the loss `loss_fn(model(inputs), targets)`, a mean over the
samples. For other batches, and for a loss that ignores padding, copy the loop and change the weights of the losses.

`accumulated_step` prints nothing and returns the mean loss. `compare_with_full_batch` prints how far the accumulated
gradient is from that of the full batch. It works on a copy of the model, without dropout. Other noise
makes a difference.

**Healthy:** "the same gradient": the difference is below 1e-4 in float32. It is larger with batch normalization, which
uses the statistics of each micro-batch (use group or layer normalization), and with a loss that is a sum, or a mean
over anything but samples. Let the scheduler and the logs count optimizer steps, not micro-batches.

It does not watch your own loop; `python -m torch_errors --watch train.py` watches for silent faults such as a missing
`zero_grad()`.

Example:

    >>> import torch
    >>> from torch import nn
    >>> from gradient_accumulation import accumulated_step, compare_with_full_batch, in_groups
    >>> _ = torch.manual_seed(0)
    >>> batch = torch.randn(30, 8), torch.randn(30, 1)
    >>> model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    >>> difference = compare_with_full_batch(model, batch, nn.MSELoss(), parts=4)
    the same gradient in 4 parts as in one
    >>> difference = compare_with_full_batch(model, batch, nn.MSELoss(reduction="sum"), parts=4)
    NOT the same gradient: it differs by 74%
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> loader = [batch] * 10
    >>> losses = [accumulated_step(model, group, nn.MSELoss(), optimizer) for group in in_groups(loader, 4)]
    >>> len(losses)
    3
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from torch import nn

Batch = Sequence[torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def accumulated_step(
    model: nn.Module,
    batches: Sequence[Batch],
    loss_fn: Loss,
    optimizer: torch.optim.Optimizer,
    *,
    max_norm: float | None = None,
) -> float:
    """Take one step of `optimizer` with the gradient of all `batches` together; return their mean loss.

    With `max_norm`, the total gradient norm of all batches together is clipped to it.
    """
    optimizer.zero_grad()
    mean = _accumulate(model, batches, loss_fn)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return mean


def _accumulate(model: nn.Module, batches: Sequence[Batch], loss_fn: Loss) -> float:
    samples = sum(len(targets) for _, targets in batches)
    mean = 0.0
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets) * (len(targets) / samples)
        loss.backward()  # adds to the gradients, and frees the activations of this micro-batch
        mean += loss.item()
    return mean


def in_groups(loader: Iterable[Batch], size: int) -> Iterator[list[Batch]]:
    """Lists of `size` batches, the last one with what is left. Only one group is in memory."""
    iterator = iter(loader)
    while group := list(itertools.islice(iterator, size)):
        yield group


def compare_with_full_batch(model: nn.Module, batch: Batch, loss_fn: Loss, parts: int = 4) -> float:
    """Print and return the norm of the difference between the two gradients, relative to that of the whole batch."""
    model = copy.deepcopy(model).train()
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.p = 0.0
        if isinstance(getattr(module, "dropout", None), float):  # of an LSTM or of attention
            module.dropout = 0.0

    def gradient(batches: Sequence[Batch]) -> torch.Tensor:
        model.zero_grad()
        _accumulate(model, batches, loss_fn)
        found = [p.grad.to_dense() for p in model.parameters() if p.grad is not None]
        return torch.cat([part.flatten().double() for part in found])

    inputs, targets = batch
    whole = gradient([batch])
    added = gradient(list(zip(inputs.chunk(parts), targets.chunk(parts), strict=True)))
    difference = float((added - whole).norm() / whole.norm())
    if difference < 1e-4:
        print(f"the same gradient in {parts} parts as in one")
    else:
        print(f"NOT the same gradient: it differs by {difference:.0%}")
    return difference
