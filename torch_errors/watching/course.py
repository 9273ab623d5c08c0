"""Records the course of a run for its report: the loss, learning rates, gradients, updates, time and memory.

It listens as a detector does and finds nothing. Of each series it keeps at most MOST points, evenly spaced, with the
first and the last. It never waits for a GPU: what is computed there is copied while the program goes on.
"""

from __future__ import annotations

import math
import os
import sys
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from torch_errors.logs.series import Reader
from torch_errors.watching.detector import PHASES, Detector, Phase, Run, is_real

MOST = 300
# Numbers of a tensor whose change in a step is measured: as many, evenly spaced, or all of a smaller tensor.
SAMPLE = 4096
# Gradients and updates are looked at as often as this share of the time allows, after FREE_S seconds in any case.
SHARE, FREE_S = 0.02, 1.0
# Most parameters that are looked at, and learning rates and printed series that are kept.
MOST_PARAMETERS, MOST_RATES, MOST_PRINTED = 400, 4, 24
MIB = 2**20

Point = tuple[int, float]


class Points:
    """Numbers by step, thinned: every `stride`-th, and the last."""

    def __init__(self) -> None:
        self._kept: list[Point] = []
        self._last: Point | None = None
        self._count = 0
        self._stride = 1

    def add(self, step: int, value: float) -> None:
        self._last = (step, value)
        if self._count % self._stride == 0:
            self._kept.append(self._last)
            if len(self._kept) > MOST:
                del self._kept[1::2]
                self._stride *= 2
        self._count += 1

    def __iter__(self) -> Iterator[Point]:
        yield from self._kept
        if self._last is not None and self._last is not self._kept[-1]:
            yield self._last

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Course(Detector):
    """Records a run. `series` has the numbers, `layers` the last look at each parameter."""

    id = "course"
    inside = ()

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.began = time.perf_counter()
        self.series: dict[str, Points] = {}
        self.printed = _Printed(run)
        # Name of a parameter -> its shape, the norm of its gradient, and the size of its update relative to its size.
        self.layers: dict[str, tuple[list[int], float, float]] = {}
        self.looked = 0.0  # seconds that looking at gradients and updates has taken
        self._roots: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()  # modules whose parameters have names
        self._names: dict[int, str] = {}  # `id()` of a parameter -> its name
        self._losses: list[float] = []  # losses since the last step
        self._before: list[tuple[torch.Tensor, torch.Tensor]] = []  # parameters with samples from before the step
        self._norms: list[torch.Tensor] = []  # norms of their gradients
        self._spent: dict[Phase, float] = dict.fromkeys(PHASES, 0.0)  # that until the last step
        self._stepped = self.began
        self._waiting: list[tuple[Any, torch.Tensor, Callable[[list[float]], None]]] = []  # copies from a GPU

    @property
    def seconds(self) -> float:
        """Wall time since the start of the recording."""
        return time.perf_counter() - self.began

    def to_json(self) -> dict[str, Any]:
        """The recorded numbers; those that are not finite are null."""
        return {
            "seconds": round(self.seconds, 3),
            "seconds_by_phase": {phase: round(seconds, 3) for phase, seconds in self.run.spent.items()},
            "series": {name: _rows(points) for name, points in self.series.items()},
            "printed": [
                {"name": name, "split": split, "kind": kind, "points": _rows(points)}
                for (name, split, kind), points in self.printed.series.items()
            ],
            "parameters": [
                {"name": name, "shape": shape, "gradient_norm": _finite(norm), "update_ratio": _finite(ratio)}
                for name, (shape, norm, ratio) in self.layers.items()
            ],
        }

    def _add(self, name: str, value: float, step: int | None = None) -> None:
        self.series.setdefault(name, Points()).add(self.run.steps if step is None else step, value)

    # Events ----------------------------------------------------------------------------------------------------------

    def on_forward(self, module: torch.nn.Module, inputs: tuple[Any, ...], output: Any, depth: int) -> None:
        if depth == 0 and module not in self._roots:
            self._roots.add(module)
            for name, parameter in module.named_parameters():
                self._names.setdefault(id(parameter), name)

    def on_backward(self, loss: torch.Tensor, value: float | None) -> None:
        if value is not None:
            self._losses.append(value)

    def on_step(self, optimizer: torch.optim.Optimizer) -> None:
        self._add_rates(optimizer)
        if self.looked > FREE_S + SHARE * self.seconds:
            return
        since = time.perf_counter()
        parameters = [p for group in optimizer.param_groups for p in group["params"] if _is_plain(p)][:MOST_PARAMETERS]
        if parameters:
            gradients: list[torch.Tensor] = [p.grad.detach() for p in parameters if p.grad is not None]
            self._norms = list(torch._foreach_norm(gradients))
            self._before = [(p, _sample(p).clone()) for p in parameters]
        self.looked += time.perf_counter() - since

    def on_stepped(self, optimizer: torch.optim.Optimizer) -> None:
        since = time.perf_counter()
        if self._before:
            self._look()
            self._add_memory()
            self.looked += time.perf_counter() - since
        if self._losses:
            self._add("loss", sum(self._losses) / len(self._losses))
            self._losses = []
        if self.run.steps:  # the first interval contains what precedes the training
            self._add("time: whole step", since - self._stepped)
            for phase in PHASES[:4]:
                self._add(f"time: {phase}", self.run.spent[phase] - self._spent[phase])
        self._spent = dict(self.run.spent)
        self._stepped = time.perf_counter()

    def on_end(self) -> None:
        for event, _, _ in self._waiting:
            event.synchronize()
        self._receive()

    # What is recorded ------------------------------------------------------------------------------------------------

    def _add_rates(self, optimizer: torch.optim.Optimizer) -> None:
        for number, group in enumerate(optimizer.param_groups):
            name = f"learning rate: {type(optimizer).__name__}" + (f", group {number}" if number else "")
            known = name in self.series or sum(other.startswith("learning") for other in self.series) < MOST_RATES
            rate = group.get("lr")
            if known and (isinstance(rate, float | int) or (isinstance(rate, torch.Tensor) and not rate.is_cuda)):
                self._add(name, float(rate))

    def _look(self) -> None:
        """Measure gradients and updates of the step that has just been made."""
        names = self._unique_names([p for p, _ in self._before])
        shapes = [list(p.shape) for p, _ in self._before]
        before = [sample for _, sample in self._before]
        moved = torch._foreach_norm(torch._foreach_sub([_sample(p) for p, _ in self._before], before))
        sizes = torch._foreach_norm(before)
        count, step = len(names), self.run.steps
        numbers = [number.float().flatten()[0] for number in (*self._norms, *moved, *sizes)]
        self._before, self._norms = [], []

        def record(values: list[float]) -> None:
            norms, moved, sizes = values[:count], values[count : 2 * count], values[2 * count :]
            ratios = [change / size if size else math.nan for change, size in zip(moved, sizes, strict=True)]
            self.layers |= dict(zip(names, zip(shapes, norms, ratios, strict=True), strict=True))
            self._add("gradient norm", math.hypot(*norms), step)
            known = sorted(ratio for ratio in ratios if not math.isnan(ratio))
            if known:
                for name, ratio in (("largest", known[-1]), ("median", known[len(known) // 2]), ("smallest", known[0])):
                    self._add(f"update: {name}", ratio, step)

        if len({number.device for number in numbers}) == 1:
            self._read(torch.stack(numbers), record)

    def _unique_names(self, parameters: Sequence[torch.Tensor]) -> list[str]:
        counts: Counter[str] = Counter()
        names = []
        for parameter in parameters:
            name = self._names.get(id(parameter), "parameter")
            counts[name] += 1
            names.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
        return names

    def _read(self, values: torch.Tensor, then: Callable[[list[float]], None]) -> None:
        """Call `then` with the values, on a GPU some time later, when they have been copied."""
        if values.device.type == "cpu":
            then(values.tolist())
        elif values.device.type == "cuda":
            copy = torch.empty(values.shape, dtype=values.dtype, pin_memory=True).copy_(values, non_blocking=True)
            event = torch.cuda.Event()
            event.record()
            self._waiting.append((event, copy, then))
            self._receive()

    def _receive(self) -> None:
        while self._waiting and self._waiting[0][0].query():
            _, copy, then = self._waiting.pop(0)
            then(copy.tolist())

    def _add_memory(self) -> None:
        resident = _resident()
        if resident is not None:
            self._add("memory: process", resident / MIB)
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            self._add("memory: tensors on the GPU", torch.cuda.memory_allocated() / MIB)


class _Printed:
    """Reads the numbers that the program prints, such as metrics, as `explain` reads a training log."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reader = Reader()
        self._open: dict[int, str] = {}  # `id()` of a stream -> its last line, which is not finished
        self.series: dict[tuple[str, str, str], Points] = {}  # name, part of the data and kind -> its numbers
        self._read: Counter[int] = Counter()  # `id()` of a series of the reader -> number of its values in `series`

    def start(self) -> Callable[[], None]:
        """Read what is written to standard output and error from now on; return a function that stops this."""
        streams: list[Any] = [one for one in dict.fromkeys((sys.stdout, sys.stderr)) if hasattr(one, "__dict__")]
        own = [vars(stream).get("write") for stream in streams]

        def watch(stream: Any) -> Callable[[str], Any]:
            original = stream.write

            def write(text: str) -> Any:
                count = original(text)
                with suppress(Exception):  # whatever happens here, the program has written its text
                    self.text(id(stream), text)
                return count

            return write

        for stream in streams:
            stream.write = watch(stream)

        def stop() -> None:
            for stream, write in zip(streams, own, strict=True):
                del stream.write
                if write is not None:
                    stream.write = write

        return stop

    def text(self, stream: int, text: str) -> None:
        """Read a part of what is written to a stream. A line is read when it ends."""
        whole = self._open.get(stream, "") + text
        end = max(whole.rfind("\n"), whole.rfind("\r")) + 1
        self._open[stream] = whole[end:][-1000:]
        if any(sign.isdigit() for sign in whole[:end]) or "|" in whole[:end]:
            self._reader.text(whole[:end])
            self._add()

    def _add(self) -> None:
        for one in self._reader.series.values():
            key = (one.name, one.split, one.kind)
            new = one.values[self._read[id(one)] :]
            self._read[id(one)] = len(one.values)
            if not one.average and (key in self.series or len(self.series) < MOST_PRINTED):
                for value in new:
                    self.series.setdefault(key, Points()).add(self._run.steps, value)


def _is_plain(parameter: torch.Tensor) -> bool:
    gradient = parameter.grad
    return (
        gradient is not None
        and is_real(parameter)
        and is_real(gradient)
        and gradient.layout == torch.strided
        and gradient.is_floating_point()
        and parameter.numel() > 0
    )


def _sample(parameter: torch.Tensor) -> torch.Tensor:
    values = parameter.detach().flatten()
    return values[:: max(1, -(-len(values) // SAMPLE))]


def _resident() -> int | None:
    """Memory of this process in bytes, or None where Linux does not tell it."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _finite(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _rows(points: Points) -> list[list[float | None]]:
    return [[step, _finite(value)] for step, value in points]
