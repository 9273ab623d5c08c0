"""See what uses memory, how high the peak is, and whether memory leaks every step.

Use `memory_report()` for the current state, `@peak_memory` for the peak of a function, and `find_leak(step)` when
memory grows every step. All three work on a GPU and on the CPU.

`memory_report` prints the allocated memory (on the CPU: that of the process) and the largest tensors that Python can
reach. `peak_memory` prints the peak above the starting value after each call. `find_leak` calls `step()` three times to
warm up and twenty times to measure, then prints what each step leaves behind, which operation created it and what
references it. The step is executed, so the model may be trained; compiled code runs eagerly meanwhile.

**Healthy:** `find_leak` finds no leak. After a step, memory holds parameters, gradients and optimizer state (with Adam
in float32, 16 bytes per parameter) and stays constant. The difference to the peak is mostly activations and grows with
the batch size. Reserved but unallocated memory is a cache that PyTorch reuses.

Example, an evaluation that stores losses together with their graphs:

    >>> import torch
    >>> from torch import nn
    >>> from memory_report import find_leak, peak_memory
    >>> model, images, losses = nn.Linear(1000, 10), torch.randn(64, 1000), []
    >>> def evaluate():
    ...     losses.append(model(images).exp().mean())
    >>> find_leak(evaluate).bytes_per_step
    LEAK: every step keeps 2.5 KiB
      2.5 KiB: 1 x [64, 10] float32 on cpu, made by exp
      4 bytes: 1 x [] float32 on cpu, made by mean
      every step adds 1 tensor [] with its graph (MeanBackward0): keep loss.item(), or use torch.no_grad() in evaluation
    2564
    >>> losses.clear()
    >>> find_leak(torch.no_grad()(lambda: losses.append(model(images).exp().mean().item()))).bytes_per_step
    no leak in 20 steps
    0
    >>> @peak_memory
    ... def forward():
    ...     return model(images).exp().mean()
    >>> loss = forward()
    forward: peak 5 KiB above the start, 2.5 KiB still there at the end
"""

from __future__ import annotations

import contextlib
import functools
import gc
import statistics
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Leak(NamedTuple):
    """What a step leaves behind: bytes of tensors, nodes of the autograd graph, and what was printed about them."""

    bytes_per_step: int
    nodes_per_step: int
    findings: list[str]


def memory_report(device: torch.device | str | None = None) -> dict[str, int]:
    """Print and return what `device` holds, in bytes; without an argument the accelerator, or the CPU if there is none.

    The keys are "allocated", "peak", "reserved", "free" and "total" as far as the device knows them, for the CPU
    "resident" and "peak resident" (where the system tells them), and always "tensors": what Python can reach.
    """
    if device is None:
        device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "cpu"
    device = torch.device(device)
    report = _process() if device.type == "cpu" else _allocator(device)
    storages: dict[int, int] = {}
    shapes: Counter[str] = Counter()
    for tensor in _reachable():
        same = tensor.device.type == device.type and device.index in (None, tensor.device.index)
        if same and (key := _storage(tensor)) is not None and key not in storages:
            storages[key] = tensor.untyped_storage().nbytes()
            shapes[_describe(tensor)] += storages[key]
    report["tensors"] = sum(storages.values())
    print(f"{device}: " + ", ".join(f"{name} {_size(value)}" for name, value in report.items()))
    for description, size in shapes.most_common(5):
        print(f"  {_size(size)} in {description}")
    return report


def peak_memory(function: Callable[..., Any]) -> Callable[..., Any]:
    """Print after every call of `function` how far memory rose; the bytes of the last call are `function.peak`.

    On a GPU these are the allocator's numbers, and its peak statistic is reset. Elsewhere tensors are counted, without
    the work space inside an operation.
    """

    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        allocator = _allocator_module()
        if allocator is not None:
            allocator.reset_peak_memory_stats()
            start = allocator.memory_allocated()
            result = function(*args, **kwargs)
            peak, kept = allocator.max_memory_allocated() - start, allocator.memory_allocated() - start
        else:
            with _Watch() as watch:
                result = function(*args, **kwargs)
            peak, kept = watch.peak, watch.now
        measured.peak = peak  # type: ignore[attr-defined]
        end = f"{_size(kept)} still there at the end" if kept >= 0 else f"{_size(-kept)} less than before at the end"
        print(f"{function.__name__}: peak {_size(peak)} above the start, {end}")
        return result

    return measured


