"""List every tensor that is not on the model's device, in the model and in the batch.

Use it when an error names two devices ("Expected all tensors to be on the same device"), or before the first step on a
new machine.

It prints the model's device (that of most parameters) and, for each tensor elsewhere, its name, its device and what to
do. The batch may be a tensor or a nesting of dicts, lists, tuples and dataclasses. In the model it checks parameters,
buffers and what `model.to()` does not move: tensors in plain attributes and layers in plain lists.

**Healthy:** "All 6 tensors are on cuda:0." and an empty list, unless you split the model across devices on purpose.

Example, with `meta` as the second device so that it runs on any machine:

    >>> import torch
    >>> from torch import nn
    >>> from device_check import check_devices
    >>> model = nn.Linear(4, 2)
    >>> check_devices(model, {"image": torch.randn(3, 4), "label": torch.tensor([0, 1, 1])})
    All 4 tensors are on cpu.
    []
    >>> model.scale = torch.ones(2, device="meta")  # no buffer, so model.to() leaves it where it is
    >>> batch = {"image": torch.randn(3, 4), "extra": [torch.zeros(3, device="meta")]}
    >>> check_devices(model, batch)
    The model is on cpu. Elsewhere:
      model.scale        meta  a plain attribute: register it with register_buffer("scale", ...)
      batch['extra'][0]  meta  move it: .to("cpu")
    ['model.scale', "batch['extra'][0]"]
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence


def check_devices(model: nn.Module, batch: Any = None) -> list[str]:
    """Print and return the names of the tensors of `model` and `batch` that are not on the model's device.

    A model without parameters is taken to be where most of its other tensors and of the batch's are.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"check_devices takes the model first and then a batch, not a {type(model).__name__} first")
    found = [*_of_model(model), *((name, tensor, None) for name, tensor in _tensors(batch, "batch"))]
    if not found:
        print("Neither the model nor the batch holds a tensor.")
        return []

    elements: Counter[torch.device] = Counter()
    for _, tensor, _ in [(None, p, None) for p in model.parameters()] or found:
        elements[tensor.device] += 1 if nn.parameter.is_lazy(tensor) else tensor.numel()
    home = elements.most_common(1)[0][0]

    elsewhere = [(name, tensor, remedy) for name, tensor, remedy in found if not _same(tensor.device, home)]
    # A number on the CPU may take part in arithmetic on any device.
    elsewhere = [row for row in elsewhere if not (row[1].device.type == "cpu" and row[1].dim() == 0)]
    if not elsewhere:
        print(f"All {len(found)} tensors are on {home}.")
        return []
    print(f"The model is on {home}. Elsewhere:")
    wide = max(len(name) for name, _, _ in elsewhere), max(len(str(tensor.device)) for _, tensor, _ in elsewhere)
    for name, tensor, remedy in elsewhere:
        remedy = remedy or f'move it: .to("{home}")'
        print(f"  {name:<{wide[0]}}  {tensor.device!s:<{wide[1]}}  {remedy}")
    return [name for name, _, _ in elsewhere]


def _of_model(model: nn.Module) -> Iterator[tuple[str, torch.Tensor, str | None]]:
    """Name, tensor and remedy of all that a model holds, registered or not."""
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        remedy = "it has no values yet: load its state, or model.to_empty(...) and initialise it"
        yield f"model.{name}", tensor, remedy if tensor.is_meta else None
    registered = {id(tensor) for tensor in [*model.parameters(), *model.buffers()]}
    internal = vars(nn.Module())
    for path, module in model.named_modules(prefix="model"):
        for attribute, value in vars(module).items():
            for name, tensor in _tensors(value, f"{path}.{attribute}") if attribute not in internal else ():
                if id(tensor) not in registered:
                    remedy = f'a plain attribute: register it with register_buffer("{attribute}", ...)'
                    of_layer = isinstance(tensor, nn.Parameter)
                    yield name, tensor, "not registered: use nn.ModuleList or nn.ModuleDict" if of_layer else remedy


def _tensors(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor inside a value, with the expression that reaches it."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, nn.Module):  # layers in a plain list or dict
        for name, parameter in value.named_parameters():
            yield f"{path}.{name}", parameter
    elif isinstance(value, PackedSequence):
        yield f"{path}.data", value.data  # its batch_sizes belong on the CPU
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _tensors(part, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _tensors(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, list | tuple):
        fields = getattr(value, "_fields", None)
        for number, part in enumerate(value):
            yield from _tensors(part, f"{path}.{fields[number]}" if fields else f"{path}[{number}]")


def _same(one: torch.device, other: torch.device) -> bool:
    """`cpu` and `cpu:0` are one device; so are `cuda` and `cuda:0` for a tensor."""
    return one.type == other.type and (one.index or 0) == (other.index or 0)
