"""One batch of a training, looked at closely: its calls are repeated with other inputs, and nothing remembers that.

Repeated calls work on copies of buffers, and on copies of weights that are all 0. Attributes and modes of modules and
the random states of torch, numpy and `random` are as before afterwards, gradients are never accumulated, and what the
calls print is dropped. What forward changes outside of its modules, such as a global counter or a file, cannot be
restored.
"""

from __future__ import annotations

import inspect
import io
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch
from torch import nn
from torch.func import functional_call

from torch_errors.watching.detector import is_real, tensors
from torch_errors.watching.graph import Graph

# At most so many calls of outermost modules, and of custom autograd functions, are kept until the backward pass.
MOST_CALLS = 8
DEEPEST = 3  # nesting of lists and dicts in which inputs are looked for


@dataclass(frozen=True)
class Call:
    """A forward pass of an outermost module."""

    module: nn.Module
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    output: Any

    def inputs(self) -> list[tuple[str, torch.Tensor]]:
        """Each tensor that was passed, once, with the name of its argument, such as `batch['mask']`."""
        try:
            given = inspect.signature(self.module.forward).bind(*self.arguments, **self.named).arguments
        except (TypeError, ValueError):
            given = {f"argument {n}": value for n, value in enumerate(self.arguments)} | dict(self.named)
        found: dict[int, tuple[str, torch.Tensor]] = {}
        for name, value in given.items():
            for path, tensor in _named(name, value, 0):
                found.setdefault(id(tensor), (path, tensor))
        return list(found.values())


@dataclass(frozen=True)
class FunctionCall:
    """A call of a custom `torch.autograd.Function`."""

    function: type[torch.autograd.Function]
    arguments: tuple[Any, ...]


@dataclass
class Batch:
    """What led to the first backward pass of a run."""

    loss: torch.Tensor
    graph: Graph
    calls: list[Call] = field(default_factory=list)
    functions: list[FunctionCall] = field(default_factory=list)
    weights: dict[int, dict[str, torch.Tensor]] = field(default_factory=dict)  # id of a module -> see `_weights_of`
    notes: list[Mapping[str, str]] = field(default_factory=list)  # language -> what was looked at and found fine

    def _weights_of(self, module: nn.Module) -> dict[str, torch.Tensor]:
        """The weights for repeated calls: those of a module, with small numbers in place of weights that are all 0.

        A head, a residual branch, an adapter or a gate may begin at 0 on purpose; nothing passes them before a step.
        """
        if id(module) not in self.weights:
            weights = {name: tensor.detach() for name, tensor in module.named_parameters()}
            for name, tensor in weights.items():
                plain = tensor.is_floating_point() and is_real(tensor) and tensor.layout == torch.strided
                if plain and tensor.numel() and not bool(tensor.any()):
                    weights[name] = different(tensor).mul(0.02)  # type: ignore[union-attr]
            self.weights[id(module)] = weights
        return dict(self.weights[id(module)])

    def rerun(
        self,
        call: Call,
        instead: Mapping[int, torch.Tensor] | None = None,
        *,
        evaluating: bool = False,
        gradients: bool = False,
    ) -> list[torch.Tensor] | None:
        """Repeat a call and return the tensors of its output; None if it raises an exception.

        Args:
            call: One of `calls`.
            instead: `id()` of an input -> the tensor that takes its place.
            evaluating: Whether to call the module in evaluation mode.
            gradients: Whether the output gets a graph, which leads to the tensors in `instead`, not to parameters.
        """
        module = call.module
        state = self._weights_of(module)
        state |= {name: tensor.detach().clone() for name, tensor in module.named_buffers()}
        arguments, named = (_with(value, instead or {}, 0) for value in (call.arguments, dict(call.named)))
        with undisturbed(module), torch.set_grad_enabled(gradients):
            if evaluating:
                for part in module.modules():
                    part.training = False
            try:
                output = functional_call(module, state, arguments, named)
            except Exception:
                return None
            return [tensor if gradients else tensor.detach().clone() for tensor in tensors(output)]


