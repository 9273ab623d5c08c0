"""Train and validate, and stop at the first bad batch, before it changes the weights.

Use it as a starting point for your own loop, or in its place while you debug. Batches are `(inputs, targets)` tensors,
with the loss `loss_fn(model(inputs), targets)`, and are moved to the model's device.

If the loss or a gradient of a batch is NaN or infinite, it raises BadBatch with `epoch`, `index` and `batch`, and the
optimizer has not stepped on that batch. An earlier step may still have ruined the weights: if inputs and targets are
finite, go back to a checkpoint. Other exceptions pass through with a note that names the batch. Skipping the batch
instead would hide a bug in the data or the model.

It prints one line per epoch: training loss, largest gradient norm, learning rate, and the validation loss, which is
computed in `eval()` mode and without a graph.

**Healthy:** no exception, a decreasing loss, and a largest gradient norm within ten times the usual value; otherwise
clip it with `max_norm`. Cross-entropy starts near ln(classes): 2.3 for ten.

It has no mixed precision, gradient accumulation or checkpoints (there are snippets for them), and it does not look for
silent faults: `python -m torch_errors --watch train.py` does.

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
    epoch 0, batch 4: the loss is nan (not finite: 1 of 32 inputs, 0 of 8 targets). The optimizer has not stepped on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import nn

Batches = Iterable[Sequence[torch.Tensor]]
Loss = Callable[[Any, torch.Tensor], torch.Tensor]


class BadBatch(RuntimeError):
    """The batch on which training stopped, before the optimizer's step."""

    def __init__(self, problem: str, epoch: int, index: int, batch: Sequence[torch.Tensor]) -> None:
        (inputs, targets), self.epoch, self.index, self.batch = batch, epoch, index, batch
        counts = [f"{int((~torch.isfinite(part)).sum())} of {part.numel()}" for part in (inputs, targets)]
        super().__init__(
            f"epoch {epoch}, batch {index}: {problem} (not finite: {counts[0]} inputs, {counts[1]} targets). "
            "The optimizer has not stepped on it."
        )


def train(
    model: nn.Module,
    loader: Batches,
    loss_fn: Loss,
    optimizer: torch.optim.Optimizer,
    *,
    epochs: int = 1,
    validation: Batches | None = None,
    scheduler: Any = None,
    max_norm: float = float("inf"),
) -> list[float]:
    """Train for `epochs` epochs and return the mean loss of each. `scheduler` is stepped after every epoch."""
    device = next(model.parameters()).device
    history: list[float] = []
    for epoch in range(epochs):
        model.train()
        losses, largest = [], 0.0
        for index, batch in enumerate(loader):
            try:
                inputs, targets = (tensor.to(device) for tensor in batch)
                loss = loss_fn(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            except Exception as error:
                error.add_note(f"in epoch {epoch}, batch {index}")
                raise
            if not loss.isfinite():
                raise BadBatch(f"the loss is {loss.item()}", epoch, index, batch)
            if not norm.isfinite():
                raise BadBatch(f"the norm of the gradient is {norm.item()}", epoch, index, batch)
            optimizer.step()
            losses.append(loss.item())
            largest = max(largest, norm.item())
        history.append(sum(losses) / len(losses))
        line = f"epoch {epoch}  loss {history[-1]:.3g}  largest gradient norm {largest:.3g}"
        line += f"  rate {float(optimizer.param_groups[0]['lr']):.3g}"
        print(line if validation is None else f"{line}  validation loss {evaluate(model, validation, loss_fn):.3g}")
        if scheduler is not None:
            scheduler.step()
    return history


@torch.inference_mode()
def evaluate(model: nn.Module, loader: Batches, loss_fn: Loss) -> float:
    """The mean loss of the batches, in eval mode."""
    device = next(model.parameters()).device
    model.eval()
    losses = [loss_fn(model(inputs.to(device)), targets.to(device)).item() for inputs, targets in loader]
    return sum(losses) / len(losses)
