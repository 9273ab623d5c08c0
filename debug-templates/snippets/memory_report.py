"""See which tensors hold memory, how high the peak is, and what stays behind after every step.

`memory_report()` prints what the GPU's allocator holds, and the largest tensors that Python can reach. `@peak_memory`
prints after each call of a function how far the memory of tensors rose. `find_leak(step)` calls your training step
twenty times, then prints what each of the last ten has left, the operation that made it, and what holds it: a Python
object, or only a graph. Compiled code runs eagerly while it is measured.

**Healthy:** `find_leak` finds no leak. After a step, memory holds parameters, gradients and optimizer state (with Adam
in float32, 16 bytes per parameter); above that, the peak is mostly activations. Not counted are the work space inside
an operation (the allocator's peak contains it) and graphs that store no tensor, as of a running total of losses:
`python -m torch_errors --watch train.py` finds those.

    >>> import torch
    >>> from memory_report import find_leak, peak_memory
    >>> model, images, losses = torch.nn.Linear(1000, 10), torch.randn(64, 1000), []
    >>> def evaluate():  # stores losses together with their graphs
    ...     losses.append(model(images).exp().mean())
    >>> leak = find_leak(evaluate)
    LEAK: every step keeps 2.504 KiB
      2.5 KiB: 1 x [64, 10] float32 on cpu, made by exp, held by a graph
      4 bytes: 1 x [] float32 on cpu, made by mean, held by a list
    >>> peak_memory(evaluate)()
    evaluate: peak 5 KiB above the start, 2.504 KiB left at the end
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def memory_report() -> Counter[str]:
    """Print and return bytes, the largest first: of the GPU's allocator, and of tensors by device, shape and dtype."""
    names = ("memory_reserved", "max_memory_allocated", "memory_allocated") if torch.cuda.is_available() else ()
    report = Counter({name: getattr(torch.cuda, name)() for name in names})
    for tensor in _by_memory(gc.get_objects()).values():
        report["all tensors"] += tensor.untyped_storage().nbytes()
        report[_describe(tensor)] += tensor.untyped_storage().nbytes()
    for name, size in report.most_common(9):
        print(f"{_size(size):>10}  {name}")
    return report


def peak_memory(function: Callable[..., Any]) -> Callable[..., Any]:
    """Print after every call how far the memory of tensors rose; `function.peak` is that of the last call, in bytes."""

    def measured(*args: Any, **kwargs: Any) -> Any:
        with _Watch() as watch:
            result = function(*args, **kwargs)
        measured.peak = watch.peak  # type: ignore[attr-defined]
        print(f"{function.__name__}: peak {_size(watch.peak)} above the start, {_size(watch.now)} left at the end")
        return result

    return functools.update_wrapper(measured, function)


def find_leak(step: Callable[[], Any], iterations: int = 20) -> Counter[str]:
    """Call `step()` so often; print and return what each step of the second half keeps: kinds of tensors and bytes."""
    half, counts, leak = iterations // 2, [], Counter[str]()
    with _Watch() as watch:
        for number in range(1, 2 * half + 1):
            step()
            if number in (half, 2 * half):
                gc.collect()
                counts.append(Counter(kind for _, kind in watch.alive.values()))
    reachable = _by_memory(gc.get_objects())
    for kind, number in (counts[1] - counts[0]).items():
        if more := number // half:  # rounded down: some steps fill a cache
            key = [key for key in watch.alive if watch.alive[key][1] == kind][-half]
            holders = gc.get_referrers(reachable[key]) if key in reachable else []
            types = {type(holder).__name__ for holder in holders if holder is not reachable} or {"graph"}
            leak[f"{more} x {kind}, held by a {' and a '.join(sorted(types))}"] = more * watch.alive[key][0]
    print(f"LEAK: every step keeps {_size(leak.total())}" if leak else f"no leak in {2 * half} steps")
    for kind, size in leak.most_common():
        print(f"  {_size(size)}: {kind}")
    return leak


class _Watch(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.alive: dict[int, tuple[int, str]] = {}  # memory that an operation has allocated: its bytes and kind
        self.now = self.peak = 0

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operation(*args, **(kwargs or {}))
        given = _by_memory(tree_leaves((args, kwargs)))
        for key, tensor in _by_memory(tree_leaves(result)).items():
            if key not in given and key not in self.alive:  # no view, and not written in place
                storage = tensor.untyped_storage()
                self.alive[key] = storage.nbytes(), f"{_describe(tensor)}, made by {operation.overloadpacket.__name__}"
                self.now += storage.nbytes()
                self.peak = max(self.peak, self.now)
                weakref.finalize(storage, self._freed, key)
        return result

    def _freed(self, key: int) -> None:
        self.now -= self.alive.pop(key)[0]


def _by_memory(things: list[Any]) -> dict[int, torch.Tensor]:
    tensors = [thing for thing in things if type(thing) in (torch.Tensor, torch.nn.Parameter)]
    return {t.untyped_storage()._cdata: t for t in tensors if t.layout is torch.strided and not t.is_meta}


def _describe(tensor: torch.Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} on {tensor.device}"


def _size(number: int) -> str:
    power = max(0, abs(number).bit_length() - 1) // 10
    return f"{number / 1024**power:.4g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"
