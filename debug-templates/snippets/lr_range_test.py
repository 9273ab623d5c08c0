"""Find a learning rate in one short run, before you tune anything else.

Use it when the loss does not decrease, or after changing model, batch size or optimizer. It trains for 100 steps while
the learning rate rises from 1e-7 to 10: the loss is flat while the rate is too low, then decreases, then increases once
the rate is too high. The suggestion is a tenth of the rate with the lowest smoothed loss, which leaves a safety margin.
Model, gradients and random state are restored.

Batches are `(inputs, targets)`, with the loss `loss_fn(model(inputs), targets)`; inputs in a dict or a tuple are passed
as `model(**inputs)` or `model(*inputs)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`. Batches are moved to the model's device. Attributes that a model keeps besides parameters and
buffers are not restored.

It prints the first loss, the lowest, and the suggestion. `plot_lr_range(result).savefig("rates.png")` plots the curve.

**Healthy:** a flat part, a drop, then a steep rise; the suggestion is often between 1e-4 and 1e-2 for Adam, and between
1e-3 and 1 for SGD. If the loss does not decrease at any rate, check the gradients and the labels instead.

Example, first a working model, then one with a dead ReLU:

    >>> import torch
    >>> from torch import nn
    >>> from lr_range_test import lr_range_test
    >>> _ = torch.manual_seed(0)
    >>> inputs = torch.randn(256, 20)
    >>> batches = list(zip(inputs.split(32), inputs[:, :10].argmax(1).split(32)))
    >>> model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
    >>> result = lr_range_test(model, batches, nn.CrossEntropyLoss(), torch.optim.SGD, momentum=0.9)
    loss 2.31 at the start, lowest 1.28 at rate 8.9e-01; suggestion 8.9e-02
    >>> _ = nn.init.constant_(model[0].bias, -50.0)
    >>> lr_range_test(model, batches, nn.CrossEntropyLoss(), torch.optim.SGD, momentum=0.9).suggestion is None
    the loss does not fall at any rate: 2.3 at the start, 2.29 at best; the fault is elsewhere
    True
"""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class LRRange(NamedTuple):
    """Rate, loss and smoothed loss of every step, and the suggested rate, which is None where the loss did not fall."""

    rates: list[float]
    losses: list[float]
    smoothed: list[float]
    suggestion: float | None


