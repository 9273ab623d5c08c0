"""Save and load everything needed to resume training as if it had not been interrupted.

Use it at the end of an epoch. The weights alone are enough for inference, but not for resuming: Adam's moments, the
scheduler's position and the random state would be lost. Create model, optimizer, scheduler and scaler as in the first
run, then load; `load_checkpoint` returns `epoch` and the extra values you saved.

The file is written under a temporary name and then renamed, so an interrupted save leaves no partial file. It is
loaded with `weights_only=True`; therefore it may contain only tensors, numbers, strings, None, lists, tuples and dicts,
which is checked when you save. The position within an epoch is not saved.

It prints nothing.

**Healthy:** the resumed run has the same losses, bit for bit, as an uninterrupted run on the same machine, provided
that the program is deterministic (check with `reproducibility.same_twice`). The file is about as large as the weights,
with Adam three times as large.

Example, stopped after two epochs of three:

    >>> import tempfile
    >>> import torch
    >>> from checkpoint import load_checkpoint, save_checkpoint
    >>> def start():
    ...     model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
    ...     return model, torch.optim.Adam(model.parameters(), lr=0.1)
    >>> def train_epoch(model, optimizer):
    ...     optimizer.zero_grad()
    ...     loss = model(torch.ones(8, 4)).square().mean()
    ...     loss.backward()
    ...     optimizer.step()
    ...     return loss.item()
    >>> path = tempfile.mkdtemp() + "/last.pt"
    >>> model, optimizer = start()
    >>> for epoch in range(2):
    ...     loss = train_epoch(model, optimizer)
    >>> save_checkpoint(path, model, optimizer, epoch=2, best_loss=loss)
    >>> uninterrupted = train_epoch(model, optimizer)
    >>> model, optimizer = start()
    >>> state = load_checkpoint(path, model, optimizer)
    >>> state["epoch"], state["best_loss"] == loss
    (2, True)
    >>> train_epoch(model, optimizer) == uninterrupted
    True
    >>> save_checkpoint(path, model, optimizer, epoch=3, labels={"cat", "dog"})
    Traceback (most recent call last):
    TypeError: labels holds a set, which a checkpoint does not: save it as list(...)
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

PLAIN = (torch.Tensor, str, int, float, complex, bool, bytes, type(None), torch.Size, torch.dtype, torch.device)


def save_checkpoint(
    path: str | os.PathLike[str],
    model: nn.Module,
    optimizer: torch.optim.Optimizer | None = None,
    scheduler: Any = None,
    scaler: torch.amp.GradScaler | None = None,
    *,
    epoch: int,
    **extra: Any,
) -> None:
    """Write the state of all of these, the random state and `extra` to `path`.

    Args:
        epoch: the number of epochs that are finished, so that the next run begins with `range(epoch, epochs)`.
        extra: what else you want back, such as `best_loss=0.31`; plain values, see above.
    """
    parts = {"model": _unwrapped(model), "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler}
    if taken := sorted({*parts, "rng", "version"} & extra.keys()):
        raise ValueError(f"the name {taken[0]!r} is the checkpoint's own; choose another")
    state = {name: part.state_dict() for name, part in parts.items() if part is not None}
    state |= {"epoch": epoch, "rng": _random_state(), **extra}
    for name, value in state.items():
        _check(value, name)
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {str(path.parent)!r} does not exist; create it with mkdir(parents=True)")
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        torch.save(state, unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def load_checkpoint(
    path: str | os.PathLike[str],
    model: nn.Module,
    optimizer: torch.optim.Optimizer | None = None,
    scheduler: Any = None,
    scaler: torch.amp.GradScaler | None = None,
    *,
    restore_rng: bool = True,
) -> dict[str, Any]:
    """Load `path` into what is given, and return the rest: `epoch` and the extra values.

    The file may come from another device. For inference pass the model only, and `restore_rng=False`.
    Raises KeyError where the file has no state for something that you pass.
    """
    parts = {"optimizer": optimizer, "scheduler": scheduler, "scaler": scaler}
    state = torch.load(path, map_location="cpu", weights_only=True)
    missing = [name for name in ("model", "epoch", "rng") if name not in state]
    if missing:
        raise KeyError(f"{str(path)!r} has no {missing[0]!r}: it was not written by save_checkpoint")
    for name, part in parts.items():
        if part is not None and name not in state:
            raise KeyError(f"{str(path)!r} has no state of the {name}: leave it out, or begin it anew on purpose")
    _unwrapped(model).load_state_dict(state["model"])
    for name, part in parts.items():  # the scheduler after the optimizer, whose rate it has set when it was made
        if part is not None:
            part.load_state_dict(state[name])
    if restore_rng:
        _restore_random_state(state["rng"])
    return {name: value for name, value in state.items() if name not in ("model", "rng", *parts)}


def _unwrapped(model: nn.Module) -> nn.Module:
    """The model itself, so that a file from a compiled or parallel model fits a plain one."""
    model = getattr(model, "_orig_mod", model)
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    return getattr(model, "_orig_mod", model)


def _check(value: Any, name: str) -> None:
    """Refuse what torch.load with weights_only=True would refuse, while the run that could repeat it still exists."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            _check(key, f"a key of {name}")
            _check(part, f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            _check(part, f"{name}[{number}]")
    elif not isinstance(value, PLAIN) or type(value).__module__ == "numpy":
        kind = type(value).__name__
        remedy = {"set": "list(...)", "ndarray": "torch.from_numpy(...)"}.get(kind, "str(...) or float(...)")
        raise TypeError(f"{name} holds a {kind}, which a checkpoint does not: save it as {remedy}")


def _random_state() -> dict[str, Any]:
    state: dict[str, Any] = {"torch": torch.get_rng_state(), "python": random.getstate()}
    if "numpy" in sys.modules:
        kind, keys, *rest = sys.modules["numpy"].random.get_state()
        state["numpy"] = [kind, keys.tolist(), *rest]  # an array is not among what weights_only=True reads
    if torch.accelerator.is_available():
        kind = torch.accelerator.current_accelerator().type
        devices = range(torch.accelerator.device_count())
        state[kind] = [torch.get_device_module(kind).get_rng_state(number) for number in devices]
    return state


def _restore_random_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"])
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    if "numpy" in state and "numpy" in sys.modules:
        sys.modules["numpy"].random.set_state(tuple(state["numpy"]))
    if torch.accelerator.is_available():
        kind = torch.accelerator.current_accelerator().type
        for number, device_state in enumerate(state.get(kind, [])[: torch.accelerator.device_count()]):
            torch.get_device_module(kind).set_rng_state(device_state, number)
