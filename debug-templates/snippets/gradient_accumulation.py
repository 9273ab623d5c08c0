"""Split a large batch into micro-batches, and check that the accumulated gradient is the same.

Use it when the batch you want does not fit into memory. `accumulated_step` adds up the gradients of the micro-batches
and calls the optimizer once. Each loss is weighted by its share of the samples: without that, four micro-batches give
four times the gradient, and a smaller last micro-batch counts too much. `in_groups(loader, 4)` groups four batches of a
loader.

A batch is `(inputs, targets)` on the model's device, with the loss `loss_fn(model(inputs), targets)`, a mean over the
samples; inputs in a dict or a tuple are passed as `model(**inputs)` or `model(*inputs)`, detection batches, whose
targets are a list of dicts, as `model(images, targets)`, and a batch that is one dict as `model(**batch)`, with the
loss `loss_fn(output, batch)`. For everything else pass `loss_fn=None, compute_loss=lambda model, batch: ...`.

`accumulated_step` prints nothing and returns the mean loss. `compare_with_full_batch` prints how far the accumulated
gradient is from that of the full batch, and why, and restores the model. Dropout, which would differ, is off in the
comparison, and so is stochastic depth.

**Healthy:** "the same gradient": the difference is below 1e-4, or in bfloat16 and float16 within rounding, a few
percent; compare in float32 for a sharper answer. It is larger with batch normalization, which uses the statistics of
each micro-batch (use group or layer normalization, or larger micro-batches), and with a loss that sums or averages over
anything but samples (pass `count`). Let the scheduler and the logs count optimizer steps, not micro-batches.

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
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode


def accumulated_step(
    model: nn.Module,
    batches: Sequence[Any],
    loss_fn: Callable[[Any, Any], torch.Tensor] | None,
    optimizer: torch.optim.Optimizer,
    *,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
    count: Callable[[Any], float] | None = None,
    max_norm: float | None = None,
) -> float:
    """Take one step of `optimizer` with the gradient of all `batches` together; return their mean loss.

    Args:
        compute_loss: with `loss_fn=None`, the loss is `compute_loss(model, batch)`.
        count: what the loss of a batch is a mean over; by default its samples. For a loss that ignores padding:
            `lambda batch: (batch[1] != -100).sum().item()`.
        max_norm: clip the total gradient norm of all batches together to this.
    """
    compute_loss = _either(loss_fn, compute_loss)
    optimizer.zero_grad()
    mean = _accumulate(model, batches, compute_loss, count or _samples)
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
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    parts: int = 4,
    *,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
    count: Callable[[Any], float] | None = None,
) -> float:
    """Print and return the norm of the difference between the two gradients, relative to that of the whole batch."""
    compute_loss = _either(loss_fn, compute_loss)
    samples = _samples(batch)
    if not 2 <= parts <= samples:
        raise ValueError(f"parts must be from 2 to the {samples} samples of the batch, not {parts}")
    size = -(-samples // parts)
    split = [_part(batch, slice(start, start + size), samples) for start in range(0, samples, size)]
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    count = count or _samples
    counts = [float(count(part)) for part in split]

    def gradient(batch: Any) -> torch.Tensor:
        model.zero_grad()
        _accumulate(model, [batch], compute_loss, count)
        found = [torch.zeros_like(p) if p.grad is None else p.grad.to_dense() for p in trained]
        return torch.cat([part.flatten().double().cpu() for part in found])

    with _left_alone(model), _WithoutDropout() as used:
        whole = gradient(batch)
        added, lengths = torch.zeros_like(whole), 0.0
        for part, number in zip(split, counts, strict=True):
            if number:
                share = gradient(part) * (number / sum(counts))
                added += share
                lengths += share.norm().item()
        norm = whole.norm().item() or added.norm().item() or 1.0
        difference = ((added - whole).norm() / norm).item()
        # Rounding errors are relative to the gradients of the parts, which may be larger than their sum. Measured in
        # bfloat16 on MLP, CNN, LSTM, transformer, before and after training: at most 2 times eps.
        coarsest = max(used.dtypes, key=lambda dtype: torch.finfo(dtype).eps, default=torch.float32)
        rounding = max(1e-4, 3 * torch.finfo(coarsest).eps * lengths / norm)
        random = (gradient(batch) - whole).norm().item() / norm if difference > rounding else 0.0
        layers = [
            f"{name} ({type(module).__name__})"
            for name, module in model.named_modules()
            if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training
        ]
    if not math.isfinite(difference):
        print("CANNOT TELL: the gradient is NaN or infinite")
        return difference
    if difference <= rounding:
        low = (
            f", within the rounding of {str(coarsest).removeprefix('torch.')} ({rounding:.1%})"
            if rounding > 1e-3
            else ""
        )
        print(f"the same gradient in {len(split)} parts as in one{low}")
        return difference
    share = f"{difference:.0%}" if difference > 0.01 else f"{difference:.1e}"
    if random > 0.1 * difference:
        why = f"the whole batch computed twice differs by {random:.0%}: random numbers, or a state that calls change"
        print(f"CANNOT TELL: it differs by {share}, but {why}")
        return difference
    if layers:
        why = f"batch normalization averages over each part: {', '.join(layers)}"
    elif torch.cosine_similarity(whole, added, dim=0) > 0.99 and abs(added.norm().item() / norm - 1) > difference / 2:
        why = f"about {(added.norm() / whole.norm()).item():.3g} times as long: is the loss a mean over samples?"
    else:
        why = "a layer looks at several samples at once or draws random numbers, or `count` is not what the loss counts"
    print(f"NOT the same gradient: it differs by {share}, {why}")
    return difference


def _accumulate(
    model: nn.Module,
    batches: Sequence[Any],
    compute_loss: Callable[[nn.Module, Any], torch.Tensor],
    count: Callable[[Any], float],
) -> float:
    """Add up the gradients of the weighted losses; return the mean loss."""
    counted = [(batch, number) for batch in batches if (number := float(count(batch)))]
    total = sum(number for _, number in counted)
    if total <= 0:
        raise ValueError("the batches hold nothing that the loss could be a mean over")
    mean = 0.0
    for place, (batch, number) in enumerate(counted, start=1):
        # DistributedDataParallel exchanges gradients in every backward(); once, with the last batch, is enough.
        alone = model.no_sync() if place < len(counted) and hasattr(model, "no_sync") else contextlib.nullcontext()
        with alone:
            loss = compute_loss(model, batch) * (number / total)
            loss.backward()
        mean += loss.item()
    return mean


def _either(loss_fn: Any, compute_loss: Any) -> Callable[[nn.Module, Any], torch.Tensor]:
    if (loss_fn is None) == (compute_loss is None):
        raise TypeError("pass either loss_fn, called with (output, targets), or compute_loss=, with (model, batch)")
    return compute_loss or (lambda model, batch: loss_fn(*_forward(model, batch)))


def _forward(model: nn.Module, batch: Any) -> tuple[Any, Any]:
    """The model's output for a batch, and the targets that the loss compares it with."""
    if isinstance(batch, Mapping):
        return model(**batch), batch
    inputs, targets = batch
    if isinstance(inputs, Mapping):
        return model(**inputs), targets
    if isinstance(targets, list | tuple) and targets and isinstance(targets[0], Mapping):  # detection
        return model(inputs, targets), targets
    return (model(*inputs) if isinstance(inputs, list | tuple) else model(inputs)), targets