def lr_range_test(
    model: nn.Module,
    loader: Iterable[Any],
    loss_fn: Callable[[Any, Any], torch.Tensor],
    optimizer_class: Callable[..., torch.optim.Optimizer] = torch.optim.AdamW,
    *,
    start: float = 1e-7,
    end: float = 10.0,
    steps: int = 100,
    **options: Any,
) -> LRRange:
    """Train for up to `steps` steps while the rate rises from `start` to `end`; print and return what happened.

    It ends early when the smoothed loss is four times its lowest, or not finite. The loader is begun again as often as
    it takes.

    Args:
        optimizer_class: called as `optimizer_class(parameters, lr=start, **options)`.
    """
    if not 0 < start < end:
        raise ValueError(f"the rates must rise from above zero: 0 < start < end, not start={start}, end={end}")
    if any(nn.parameter.is_lazy(tensor) for tensor in [*model.parameters(), *model.buffers()]):
        raise ValueError("a layer of the model has no shape yet: run one batch through the model first")
    if steps < 10:
        raise ValueError("lr_range_test needs at least 10 steps")
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("the model has nothing to train: no parameter has requires_grad=True")
    device = trained[0].device
    rates: list[float] = []
    losses: list[float] = []
    smoothed: list[float] = []
    average = 0.0
    with _left_alone(model), torch.enable_grad():
        model.train()
        optimizer = optimizer_class(trained, lr=start, **options)
        batches = _endless(loader)
        for step in range(steps):
            rate = start * (end / start) ** (step / (steps - 1))
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss = _loss(model, _to(next(batches), device), loss_fn)
            average = 0.9 * average + 0.1 * loss.item()
            rates.append(rate)
            losses.append(loss.item())
            smoothed.append(average / (1 - 0.9 ** (step + 1)))
            lowest = min(smoothed)
            if not math.isfinite(losses[-1]) or (step > 10 and smoothed[-1] - lowest > 3 * abs(lowest)):
                break
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return _judge(rates, losses, smoothed, start_steps=max(3, steps // 10))


def plot_lr_range(result: LRRange) -> Figure:
    """Draw the loss against the rate. Returns the figure: `plot_lr_range(r).savefig("rates.png")`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlabel="learning rate", ylabel="loss")
    axes.plot(result.rates, result.losses, color="lightgray", label="loss")
    axes.plot(result.rates, result.smoothed, label="smoothed")
    if result.suggestion is not None:
        axes.axvline(result.suggestion, color="firebrick", linestyle="--", label=f"suggestion {result.suggestion:.1e}")
    finite = [value for value in result.smoothed if math.isfinite(value)]
    if finite:  # the rise at the end would flatten everything else
        top = max(finite[: len(finite) // 2 + 1])
        axes.set_ylim(min(finite) - 0.05 * abs(top), top + 0.5 * abs(top - min(finite)) + 0.05 * abs(top))
    axes.legend()
    return figure


def _judge(rates: list[float], losses: list[float], smoothed: list[float], start_steps: int) -> LRRange:
    finite = [value for value in smoothed if math.isfinite(value)]
    if len(finite) < start_steps:
        print(f"the loss is {losses[-1]} at step {len(losses) - 1}, before the rate can matter: look at data and model")
        return LRRange(rates, losses, smoothed, None)
    # The first steps change nothing yet, so they show the loss at the start and how much it varies by itself.
    begin = losses[:start_steps]
    first, noise = statistics.fmean(begin), statistics.stdev(begin)
    lowest = min(finite)
    best = rates[smoothed.index(lowest)]
    if first - lowest < max(0.05 * abs(first), noise):
        fall = f"{first:.3g} at the start, {lowest:.3g} at best"
        print(f"the loss does not fall at any rate: {fall}; the fault is elsewhere")
        return LRRange(rates, losses, smoothed, None)
    suggestion = best / 10
    print(f"loss {first:.3g} at the start, lowest {lowest:.3g} at rate {best:.1e}; suggestion {suggestion:.1e}")
    if best > 0.5 * rates[-1]:
        print(f"it was still falling at {rates[-1]:.1e}; a larger end may show a larger rate")
    return LRRange(rates, losses, smoothed, suggestion)


def _endless(loader: Iterable[Any]) -> Iterator[Any]:
    """The loader's batches over and over; itertools.cycle would keep all of them in memory."""
    while True:
        batch = None
        for batch in loader:
            yield batch
        if batch is None:
            raise ValueError("the loader gave no batch; a generator can be read only once, pass a DataLoader or a list")


def _loss(model: nn.Module, batch: Any, loss_fn: Any) -> torch.Tensor:
    inputs, targets = (batch, batch) if isinstance(batch, Mapping) else batch
    if isinstance(inputs, Mapping):
        return loss_fn(model(**inputs), targets)
    return loss_fn(model(*inputs) if isinstance(inputs, list | tuple) else model(inputs), targets)


def _to(value: Any, device: torch.device) -> Any:
    """The batch on the model's device."""
    if isinstance(value, torch.Tensor):
        return value.to(device, non_blocking=True)
    if isinstance(value, Mapping):
        return {key: _to(part, device) for key, part in value.items()}
    if hasattr(value, "_fields"):
        return type(value)(*(_to(part, device) for part in value))
    return type(value)(_to(part, device) for part in value) if isinstance(value, list | tuple) else value


@contextlib.contextmanager
def _left_alone(model: nn.Module) -> Iterator[None]:
    """Afterwards weights, buffers, gradients, training mode and random state are as before, also after an exception."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    weights = [(parameter, parameter.detach().clone(), parameter.grad) for parameter in model.parameters()]
    buffers = [
        (module, name, buffer, buffer.clone())
        for module in model.modules()
        for name, buffer in module.named_buffers(recurse=False)
    ]
    modes = [(module, module.training) for module in model.modules()]
    for parameter, _, _ in weights:
        parameter.grad = None
    try:
        with torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type):
            yield
    finally:
        with torch.no_grad():
            for parameter, value, gradient in weights:
                parameter.copy_(value)
                parameter.grad = gradient
            for module, name, buffer, value in buffers:
                module._buffers[name] = buffer.copy_(value)  # some modules replace theirs by a new tensor
        for module, training in modes:
            module.training = training
