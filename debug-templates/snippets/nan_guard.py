"""Stop at the first NaN or infinite value, and name the layer, the parameter and the index.

Use it when the loss has become NaN and you want to know where the first NaN appeared. Put the training loop, or one
step, inside `with nan_guard(model):`. For tensors that no layer returns, such as the loss or a batch, use
`check_finite(tensor, name)`, which returns the tensor if it is finite.

It prints nothing. At the first bad value it raises FloatingPointError. In the forward pass it names the layer and tells
whether its input or parameters were already bad, or so large that they overflow; in the backward pass it names the bad gradient. A bad gradient "with
respect to the output of X" comes from the operation that uses the output of X.

**Healthy:** nothing is printed or raised. The guard checks every output and slows training down; remove it afterwards.

Some infinities are intended: masks filled with -inf that a layer returns (`allow_inf=True` checks for NaN only), and
the first steps with a GradScaler, which may overflow (`gradients=False` skips the backward pass). Compiled models run
eagerly inside the guard.

Example:

    >>> import torch
    >>> from torch import nn
    >>> from nan_guard import check_finite, nan_guard
    >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    >>> with nan_guard(model):
    ...     loss = check_finite(model(torch.randn(16, 4)).square().mean(), "loss")
    ...     loss.backward()
    >>> with torch.no_grad():
    ...     model[2].weight[1, 3] = float("nan")
    >>> with nan_guard(model):
    ...     loss = model(torch.randn(16, 4)).square().mean()
    Traceback (most recent call last):
    FloatingPointError: the output of 2 (Linear): 16 of 32 values are NaN, the first at [0, 1]; its parameter 2.weight: 1 of 16 values are NaN, the first at [1, 3]
"""  # noqa: E501

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn


def check_finite(tensor: torch.Tensor, name: str = "tensor", allow_inf: bool = False) -> torch.Tensor:
    """Return `tensor`, or raise FloatingPointError with its name, the number of bad values and the first index."""
    if problem := _problem(tensor, allow_inf):
        raise FloatingPointError(f"{name}: {problem}")
    return tensor


@contextlib.contextmanager
def nan_guard(model: nn.Module, *, gradients: bool = True, allow_inf: bool = False) -> Iterator[None]:
    """Inside the `with`, raise FloatingPointError at the first bad output of a layer of `model` or gradient.

    Args:
        gradients: look at gradients in the backward pass, too.
        allow_inf: look for NaN only.
    """
    if not isinstance(model, nn.Module) or isinstance(model, torch.jit.ScriptModule):
        raise TypeError(f"nan_guard takes an eager nn.Module, not a {type(model).__name__}")
    names = {module: name.replace("_orig_mod.", "") or "(model)" for name, module in model.named_modules()}
    watching = True

    def watch(name: str) -> Callable[[torch.Tensor], None]:
        def look(gradient: torch.Tensor) -> None:
            # Such a hook stays on its tensor as long as the graph lives, also after the `with`.
            if watching and (problem := _problem(gradient, allow_inf)):
                raise FloatingPointError(f"the gradient with respect to {name}: {problem}")

        return look

    def leave(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        label = f"the output of {names[module]} ({type(module).__name__})"
        for path, tensor in _tensors(output, ""):
            if problem := _problem(tensor, allow_inf):
                cause = _cause(module, names[module], args, kwargs, tensor.dtype, allow_inf)
                raise FloatingPointError(f"{label}{path and f' at {path}'}: {problem}; {cause}")
            if gradients and tensor.requires_grad:
                tensor.register_hook(watch(label))

    compiled = "torch._dynamo" in sys.modules  # what is compiled calls no hooks that come later
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.compiler.set_stance("force_eager") if compiled else contextlib.nullcontext())
        for module in names:
            stack.callback(module.register_forward_hook(leave, with_kwargs=True).remove)
        for name, parameter in model.named_parameters():
            if gradients and parameter.requires_grad and not nn.parameter.is_lazy(parameter):
                stack.callback(parameter.register_hook(watch(name)).remove)
        try:
            yield
        finally:
            watching = False


def _cause(
    module: nn.Module,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dtype: torch.dtype,
    allow_inf: bool,
) -> str:
    """Whether a layer, whose output has this dtype, made the bad value itself."""
    given = {f"input {number}": value for number, value in enumerate(args)}
    given |= {f"argument {key}": value for key, value in kwargs.items()}
    inputs = [pair for label, value in given.items() for pair in _tensors(value, label)]
    own = [*module.named_parameters(), *module.named_buffers()]
    kinds = ["parameter" if isinstance(tensor, nn.Parameter) else "buffer" for _, tensor in own]
    keys = [key if name == "(model)" else f"{name}.{key}" for key, _ in own]
    inputs += [(f"{kind} {key}", tensor) for kind, key, (_, tensor) in zip(kinds, keys, own, strict=True)]
    for label, tensor in inputs:
        if problem := _problem(tensor, allow_inf):
            return f"its {label}: {problem}"
    # The square of anything above this overflows, and so may a product of two such numbers.
    limit = torch.finfo(dtype).max ** 0.5
    for label, tensor in inputs:
        if tensor.is_floating_point() and tensor.numel() and not tensor.is_meta and tensor.layout == torch.strided:
            largest = tensor.detach().abs().max().item()
            if limit < largest < math.inf:
                ends = f"{str(dtype).removeprefix('torch.')} ends at {torch.finfo(dtype).max:.2g}"
                return f"its {label} is finite, but as large as {largest:.2g} ({ends})"
    return "its inputs and parameters are finite, so it made them itself"


def _problem(tensor: torch.Tensor, allow_inf: bool) -> str | None:
    """What is not finite in a tensor, in words; None where nothing is, or where there are no values to look at."""
    if tensor.is_meta or tensor.is_nested or not (tensor.is_floating_point() or tensor.is_complex()):
        return None
    if tensor.layout != torch.strided:
        tensor = tensor.coalesce().values() if tensor.layout == torch.sparse_coo else tensor.values()
    bad = torch.isnan(tensor) if allow_inf else ~torch.isfinite(tensor)
    if not bad.any():
        return None
    kinds = [kind for kind, of in (("NaN", torch.isnan), ("infinite", torch.isinf)) if (of(tensor) & bad).any()]
    first = bad.nonzero()[0].tolist()
    return f"{int(bad.sum())} of {tensor.numel()} values are {' or '.join(kinds)}, the first at {first}"


def _tensors(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor inside a value, with the expression that reaches it."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _tensors(part, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _tensors(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _tensors(part, f"{path}[{number}]")