def find_leak(step: Callable[[], Any], iterations: int = 20, warmup: int = 3) -> Leak:
    """Call `step()` `warmup + iterations` times; print and return what every step keeps.

    A leak is what is left of most of the steps of the first half when all are done. A queue that holds the last
    `iterations / 2` results looks like one: raise `iterations`.
    """
    if not callable(step):
        raise TypeError(f"find_leak calls a function: find_leak(lambda: train(batch)), not a {type(step).__name__}")
    if iterations < 6:
        raise ValueError("find_leak needs at least 6 iterations to tell a leak from what the first and last step keep")
    half = iterations // 2
    with _Watch() as watch:
        for _ in range(warmup):
            step()
        for watch.step in range(1, iterations + 1):
            step()
            if watch.step == half:
                before, allocated = _graphs(), _allocated()
    after, grown = _graphs(), (_allocated() - allocated) // (iterations - half)

    # What each step of the first half has left, by what it is. The typical step counts: some fill a cache once.
    left: dict[str, Counter[int]] = {}
    counts: dict[str, Counter[int]] = {}
    for number, size, description in watch.alive.values():
        if 1 <= number <= half:
            left.setdefault(description, Counter())[number] += size
            counts.setdefault(description, Counter())[number] += 1
    kept: dict[str, tuple[int, int]] = {}
    for description, sizes in left.items():
        size = int(statistics.median_low([sizes[number] for number in range(1, half + 1)]))
        if size:
            kept[description] = size, counts[description].most_common(1)[0][1]
    bytes_per_step = sum(size for size, _ in kept.values())
    nodes = sum(max(0, after[name][1] - before.get(name, (0, 0))[1]) for name in after) // (iterations - half)

    findings = [
        f"{_size(size)}: {count} x {name}" for name, (size, count) in sorted(kept.items(), key=lambda i: -i[1][0])
    ]
    for name, (number, size) in after.items():
        earlier = before.get(name, (0, 0))
        if more := round((number - earlier[0]) / (iterations - half)):
            tensors = f"{more} tensor{'s' if more > 1 else ''} {name.replace(' (', ' with its graph (')}"
            findings.append(f"every step adds {tensors}: keep loss.item(), or use torch.no_grad() in evaluation")
        elif more := round((size - earlier[1]) / (iterations - half)):
            findings.append(
                f"the graph above {name} grows by {more} nodes a step: add loss.item() or loss.detach() to it"
            )
    if kept and len(findings) == len(kept):
        findings.append("no graph holds them: look for a list, dict or attribute that grows")
    if grown > bytes_per_step:
        findings.append(f"the device's allocator grew by {_size(grown)} a step")
    if kept or nodes or grown > 0:
        what = _size(bytes_per_step) if kept else f"{nodes} nodes of the graph" if nodes else "memory of the device"
        print(f"LEAK: every step keeps {what}")
        for finding in findings:
            print(f"  {finding}")
    else:
        print(f"no leak in {iterations} steps")
        findings = []
    return Leak(max(bytes_per_step, grown), nodes, findings)


