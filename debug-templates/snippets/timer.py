"""Measure how long a part of your program takes, with GPU synchronization.

Use it before you optimize anything. CUDA is asynchronous: without synchronization you measure how long it takes to
queue the work, not to compute it. `with Timer("forward"):` prints the time of a block; `time_step(step)` calls a
function without arguments several times and prints the median. The step is executed, so the model may be trained.

Times are wall-clock times. `time_step` first makes three warm-up calls, since the first calls also allocate memory,
select kernels and, with `torch.compile`, compile.

**Healthy:** the slowest call is within 20 % of the median; otherwise the work varies or another program is running. The
parts add up to the whole step within 5 %; a larger gap is time between them, often waiting for data.

For a single operation, use `torch.utils.benchmark.Timer`.

Example, normalizing images one by one and all at once:

    >>> import torch
    >>> from timer import Timer, time_step
    >>> images = torch.rand(500, 8, 8)
    >>> def one_by_one():
    ...     return torch.stack([(image - image.mean()) / image.std() for image in images])
    >>> def at_once():
    ...     return (images - images.mean((1, 2), keepdim=True)) / images.std((1, 2), keepdim=True)
    >>> with Timer("one by one") as timer:  # doctest: +ELLIPSIS
    ...     normalised = one_by_one()
    one by one: ...s
    >>> slow = time_step(one_by_one, repeats=3)  # doctest: +ELLIPSIS
    median ...s, fastest ...s, slowest ...s in 3 calls; the first call took ...s
    >>> fast = time_step(at_once, repeats=3)  # doctest: +ELLIPSIS
    median ...s, fastest ...s, slowest ...s in 3 calls; the first call took ...s
    >>> slow.median > 3 * fast.median
    True
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch


class Timing(NamedTuple):
    """Seconds that a call took. `first` is the very first call, which is in none of the others."""

    median: float
    fastest: float
    slowest: float
    first: float


class Timer:
    """`with Timer("forward") as timer:` prints the time of what is inside and keeps it as `timer.seconds`.

    Without a name nothing is printed. After an exception inside, `seconds` is the time up to it.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.seconds = float("nan")

    def __enter__(self) -> Timer:
        _wait_for_accelerator()
        self._start = time.perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: Any) -> None:
        if kind is None:  # after an exception the device may be lost, and waiting would hide the first error
            _wait_for_accelerator()
        self.seconds = time.perf_counter() - self._start
        if self.name and kind is None:
            print(f"{self.name}: {_milliseconds(self.seconds)}")


def time_step(step: Callable[[], Any], repeats: int = 10, warmup: int = 3) -> Timing:
    """Call `step()` `warmup + repeats` times, print the median, and return the seconds of the last `repeats` calls."""
    if not callable(step):
        raise TypeError(f"time_step calls a function: time_step(lambda: model(images)), not a {type(step).__name__}")
    if repeats < 1 or warmup < 1:
        raise ValueError("repeats and warmup must be at least 1")
    seconds = []
    for _ in range(warmup + repeats):
        with Timer() as timer:
            step()
        seconds.append(timer.seconds)
    counted = seconds[warmup:]
    timing = Timing(statistics.median(counted), min(counted), max(counted), seconds[0])
    median, fastest, slowest, first = map(_milliseconds, timing)
    calls = f"{repeats} call{'s' if repeats > 1 else ''}"
    print(f"median {median}, fastest {fastest}, slowest {slowest} in {calls}; the first call took {first}")
    return timing


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.3g} ms" if seconds < 1 else f"{1000 * seconds:,.0f} ms"


def _wait_for_accelerator() -> None:
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
