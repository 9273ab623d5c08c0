"""Count a model's parameters layer by layer: how many, how many are trained, how many bytes.

Use it before the first training step, after freezing layers, and when the optimizer got an empty parameter list. It
runs no forward pass, so it needs no input. For output shapes use `torchinfo`; `torchsummary` is unmaintained.

It prints one line per layer with parameters or buffers, then the totals and the memory that training with Adam needs
before activations. Shared parameters count once. It names what is not registered: layers in a plain Python list or
dict, and tensors that require gradients but are not an `nn.Parameter`. `model.parameters()` does not include them.
Lazy layers have no size before the first batch; they are counted apart.

**Healthy:** the parameter count is the published one (11,689,512 for a ResNet-18 with 1000 classes), "trained" is what
you intend to train, and nothing is "not registered". Float32 takes 4 bytes per parameter; training with Adam takes four
times that (weights, gradients, two moments).

Example:

    >>> from torch import nn
    >>> from model_summary import summarize
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.stem = nn.Linear(32, 64)
    ...         self.blocks = [nn.Linear(64, 64), nn.Linear(64, 64)]  # nn.ModuleList was meant
    ...         self.head = nn.Linear(64, 10)
    >>> model = Net()
    >>> _ = model.stem.requires_grad_(False)
    >>> summary = summarize(model)
    layer  type    parameters  trained     bytes
    stem   Linear       2,112        0     8,448
    head   Linear         650      650     2,600
    total               2,762      650    11,048
    Training with Adam needs about 18.4 KiB before activations.
    Not registered: blocks[0], blocks[1] (use nn.ModuleList, nn.ModuleDict, nn.Parameter)
    >>> summary.unregistered
    ['blocks[0]', 'blocks[1]']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn


class Summary(NamedTuple):
    """Numbers of elements, bytes of parameters and buffers, and the names of what is not registered in the model."""

    parameters: int
    trained: int
    bytes: int
    unregistered: list[str]


def summarize(model: nn.Module) -> Summary:
    """Print parameters, trained parameters and bytes of every layer, and return the totals."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"summarize takes an nn.Module, not a {type(model).__name__}")
    rows: list[tuple[str, str, int, int, int, str]] = []
    lazy = 0
    owner: dict[int, str] = {}  # of each tensor, so that a shared one counts where it is met first
    for name, module in model.named_modules():
        notes, counts = [], [0, 0, 0]
        own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        for key, tensor in own:
            if nn.parameter.is_lazy(tensor):
                lazy += isinstance(tensor, nn.Parameter)
                notes.append(f"{key} has no shape before the first batch")
            elif id(tensor) in owner:
                notes.append(f"{key} is shared with {owner[id(tensor)]}")
            else:
                owner[id(tensor)] = f"{name}.{key}".lstrip(".")
                is_parameter = isinstance(tensor, nn.Parameter)
                counts[0] += tensor.numel() * is_parameter
                counts[1] += tensor.numel() * (is_parameter and tensor.requires_grad)
                counts[2] += tensor.numel() * tensor.element_size()
                if tensor.is_meta:
                    notes.append(f"{key} is on meta and has no values yet")
        if own:
            rows.append((name or "(model)", type(module).__name__, *counts, "; ".join(notes)))

    parameters, trained, size = (sum(row[column] for row in rows) for column in (2, 3, 4))
    total = ("total", "", parameters, trained, size, "")
    table = [("layer", "type", "parameters", "trained", "bytes", ""), *rows, total]
    wide = [max(len(str(row[column])) for row in table) for column in (0, 1)]
    for name, kind, *numbers, note in table:
        cells = [f"{n:,}" if isinstance(n, int) else n for n in numbers]
        line = f"{name:<{wide[0]}}  {kind:<{wide[1]}}  {cells[0]:>10} {cells[1]:>8} {cells[2]:>9}  {note}"
        print(line.rstrip())

    # A gradient and Adam's two moments for each trained parameter, each as large as the parameter.
    seen = {id(p): p for p in model.parameters() if p.requires_grad and not nn.parameter.is_lazy(p)}
    training = size + 3 * sum(p.numel() * p.element_size() for p in seen.values())
    if lazy:
        number = "1 lazy parameter is" if lazy == 1 else f"{lazy} lazy parameters are"
        print(f"{number} not initialized and not counted: run one batch first.")
    if trained:
        print(f"Training with Adam needs about {_readable(training)} before activations.")
    elif not any(parameter.requires_grad for parameter in model.parameters()):
        print("Nothing is trained: no parameter has requires_grad=True.")
    known = {id(part) for part in [*model.modules(), *model.parameters(), *model.buffers()]}
    unregistered = [name for path, module in model.named_modules() for name in _unregistered(path, module, known)]
    if unregistered:
        print(f"Not registered: {', '.join(unregistered)} (use nn.ModuleList, nn.ModuleDict, nn.Parameter)")
    return Summary(parameters, trained, size, unregistered)


def _unregistered(name: str, module: nn.Module, known: set[int]) -> Iterator[str]:
    """Layers and tensors that require a gradient, among the plain attributes of a module.

    `known` are the ids of all modules, parameters and buffers of the model: they may be listed once more.
    """

    def search(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, nn.Module):
            if any(part.requires_grad and id(part) not in known for part in value.parameters()):
                yield path
        elif isinstance(value, torch.Tensor):
            if value.requires_grad and value.is_leaf and id(value) not in known:
                yield path
        elif isinstance(value, Mapping):
            for key, part in value.items():
                yield from search(part, f"{path}[{key!r}]")
        elif isinstance(value, list | tuple):
            for number, part in enumerate(value):
                yield from search(part, f"{path}[{number}]")

    internal = vars(nn.Module())  # _parameters, _buffers, _modules, hooks: these are registered
    for attribute, value in vars(module).items():
        if attribute not in internal:
            yield from search(value, f"{name}.{attribute}".lstrip("."))


def _readable(size: float) -> str:
    """Bytes as people write them: 18.4 KiB."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        units.pop(0)
    return f"{size:.1f} {units[0]}"