class _Watch(TorchDispatchMode):
    """Keeps a list of the memory that operations allocate, until it is freed; holds no tensor itself.

    Under such a mode torch.compile steps aside, and compiled code runs eagerly.
    """

    def __init__(self) -> None:
        super().__init__()
        self.alive: dict[int, tuple[int, int, str]] = {}  # the step, the bytes and a description
        self.step = self.now = self.peak = 0

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operation(*args, **(kwargs or {}))
        given = {_storage(tensor) for tensor in _tensors((args, kwargs))}
        for tensor in _tensors(result):
            key = _storage(tensor)
            if key is None or key in given or key in self.alive:
                continue  # a view, or written in place
            storage = tensor.untyped_storage()
            made_by = operation.overloadpacket.__name__.rstrip("_")
            self.alive[key] = self.step, storage.nbytes(), f"{_describe(tensor)}, made by {made_by}"
            self.now += storage.nbytes()
            self.peak = max(self.peak, self.now)
            weakref.finalize(storage, self._freed, key).atexit = False
        return result

    def _freed(self, key: int) -> None:
        self.now -= self.alive.pop(key)[1]


def _graphs() -> dict[str, tuple[int, int]]:
    """For every kind of tensor with a graph that Python can reach: how many there are, and the nodes above them."""
    gc.collect()
    roots: dict[str, list[Any]] = {}
    for tensor in _reachable():
        if tensor.grad_fn is not None:
            roots.setdefault(f"{list(tensor.shape)} ({tensor.grad_fn.name()})", []).append(tensor.grad_fn)
    graphs = {}
    for name, nodes in roots.items():
        seen, pending = set(nodes), list(nodes)
        while pending:
            above = {node for node, _ in pending.pop().next_functions if node is not None} - seen
            seen |= above
            pending += above
        graphs[name] = len(nodes), len(seen)
    return graphs


def _reachable() -> list[torch.Tensor]:
    """Every tensor that Python knows, and that holds memory of its own (a wrapper such as DTensor has one inside)."""
    kinds = [torch.Tensor]
    for kind in kinds:
        kinds += kind.__subclasses__()
    # By type: isinstance() would wake lazy objects of other libraries.
    plain = {kind for kind in kinds if kind.__torch_dispatch__ is torch.Tensor.__torch_dispatch__}
    return [thing for thing in gc.get_objects() if type(thing) in plain]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _tensors(part)


def _storage(tensor: torch.Tensor) -> int | None:
    """The identity of the memory behind a tensor; None where there is none that could be asked for."""
    if tensor.layout is not torch.strided or tensor.is_meta or torch.nn.parameter.is_lazy(tensor):
        return None
    return tensor.untyped_storage()._cdata


def _describe(tensor: torch.Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} on {tensor.device}"


def _allocator_module() -> Any:
    """The module of the accelerator that counts its memory, such as torch.cuda; None if none does."""
    if not torch.accelerator.is_available():
        return None
    module = torch.get_device_module(torch.accelerator.current_accelerator())
    return module if hasattr(module, "max_memory_allocated") else None


def _allocated() -> int:
    allocator = _allocator_module()
    return allocator.memory_allocated() if allocator else 0


def _allocator(device: torch.device) -> dict[str, int]:
    module = torch.get_device_module(device)
    if hasattr(module, "current_allocated_memory"):  # MPS
        return {"allocated": module.current_allocated_memory(), "reserved": module.driver_allocated_memory()}
    names = {"allocated": "memory_allocated", "peak": "max_memory_allocated", "reserved": "memory_reserved"}
    report = {name: getattr(module, function)(device) for name, function in names.items() if hasattr(module, function)}
    if hasattr(module, "mem_get_info"):
        report["free"], report["total"] = module.mem_get_info(device)
    return report


def _process() -> dict[str, int]:
    """The memory that the process occupies, as far as the system tells."""
    report = {}
    with contextlib.suppress(OSError, ImportError):
        import resource

        with open("/proc/self/statm") as file:
            report["resident"] = int(file.read().split()[1]) * resource.getpagesize()
    with contextlib.suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report["peak resident"] = peak if sys.platform == "darwin" else 1024 * peak
    return report


def _size(number: int) -> str:
    if abs(number) < 1024:
        return f"{number} bytes"
    for unit in ("KiB", "MiB", "GiB"):
        number /= 1024
        if abs(number) < 1024 or unit == "GiB":
            break
    return f"{number:.3g} {unit}" if abs(number) < 1000 else f"{number:.0f} {unit}"
