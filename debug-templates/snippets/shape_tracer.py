"""Print the shape of every layer's input and output, and name the layer that fails.

Use it when a forward pass fails with an error about shapes, or to see the shapes that each layer receives. Call it with
the model and the model's arguments: `trace_shapes(model, images)`.

It prints one line per layer, in the order in which the layers run: name, type, input shape, output shape. Tuples, dicts
and dataclasses keep their structure. If a layer fails, the last lines name it, what it got and what it expects, and
the exception is re-raised.

**Healthy:** the last line is the whole model, with the output you want: `[32, 10]` for 32 images and 10 classes. The
first number of each shape stays the batch size unless you flatten or transpose it on purpose. "Never called" lists no
layer that you meant to use.

Random state and buffers, such as running statistics, are restored. Lazy layers are initialized, as by any first batch.

Example:

    >>> import contextlib
    >>> import torch
    >>> from torch import nn
    >>> from shape_tracer import trace_shapes
    >>> layers = {"conv": nn.Conv2d(1, 16, 5), "pool": nn.MaxPool2d(2), "flatten": nn.Flatten()}
    >>> model = nn.Sequential()
    >>> for name, layer in layers.items():
    ...     model.add_module(name, layer)
    >>> trace = trace_shapes(model, torch.randn(32, 1, 28, 28))
    conv     Conv2d     [32, 1, 28, 28] -> [32, 16, 24, 24]
    pool     MaxPool2d  [32, 16, 24, 24] -> [32, 16, 12, 12]
    flatten  Flatten    [32, 16, 12, 12] -> [32, 2304]
    (model)  Sequential [32, 1, 28, 28] -> [32, 2304]
    >>> trace[-1].output
    [32, 2304]
    >>> model.add_module("fc", nn.Linear(3136, 10))
    >>> with contextlib.suppress(RuntimeError):
    ...     trace = trace_shapes(model, torch.randn(32, 1, 28, 28))
    conv     Conv2d     [32, 1, 28, 28] -> [32, 16, 24, 24]
    pool     MaxPool2d  [32, 16, 24, 24] -> [32, 16, 12, 12]
    flatten  Flatten    [32, 16, 12, 12] -> [32, 2304]
    fc       Linear     [32, 2304] -> RuntimeError
    The layer that fails is fc: Linear(in_features=3136, out_features=10, bias=True)
      got      [32, 2304] float32 on cpu
      expects  3136 values in the last dimension; its weights are float32 on cpu
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn

# What an attribute of a layer says about its input.
EXPECTED = {
    "in_features": "{} values in the last dimension",
    "in_channels": "{} channels, in the dimension after the batch",
    "num_features": "{} channels, in the dimension after the batch",
    "num_channels": "{} channels, in the dimension after the batch",
    "normalized_shape": "a shape that ends in {}",
    "input_size": "{} values in the last dimension",
    "embed_dim": "{} values in the last dimension",
    "d_model": "{} values in the last dimension",
    "num_embeddings": "whole numbers from 0 to {} - 1",
}


class LayerCall(NamedTuple):
    """One call of one layer. Shapes are lists, inside the tuples and dicts that the layer was given or returned."""

    name: str
    type: str
    input: Any
    output: Any


@dataclasses.dataclass
class _Running:
    """A layer whose forward() has begun; `last` is the layer that it called last."""

    name: str
    module: nn.Module
    given: tuple[Any, ...]
    last: str | None = None


def trace_shapes(model: nn.Module, *inputs: Any, **kwargs: Any) -> list[LayerCall]:
    """Run `model(*inputs, **kwargs)` once, print every layer's shapes, and return them in order of execution.

    A layer that calls no other layer has a line; so has the model itself, as the last one, under the name "(model)".
    What the model raises is raised here too, after the report.
    """
    if not isinstance(model, nn.Module) or isinstance(model, torch.jit.ScriptModule):
        raise TypeError(f"trace_shapes takes an eager nn.Module and then its inputs, not a {type(model).__name__}")
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    model = getattr(model, "_orig_mod", model)  # what torch.compile has wrapped

    names = {module: name.replace("._orig_mod", "") or "(model)" for name, module in model.named_modules()}
    width = max(map(len, names.values())) + 1, max(len(type(module).__name__) for module in names)
    trace: list[LayerCall] = []
    running: list[_Running] = []
    called: Counter[nn.Module] = Counter()

    def report(layer: _Running, output: str) -> None:
        name, kind = layer.name, type(layer.module).__name__
        print(f"{name:<{width[0]}} {kind:<{width[1]}} {_shapes(_given(layer))} -> {output}")

    def enter(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        called[module] += 1
        name = names[module] + (f" (call {called[module]})" if called[module] > 1 else "")
        if running:
            running[-1].last = name
        running.append(_Running(name, module, (args, kwargs)))

    def leave(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        while running[-1].module is not module:  # a layer that failed inside a try of the model
            running.pop()
        layer = running.pop()
        if layer.last is None or not running:
            report(layer, str(_shapes(output)))
            trace.append(LayerCall(layer.name, type(module).__name__, _shapes(_given(layer)), _shapes(output)))

    with contextlib.ExitStack() as stack:
        stack.enter_context(_left_alone())
        for module in names:
            stack.callback(module.register_forward_pre_hook(enter, with_kwargs=True).remove)
            stack.callback(module.register_forward_hook(leave, with_kwargs=True).remove)
        # Buffers are replaced by copies for this call, so that the model's own are not updated.
        buffers = {name: buffer.clone() for name, buffer in model.named_buffers() if not nn.parameter.is_lazy(buffer)}
        try:
            torch.func.functional_call(model, buffers, inputs, kwargs)
        except Exception as error:
            if running:
                report(running[-1], type(error).__name__)
                _explain(running[-1])
            raise

    # A layer below one that ran by itself is not forgotten: nn.MultiheadAttention uses the weights of its part.
    alone = tuple(f"{call.name}." for call in trace[:-1])
    never = [names[m] for m in names if not called[m] and not any(m.children()) and not names[m].startswith(alone)]
    if never and len(trace) > 1:
        print("Never called:", ", ".join(never))
    return trace


def _explain(layer: _Running) -> None:
    """What the layer that failed got, and what it was built for."""
    kind = type(layer.module).__name__
    if layer.last is not None or any(layer.module.children()):
        where = f"after {layer.last}" if layer.last else "before it calls a layer"
        print(f"{layer.name} fails in its own code, {kind}.forward(), {where}")
    else:
        print(f"The layer that fails is {layer.name}: {layer.module!r}")
    for number, tensor in enumerate(_tensors(layer.given)):
        shape, dtype = _shapes(tensor), str(tensor.dtype).removeprefix("torch.")
        print(f"  {'got' if number == 0 else '   '}      {shape} {dtype} on {tensor.device}")
    built_for = {name: getattr(layer.module, name, None) for name in EXPECTED}
    expected = [EXPECTED[name].format(value) for name, value in built_for.items() if value is not None]
    weight = next(layer.module.parameters(recurse=False), None)
    if weight is not None:
        expected.append(f"its weights are {str(weight.dtype).removeprefix('torch.')} on {weight.device}")
    if expected:
        print(f"  expects  {'; '.join(expected)}")


def _given(layer: _Running) -> Any:
    """The arguments as one value: a single positional argument stands for itself."""
    args, kwargs = layer.given
    if kwargs:
        return (*args, kwargs)
    return args[0] if len(args) == 1 else args


def _parts(value: Any) -> dict[Any, Any] | None:
    """What a container holds, by key or name; None for what is no container."""
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value._asdict() if hasattr(value, "_asdict") else None


def _shapes(value: Any) -> Any:
    """The value with a list of sizes in place of every tensor and a type in place of everything else."""
    if isinstance(value, torch.Tensor):
        return "nested" if value.is_nested else list(value.shape)
    if (parts := _parts(value)) is not None:
        return {key: _shapes(part) for key, part in parts.items()}
    if isinstance(value, list | tuple):
        return tuple(_shapes(part) for part in value)
    return value if value is None or isinstance(value, bool | int | float) else type(value).__name__


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor inside a value."""
    if isinstance(value, torch.Tensor):
        yield value
    elif (parts := _parts(value)) is not None:
        yield from _tensors(list(parts.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part)


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
