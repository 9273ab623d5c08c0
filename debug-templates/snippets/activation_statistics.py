"""Mean, spread, share of zeros and non-finite values of every layer's output, and a histogram of each.

Use it when the loss is NaN or does not move, or training is unstable from the first step: it shows in which layer
activations vanish, explode or become NaN. Call it with the model and the model's arguments.

It prints one line per output, in the order in which the layers run, and flags bad values: NOT FINITE,
ALL EQUAL (one value, or the same row for every sample), NEARLY ALL ZERO (more than 99 %), HUGE (spread above 1000).
Layers that only pass such values on are not flagged, nor are layers whose weights are 0, as those of a residual branch
may be at first. If all samples of the batch are equal, it says so.
`plot_activations(statistics).savefig("activations.png")` plots the histograms and needs matplotlib.

**Healthy:** a standard deviation between 0.05 and 5 that does not shrink or grow by the same factor from layer to
layer; about 50 % zeros after a ReLU; no NaN or Inf.

Random state and buffers, such as running statistics, are restored.

Example, with a bias that pushes every input of the ReLU below zero:

    >>> import torch
    >>> from torch import nn
    >>> from activation_statistics import activation_statistics
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 50), nn.ReLU(), nn.Linear(50, 3))
    >>> _ = nn.init.constant_(model[2].bias, -9.0)
    >>> statistics = activation_statistics(model, torch.randn(64, 20))
    layer  type         mean       std   zeros
    0      Linear    -0.0069      0.57    0.0%
    1      ReLU        0.222     0.329   49.3%
    2      Linear      -9.02     0.235    0.0%
    3      ReLU            0         0  100.0%  NEARLY ALL ZERO
    4      Linear     0.0397    0.0551    0.0%
    >>> [name for name, layer in statistics.items() if layer.problem]
    ['3']
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 50


class LayerStatistics(NamedTuple):
    """One output of one layer. Mean, standard deviation and the histogram (`counts` between `low` and `high`) are
    those of its finite values; `zeros` is a share between 0 and 1; `problem` is empty where nothing is wrong."""

    type: str
    mean: float
    std: float
    zeros: float
    nonfinite: int
    problem: str
    counts: list[int]
    low: float
    high: float


def activation_statistics(model: nn.Module, *inputs: Any, **kwargs: Any) -> dict[str, LayerStatistics]:
    """Run `model(*inputs, **kwargs)` once and return the statistics of every layer's output, by the layer's name.

    Layers that call no other layer are measured, and the model itself. Several tensors of one output are
    `lstm[0]`, `lstm[1][0]`; a second call of a layer is `fc (call 2)`. Outputs of whole numbers are left out.
    Raises ValueError for outputs on `meta`, which have no values.
    """
    if not isinstance(model, nn.Module) or isinstance(model, torch.jit.ScriptModule):
        raise TypeError(f"activation_statistics takes an eager nn.Module and its inputs, not a {type(model).__name__}")
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    model = getattr(model, "_orig_mod", model)  # what torch.compile has wrapped

    names = {module: name.replace("._orig_mod", "") or "(model)" for name, module in model.named_modules()}
    statistics: dict[str, LayerStatistics] = {}
    notes: dict[str, str] = {}
    called: Counter[nn.Module] = Counter()
    last: list[nn.Module] = []  # the layer that was entered last

    def enter(module: nn.Module, args: tuple[Any, ...]) -> None:
        called[module] += 1
        last[:] = [module]

    def leave(module: nn.Module, args: tuple[Any, ...], given: dict[str, Any], output: Any) -> None:
        if last == [module]:  # it called no other layer
            received = [tensor for _, tensor in _tensors((args, given), "")]
            name = names[module] + (f" (call {called[module]})" if called[module] > 1 else "")
            for path, tensor in _tensors(output, name):
                if tensor.is_meta:
                    raise ValueError(f"{path} is on the meta device and has no values; move the model with to_empty()")
                if tensor.numel() and (tensor.is_floating_point() or tensor.is_complex()):
                    layer = _measure(tensor.detach(), type(module).__name__)
                    if (
                        not layer.problem
                        and _same_rows(tensor)
                        and (same_samples or not all(map(_same_rows, received)))
                    ):
                        layer = layer._replace(problem="ALL EQUAL")
                    if layer.problem in ("NEARLY ALL ZERO", "ALL EQUAL") and (reason := _intended(module, received)):
                        notes[path] = reason
                        layer = layer._replace(problem="")
                    statistics[path] = layer

    samples = [tensor for _, tensor in _tensors((inputs, kwargs), "") if tensor.dim() and tensor.numel() > len(tensor)]
    same_samples = bool(samples) and all(map(_same_rows, samples))
    with contextlib.ExitStack() as stack:
        stack.enter_context(_left_alone())
        for module in names:
            stack.callback(module.register_forward_pre_hook(enter).remove)
            stack.callback(module.register_forward_hook(leave, with_kwargs=True).remove)
        # Buffers are replaced by copies for this call, so that the model's own are not updated.
        buffers = {name: buffer.clone() for name, buffer in model.named_buffers() if not nn.parameter.is_lazy(buffer)}
        torch.func.functional_call(model, buffers, inputs, kwargs)

    wide = max(map(len, [*statistics, "layer"])), max(map(len, [*(s.type for s in statistics.values()), "type"]))
    print(f"{'layer':<{wide[0]}}  {'type':<{wide[1]}}  {'mean':>9} {'std':>9} {'zeros':>7}")
    for name, s in statistics.items():
        remark = s.problem or notes.get(name, "")
        row = f"{name:<{wide[0]}}  {s.type:<{wide[1]}}  {s.mean:>9.3g} {s.std:>9.3g} {s.zeros:>7.1%}  {remark}"
        print(row.rstrip())
    if same_samples:
        print(f"The inputs are the same for all {len(samples[0])} samples.")
    return statistics


def plot_activations(statistics: Mapping[str, LayerStatistics]) -> Figure:
    """Draw one histogram per output. Returns the figure: `plot_activations(s).savefig("activations.png")`."""
    from matplotlib.figure import Figure

    columns = min(4, max(1, len(statistics)))
    rows = max(1, math.ceil(len(statistics) / columns))
    figure = Figure(figsize=(3 * columns, 2.2 * rows), layout="constrained")
    for number, (name, layer) in enumerate(statistics.items(), start=1):
        axes = figure.add_subplot(rows, columns, number)
        width = (layer.high - layer.low) / BINS or 1.0
        axes.bar([layer.low + width * (bin_ + 0.5) for bin_ in range(BINS)], layer.counts, width=width)
        axes.set_title(f"{name} {layer.type}", fontsize="small", color="firebrick" if layer.problem else "black")
        axes.set_xlabel(layer.problem or f"std {layer.std:.3g}, zeros {layer.zeros:.0%}", fontsize="small")
        axes.set_yticks([])
    return figure


def _measure(tensor: torch.Tensor, kind: str) -> LayerStatistics:
    """The statistics of one tensor; a complex one counts as its real and imaginary parts."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce().values()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    values = tensor.to(torch.promote_types(tensor.dtype, torch.float32)).flatten()  # half precision would round
    finite = values[torch.isfinite(values)]
    nonfinite = values.numel() - finite.numel()
    if not finite.numel():
        return LayerStatistics(kind, math.nan, math.nan, 0.0, nonfinite, "NOT FINITE: all values", [0] * BINS, 0.0, 1.0)
    mean, std = finite.mean().item(), finite.std(correction=0).item()
    low, high = finite.min().item(), finite.max().item()
    zeros = (values == 0).sum().item() / values.numel()
    problem = ""
    if nonfinite:
        problem = f"NOT FINITE: {nonfinite} of {values.numel()} values"
    elif zeros > 0.99:
        problem = "NEARLY ALL ZERO"
    elif low == high and values.numel() > 1:
        problem = "ALL EQUAL"
    elif std > 1000:
        problem = "HUGE"
    counts = torch.histc(finite, bins=BINS, min=low, max=high)
    return LayerStatistics(kind, mean, std, zeros, nonfinite, problem, counts.int().tolist(), low, high)


