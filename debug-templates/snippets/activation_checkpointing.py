"""Store fewer activations for the backward pass, and check that this saves memory without changing the results.

Use it when activations fill the memory: memory grows with the batch size and peaks at the start of `backward()`. Inside
`with checkpointed(model.blocks):` each of these layers stores only its input and recomputes the rest during the
backward pass. Choose several consecutive layers of similar size, such as the blocks of a transformer or the stages of a
ResNet, rather than the whole model.

`compare_checkpointing` runs one batch both ways, on the CPU or a GPU. It prints how much is stored for the backward
pass and which gradients or buffers differ, and restores the model. A batch is `(inputs, targets)` on the model's
device, with the loss `loss_fn(model(inputs), targets)`; inputs in a dict or a tuple are passed as `model(**inputs)` or
`model(*inputs)`, and a batch that is one dict as `model(**batch)`, with the loss `loss_fn(output, batch)`.

**Healthy:** less than half is stored, and the gradients are identical bit for bit. A step often takes about a third
longer, since the forward pass runs twice. Dropout masks are reproduced. Two things are not: batch normalization updates
its running statistics twice per batch, as with a larger momentum, and `random` and NumPy draw new numbers.

Example, a training step:

    >>> import torch
    >>> from torch import nn
    >>> from activation_checkpointing import checkpointed, compare_checkpointing
    >>> _ = torch.manual_seed(0)
    >>> def block(*extra):
    ...     return nn.Sequential(nn.Linear(64, 256), *extra, nn.GELU(), nn.Linear(256, 64), nn.Dropout(0.1))
    >>> model = nn.Sequential(*[block() for _ in range(8)])
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> batch = torch.randn(128, 64), torch.randn(128, 64)
    >>> with checkpointed(model):  # the eight blocks of this nn.Sequential
    ...     loss = nn.functional.mse_loss(model(batch[0]), batch[1])
    ...     loss.backward()
    >>> optimizer.step()
    >>> compare_checkpointing(model, batch, nn.MSELoss(), model).problems
    kept for backward: 2.56 MiB without, 0.31 MiB with (12%)
    loss, gradients and buffers are the same
    []
    >>> normalised = nn.Sequential(*[block(nn.BatchNorm1d(256)) for _ in range(8)])
    >>> problems = compare_checkpointing(normalised, batch, nn.MSELoss(), normalised).problems
    kept for backward: 3.59 MiB without, 0.31 MiB with (9%)
    DIFFERENT: the buffer 0.1.running_mean, the buffer 0.1.running_var and 22 more
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Comparison(NamedTuple):
    """Bytes that the graph keeps for backward without and with checkpoints, and what differs between the two."""

    plain: int
    checkpointed: int
    problems: list[str]


@contextlib.contextmanager
def checkpointed(layers: Iterable[nn.Module]) -> Iterator[None]:
    """Inside the `with`, each of `layers` (a list, an nn.ModuleList, an nn.Sequential) keeps only its input.

    Evaluation and `no_grad` are unaffected. The backward pass may come after the `with`.
    """
    if isinstance(layers, nn.Module) and not isinstance(layers, nn.Sequential | nn.ModuleList):
        raise TypeError(f"pass the layers, such as model.blocks or [model.layer1], not a {type(layers).__name__}")
    layers = list(layers)
    if not layers:
        raise ValueError("there are no layers to checkpoint")
    if wrong := [layer for layer in layers if not isinstance(layer, nn.Module)]:
        raise TypeError(f"layers holds a {type(wrong[0]).__name__}: pass modules, not their names")

    def forward(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not torch.is_grad_enabled():
            return original(*args, **kwargs)
        return checkpoint(original, *args, use_reentrant=False, **kwargs)

    wrapped: list[nn.Module] = []
    try:
        for layer in layers:
            if hasattr(layer, "_orig_mod"):
                raise TypeError("a compiled layer cannot be checkpointed: compile inside `with checkpointed(...)`")
            if "forward" in vars(layer):
                raise RuntimeError(f"a {type(layer).__name__} is checkpointed already, or stands in the list twice")
            layer.forward = functools.partial(forward, layer.forward)  # type: ignore[method-assign]
            wrapped.append(layer)
        yield
    finally:
        for layer in wrapped:
            del layer.forward  # the method of the class shows again


def compare_checkpointing(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor],
    layers: Iterable[nn.Module],
) -> Comparison:
    """Run forward and backward with and without checkpoints; print and return what is kept and what differs."""
    layers = list(layers)
    kept, found = [], []
    for context in (contextlib.nullcontext(), checkpointed(layers)):
        with _left_alone(model), context:
            loss, size = _forward(model, batch, loss_fn)
            loss.backward()
            state = [(f"the gradient of {name}", parameter.grad) for name, parameter in model.named_parameters()]
            state += [(f"the buffer {name}", buffer) for name, buffer in model.named_buffers()]
            found.append([("the loss", loss.detach())] + [(name, _copy(tensor)) for name, tensor in state])
            kept.append(size)
    plain, less = kept
    problems = [name for (name, one), (_, other) in zip(*found, strict=True) if not _same(one, other)]
    share = f"{less / max(plain, 1):.0%}"
    print(f"kept for backward: {plain / 2**20:.2f} MiB without, {less / 2**20:.2f} MiB with ({share})")
    if len(problems) > 2:
        print(f"DIFFERENT: {problems[0]}, {problems[1]} and {len(problems) - 2} more")
    else:
        print(f"DIFFERENT: {' and '.join(problems)}" if problems else "loss, gradients and buffers are the same")
    if less > plain / 2:
        problems.append("it saves little: checkpoint more layers, or smaller parts of one")
        print(problems[-1])
    return Comparison(plain, less, problems)


def _forward(model: nn.Module, batch: Any, loss_fn: Any) -> tuple[torch.Tensor, int]:
    """The loss, and the bytes that its graph keeps besides the parameters."""
    parameters = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    sizes: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout is torch.strided and (key := tensor.untyped_storage().data_ptr()) not in parameters:
            sizes[key] = tensor.untyped_storage().nbytes()
        return tensor

    inputs, targets = (batch, batch) if isinstance(batch, Mapping) else batch
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        if isinstance(inputs, Mapping):
            output = model(**inputs)
        else:
            output = model(*inputs) if isinstance(inputs, list | tuple) else model(inputs)
        loss = loss_fn(output, targets)
    return loss, sum(sizes.values())


def _copy(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.detach().clone()


def _same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    one, other = one.to_dense(), other.to_dense()
    return bool(((one == other) | ((one != one) & (other != other))).all())  # NaN is the same as NaN here


@contextlib.contextmanager
def _left_alone(model: nn.Module) -> Iterator[None]:
    """Afterwards gradients, buffers, training mode and random state are as before, also after an exception."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    buffers = [
        (module, name, buffer, buffer.clone())
        for module in model.modules()
        for name, buffer in module.named_buffers(recurse=False)
    ]
    modes = [(module, module.training) for module in model.modules()]
    try:
        for parameter, _ in gradients:
            parameter.grad = None
        with torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type):
            yield
    finally:
        for parameter, gradient in gradients:
            parameter.grad = gradient
        with torch.no_grad():
            for module, name, buffer, value in buffers:
                module._buffers[name] = buffer.copy_(value)  # some modules replace theirs by a new tensor
        for module, training in modes:
            module.training = training