def _samples(value: Any) -> int:
    """The length of a list of dicts (detection), or else the first size of the first tensor in a batch."""
    if isinstance(value, torch.Tensor):
        return len(value) if value.dim() else 0
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        lists = [part for part in value if isinstance(part, list | tuple) and part and isinstance(part[0], Mapping)]
        return len(lists[0]) if lists else next((samples for part in value if (samples := _samples(part))), 0)
    return 0


def _part(batch: Any, rows: slice, samples: int) -> Any:
    """Some samples of a batch."""
    return [_slice(half, rows, samples) for half in batch] if _is_pair(batch) else _slice(batch, rows, samples)


def _slice(value: Any, rows: slice, samples: int) -> Any:
    """Some rows of every tensor that has one row per sample, and items of lists that have one item per sample."""
    if isinstance(value, torch.Tensor):
        return value[rows] if value.dim() and len(value) == samples else value
    if isinstance(value, Mapping):
        return {key: _slice(part, rows, samples) for key, part in value.items()}
    if isinstance(value, list | tuple):
        sizes = {len(part) if isinstance(part, torch.Tensor) and part.dim() else 0 for part in value}
        if len(value) == samples and sizes != {samples}:  # detection: images, or dicts; not several inputs
            return value[rows]
        return [_slice(part, rows, samples) for part in value]
    return value


def _is_pair(batch: Any) -> bool:
    return isinstance(batch, list | tuple) and len(batch) == 2


class _WithoutDropout(TorchFunctionMode):
    """Every dropout has the probability 0, in layers, attention, recurrent networks and `F.dropout`.

    `dtypes` are those of the results that have a gradient, also within autocast.
    """

    def __init__(self) -> None:
        super().__init__()
        self.dtypes: set[torch.dtype] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, arguments, kwargs = getattr(func, "__name__", ""), list(args), dict(kwargs or {})
        if name == "bernoulli_" and len(arguments) > 1 and isinstance(arguments[1], float):  # stochastic depth
            return arguments[0].fill_(arguments[1])
        places = {"scaled_dot_product_attention": 4, "multi_head_attention_forward": 10}
        if name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
            places[name] = 5 if isinstance(arguments[3], bool) else 6  # packed sequences have one argument more
        place = 1 if "dropout" in name else places.get(name)
        if place is not None and len(arguments) > place:
            arguments[place] = 0.0
        elif place is not None:
            kwargs["p" if "dropout" in name else "dropout_p"] = 0.0
        result = func(*arguments, **kwargs)
        if isinstance(result, torch.Tensor) and result.requires_grad:
            self.dtypes.add(result.dtype)
        return result


@contextlib.contextmanager
def _left_alone(model: nn.Module) -> Iterator[None]:
    """Afterwards gradients, buffers, attributes and random state are as before, also after an exception.

    What torch.compile has compiled runs eagerly: it would not see that dropout is off.
    """
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    buffers = [
        (module, name, buffer, buffer.clone())
        for module in model.modules()
        for name, buffer in module.named_buffers(recurse=False)
    ]
    attributes = [(module, dict(vars(module))) for module in model.modules()]  # the mode, a cached activation
    compiled = "torch._dynamo" in sys.modules
    try:
        for parameter, _ in gradients:
            parameter.grad = None
        with (
            torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type),
            torch.compiler.set_stance("force_eager") if compiled else contextlib.nullcontext(),
        ):
            yield
    finally:
        for parameter, gradient in gradients:
            parameter.grad = gradient
        with torch.no_grad():
            for module, name, buffer, value in buffers:
                module._buffers[name] = buffer.copy_(value)  # some modules replace theirs by a new tensor
        for module, before in attributes:
            vars(module).clear()
            vars(module).update(before)