def different(tensor: torch.Tensor) -> torch.Tensor | None:
    """A tensor of the same shape with other values, valid where the first are; None if there are none to choose.

    Numbers get noise of their own size; ids and marks change places with each other.
    """
    generator = torch.Generator(tensor.device).manual_seed(0)
    if tensor.is_complex() or tensor.layout != torch.strided or not tensor.numel():
        return None
    value = tensor.detach()
    if value.is_floating_point():
        noise = torch.randn(value.shape, generator=generator, device=value.device, dtype=torch.float32)
        size = value.float().std() if value.numel() > 1 else value.float().abs().max()
        return value + (noise * (size if size > 0 and size.isfinite() else 1.0)).to(value.dtype)
    if value.dtype == torch.bool:
        return ~value
    flat = value.flatten()
    order = torch.randperm(len(flat), generator=generator, device=value.device)
    changed = flat[order].reshape(value.shape)
    return None if torch.equal(changed, value) else changed


def same(first: list[torch.Tensor] | None, second: list[torch.Tensor] | None) -> bool | None:
    """Whether two outputs are equal bit for bit; None if one of the calls has failed or has no plain tensors."""
    if not first or not second or len(first) != len(second):
        return None
    if any(tensor.layout != torch.strided for tensor in (*first, *second)):  # they have no `equal`
        return None
    return all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second, strict=True))


def is_repeatable(module: nn.Module) -> bool:
    """Whether a module is plain: wrappers that compile, trace, scatter or shard would run differently."""
    plain = (torch.jit.ScriptModule, nn.DataParallel, nn.parallel.DistributedDataParallel)
    names = {kind.__name__ for part in module.modules() for kind in type(part).__mro__}
    return not isinstance(module, plain) and names.isdisjoint(
        {"OptimizedModule", "FSDPModule", "FullyShardedDataParallel"}
    )


@contextmanager
def unchanged_randomness() -> Iterator[None]:
    """Leave the random states of torch on all devices, of numpy and of `random` as they are."""
    python, state = random.getstate(), numpy.random.get_state()
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    try:
        with torch.random.fork_rng(devices):
            yield
    finally:
        random.setstate(python)
        numpy.random.set_state(state)


@contextmanager
def undisturbed(module: nn.Module) -> Iterator[None]:
    """Restore attributes and modes of a module and the modules in it, and random states; drop what is printed."""
    restore = [_remember(part) for part in module.modules()]
    try:
        with unchanged_randomness(), redirect_stdout(io.StringIO()):
            yield
    finally:
        for put_back in restore:
            put_back()


def _remember(module: nn.Module) -> Callable[[], None]:
    """Return a function that gives a module its present attributes again."""
    attributes = vars(module)
    before = dict(attributes)
    # Contents of lists, dicts and sets, and values of tensors, which forward may change in place.
    contents = [(value, value.copy()) for value in before.values() if isinstance(value, list | dict | set)]
    values = [(value, value.detach().clone()) for value in before.values() if isinstance(value, torch.Tensor)]

    def put_back() -> None:
        attributes.clear()
        attributes.update(before)
        for container, content in contents:
            if isinstance(container, list):
                container[:] = content
            else:
                container.clear()
                container.update(content)
        for tensor, value in values:
            tensor.data.copy_(value)  # through `data`, since a graph that has saved the tensor would notice otherwise

    return put_back


def _named(name: str, value: Any, deep: int) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        if is_real(value):
            yield name, value
    elif deep < DEEPEST and isinstance(value, Mapping):
        for key, part in value.items():
            yield from _named(key if name in ("kwargs", "named") else f"{name}[{key!r}]", part, deep + 1)
    elif deep < DEEPEST and isinstance(value, tuple | list):
        fields = getattr(value, "_fields", None)
        for number, part in enumerate(value):
            yield from _named(f"{name}.{fields[number]}" if fields else f"{name}[{number}]", part, deep + 1)


def _with(value: Any, instead: Mapping[int, torch.Tensor], deep: int) -> Any:
    """A copy of the arguments of a call in which some tensors are replaced; tensors are detached."""
    if isinstance(value, torch.Tensor):
        return instead.get(id(value), value.detach() if is_real(value) else value)
    if deep <= DEEPEST and type(value) in (dict, list, tuple):
        if isinstance(value, dict):
            return {key: _with(part, instead, deep + 1) for key, part in value.items()}
        return type(value)(_with(part, instead, deep + 1) for part in value)
    if deep <= DEEPEST and isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_with(part, instead, deep + 1) for part in value))
    return value
