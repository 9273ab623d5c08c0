"""How fast the catalog is verified, against one interpreter a script and against what cannot be avoided."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from torch_errors.catalog.entries import Entry
from torch_errors.errors import UserError
from torch_errors.maintaining.verify import Result, verify
from torch_errors.running.runner import Mode, Runner, script_environment


@dataclass(frozen=True)
class Benchmark:
    """Seconds on this machine; `fork_s` and `fresh_s` with the same number of workers."""

    entries: int
    scripts: int
    fork_s: float
    fresh_s: float
    ratio: float  # fresh_s / fork_s
    limit_s: float  # CPU seconds of the scripts / cores + one import of torch
    over_limit: float  # fork_s / limit_s


def benchmark(entries: Sequence[Entry], workers: int | None = None) -> Benchmark:
    """Verify `entries` both ways. Raises UserError where something does not hold: a failed run would not compare."""
    import_s = _import_torch_seconds()
    fork_s, results = _timed("fork", entries, workers)
    fresh_s, _ = _timed("fresh", entries, workers)
    cores = workers or os.cpu_count() or 1
    limit_s = sum(result.cpu_seconds for result in results) / cores + import_s
    return Benchmark(
        entries=sum(1 for result in results if not result.skipped),
        scripts=sum(result.scripts for result in results),
        fork_s=round(fork_s, 2),
        fresh_s=round(fresh_s, 2),
        ratio=round(fresh_s / fork_s, 2),
        limit_s=round(limit_s, 2),
        over_limit=round(fork_s / limit_s, 2),
    )


def _timed(mode: Mode, entries: Sequence[Entry], workers: int | None) -> tuple[float, list[Result]]:
    started = time.perf_counter()
    with Runner(mode, workers) as runner:
        results = verify(entries, runner)
    seconds = time.perf_counter() - started
    failed = [result.entry.id for result in results if result.findings]
    if failed:
        raise UserError(
            f"not everything holds ({mode}), so there is nothing to compare: torch-errors verify {' '.join(failed)}"
        )
    return seconds, results


def _import_torch_seconds() -> float:
    """Best of three imports of torch, in interpreters of their own."""
    command = [sys.executable, "-c", "import torch"]
    times = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(command, check=True, env=script_environment())
        times.append(time.perf_counter() - started)
    return min(times)
