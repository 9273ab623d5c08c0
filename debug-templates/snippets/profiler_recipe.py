"""Which operations take the time of a step, and how much time is spent outside operations?

Use it when a step is slow for reasons other than waiting for data (check with `dataloader_benchmark`).
`profile_step(step)` calls a function without arguments, first to warm up, then under `torch.profiler`, and prints the
operations with the highest self time, measured on the GPU if there is one. The step is executed, so the model may be
trained. `trace="step.json"` also writes a timeline for https://ui.perfetto.dev.

For each operation it prints the milliseconds per step, the share and the calls per step. The last line is the share of
the step that the device spent in operations.

**Healthy:** most of the time in matrix products, convolutions and attention; the device busy for at least 80 % of the
step. If it is less, Python, many small operations or waiting takes the rest. Replace an operation that is called
hundreds of times per step by one on a larger tensor, or try `torch.compile`. On a GPU, one more line counts the
synchronizations (`.item()`, printing a tensor): aim for one or two per step.

Example, a matrix product computed row by row:

    >>> import torch
    >>> from profiler_recipe import profile_step
    >>> queries, keys = torch.randn(300, 64), torch.randn(4000, 64)
    >>> def scores():
    ...     return torch.stack([keys @ query for query in queries])  # queries @ keys.T is one operation
    >>> profile = profile_step(scores, rows=2)  # doctest: +ELLIPSIS
    operation                                     ms/step   share  calls/step
    aten::addmv_ ...         300
    ...
    in operations ...% of the step of ... ms
    >>> profile.operations[0].calls
    300.0
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.autograd import DeviceType


class Operation(NamedTuple):
    """One kind of operation, without the operations that it calls: seconds a step, share of all operations, calls."""

    name: str
    seconds: float
    share: float
    calls: float


class Profile(NamedTuple):
    """What `profile_step` found. `averages` is torch's own: `print(averages.table(sort_by="self_cpu_time_total"))`.

    `operations` has the longest first, `seconds` is the wall-clock time of a step under the profiler, and `busy` the
    share of it that was spent in operations on the device (more than 1 where several run at once).
    """

    operations: list[Operation]
    seconds: float
    busy: float
    averages: Any


def profile_step(
    step: Callable[[], Any],
    steps: int = 3,
    warmup: int = 2,
    rows: int = 10,
    trace: str | os.PathLike[str] | None = None,
) -> Profile:
    """Profile `steps` calls of `step()`, print the `rows` longest operations, and return all of them.

    Args:
        warmup: calls before the profile; with `torch.compile` at least 2.
        trace: a file, `.json` or `.json.gz`, for the timeline of the profiled calls.
    """
    if not callable(step):
        raise TypeError(f"profile_step calls a function: profile_step(lambda: model(x)), not a {type(step).__name__}")
    if steps < 1 or rows < 1 or warmup < 0:
        raise ValueError("steps and rows must be at least 1, warmup at least 0")
    if trace is not None and not Path(trace).resolve().parent.is_dir():
        raise FileNotFoundError(f"the folder of trace={str(trace)!r} does not exist; create it first")
    if not torch.accelerator.is_available():
        # It logs on stderr that it found no GPU. Read once, when the first profile of the program starts.
        os.environ.setdefault("KINETO_LOG_LEVEL", "9")
    for _ in range(warmup):
        step()
    _wait_for_accelerator()
    activities = set(torch.profiler.supported_activities())
    with torch.profiler.profile(activities=activities, acc_events=True) as profiler:
        start = time.perf_counter()
        for _ in range(steps):
            step()
        _wait_for_accelerator()
        seconds = (time.perf_counter() - start) / steps
    if trace is not None:
        profiler.export_chrome_trace(str(trace))

    averages = profiler.key_averages()
    operations, total, on_device = _rank(averages, steps)
    print(f"{'operation':<44} {'ms/step':>8}  {'share':>6}  {'calls/step':>10}")
    for name, duration, share, calls in operations[:rows]:
        short = name if len(name) <= 44 else f"{name[:41]}..."
        print(f"{short:<44} {1000 * duration:>8.3f}  {share:>6.1%}  {calls:>10,.6g}")
    if len(operations) > rows:
        rest = operations[rows:]
        print(f"{f'({len(rest)} more)':<44} {1000 * sum(r.seconds for r in rest):>8.3f}")
    busy = total / seconds
    print(f"{'on the device' if on_device else 'in operations'} {busy:.0%} of the step of {1000 * seconds:.3g} ms")
    waits = sum(event.count for event in averages if event.key == "aten::_local_scalar_dense") / steps
    if on_device and waits:
        print(f"{waits:.6g} times a step Python waits for the device to read a number, as .item() does")
    return Profile(operations, seconds, busy, averages)


def _rank(averages: Any, steps: int) -> tuple[list[Operation], float, bool]:
    """The operations of one step, longest first, the seconds in all of them, and whether these are the device's.

    With a GPU there are two kinds of events: operations, with the time of the kernels that they start, and the kernels
    themselves. To count both would count the time twice.
    """
    kernels = [event for event in averages if event.device_type != DeviceType.CPU and not event.is_user_annotation]
    field = "self_device_time_total" if kernels else "self_cpu_time_total"
    found = [event for event in averages if event.device_type == DeviceType.CPU and getattr(event, field) > 0]
    total = sum(getattr(event, field) for event in kernels or found)
    operations = [
        Operation(event.key, getattr(event, field) / 1e6 / steps, getattr(event, field) / total, event.count / steps)
        for event in sorted(found, key=lambda event: -getattr(event, field))
    ]
    return operations, total / 1e6 / steps, bool(kernels)


def _wait_for_accelerator() -> None:
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