def _same_rows(tensor: torch.Tensor) -> bool:
    """Whether all samples, along the first dimension, are the same but for rounding errors."""
    if not tensor.dim() or len(tensor) < 2 or not tensor.numel() or tensor.layout != torch.strided or tensor.is_meta:
        return False
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return bool((tensor == tensor[:1]).all())
    values = tensor.detach().to(torch.promote_types(tensor.dtype, torch.float32))
    return bool((values - values[:1]).abs().max() <= 1e-6 * values.abs().max())  # False if any is NaN


def _intended(module: nn.Module, received: list[torch.Tensor]) -> str:
    """Why an output of zeros, or one that is the same for every sample, is no fault of this layer; else ""."""
    weights = [weight for name, weight in module.named_parameters(recurse=False) if "bias" not in name]
    if any(not weight.any() for weight in weights):
        return "its weights are 0"
    zeros = bool(received) and not any(tensor.any() for tensor in received)
    return "its input is 0" if zeros and not weights else ""


def _tensors(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor inside a value, with the expression that reaches it."""
    if isinstance(value, torch.Tensor):
        yield from [(path, value)] if not value.is_nested else []
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _tensors(part, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _tensors(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _tensors(part, f"{path}[{number}]")


@contextlib.contextmanager
def _left_alone() -> Iterator[None]:
    """Random state is restored afterwards, and what torch.compile has compiled runs eagerly, so that hooks are seen."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    devices = range(torch.accelerator.device_count())
    compiled = "torch._dynamo" in sys.modules
    with (
        torch.random.fork_rng(devices, device_type=accelerator.type),
        torch.compiler.set_stance("force_eager") if compiled else contextlib.nullcontext(),
    ):
        yield
