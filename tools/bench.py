"""Measures what users and maintainers wait for, by running the commands that they run.

    python -m tools.bench                            # watch, guide and verification, within ten minutes on two cores
    python -m tools.bench --part watch               # one part
    python -m tools.bench --part guide --copies 5    # a guide with five copies of each entry
    python -m tools.bench --part suites              # both test suites

Prints each part as JSON as soon as it is measured. Needs a checkout with the packages of the tests and, for the
search, a browser.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.enlarge import enlarge
from tools.steps import MODELS
from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import CATALOG_FILE
from torch_errors.errors import UserError
from torch_errors.explaining.explain import explain
from torch_errors.running.pool import Mode, Runner, script_environment, usable_cores
from torch_errors.verifying.verify import Result, verify

ROOT = Path(__file__).resolve().parents[1]
# Number of cold starts of `explain`. The fastest counts, since other processes can only slow them down.
STARTS = 10
WARM = 50  # number of repetitions of `explain` in one process
# The two test suites: what `make test` and `make test-all` run after the checks of style and types.
SUITES = {"test": ["-m", "not exhaustive and not weekly"], "test_all": ["-m", "not weekly"]}
PYTEST = ["-m", "pytest", "-q", "-n", "auto"]


@dataclass(frozen=True)
class Suite:
    """Result of a run of a test suite."""

    seconds: float
    summary: str  # last line of pytest's output
    failed: list[str]  # failed test functions, each with its number of failures


@dataclass(frozen=True)
class Figures:
    """Measurements of a guide."""

    entries: int
    catalog_bytes: int
    longest_row: int  # number of lines of the longest entry in catalog.yaml
    explain_s: float  # seconds of a cold `torch-errors explain` of a recorded traceback
    explain_warm_ms: float  # milliseconds for the same text in a process that has explained it before
    site_s: float  # seconds to build the site in both languages
    search: dict[str, Any]  # language -> what `tools.measure_search` prints


def measure(catalog: Catalog) -> Figures:
    """Measure the guide of `catalog`. Raises UserError if a command fails."""
    text = (catalog.root / CATALOG_FILE).read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^      [a-z0-9-]+:\n(?:        .*\n)+", text)
    with tempfile.TemporaryDirectory(prefix="torch-errors-site-") as folder:
        site = Path(folder, "site")
        site_s = _seconds(catalog.root, ["-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)])
        search = json.loads(_output(catalog.root, ["-m", "tools.measure_search", str(site)]))
    return Figures(
        entries=len(catalog),
        catalog_bytes=len(text.encode()),
        longest_row=max((row.count("\n") for row in rows), default=0),
        explain_s=_explain_seconds(catalog),
        explain_warm_ms=_explain_warm_ms(catalog),
        site_s=round(site_s, 1),
        search=search,
    )


def _recorded(catalog: Catalog) -> Path:
    return next(entry.recording("broken") for entry in catalog if entry.kind == "exception")


def _explain_warm_ms(catalog: Catalog) -> float:
    text = _recorded(catalog).read_text(encoding="utf-8")
    explain(text, catalog.root)
    return round(1000 * timeit.timeit(lambda: explain(text, catalog.root), number=WARM) / WARM, 2)


def _explain_seconds(catalog: Catalog) -> float:
    command = ["-m", "torch_errors", "explain", str(_recorded(catalog))]
    _seconds(catalog.root, command)  # not measured: the first run compiles the catalog
    return round(min(_seconds(catalog.root, command) for _ in range(STARTS)), 3)


def _suite(root: Path, options: Sequence[str]) -> Suite:
    """Run a suite. Failed tests are part of the result."""
    started = time.perf_counter()
    done = _run(root, [*PYTEST, *options])
    seconds = time.perf_counter() - started
    lines = done.stdout.rstrip().splitlines() or [done.stderr.strip()]
    failures = re.findall(r"(?m)^(?:FAILED|ERROR) ([^\[\s]+)", done.stdout)
    failed = [f"{name} ({failures.count(name)})" for name in dict.fromkeys(failures)]
    return Suite(round(seconds, 1), lines[-1].strip("= "), failed)


def _seconds(root: Path, arguments: Sequence[str]) -> float:
    started = time.perf_counter()
    _output(root, arguments)
    return time.perf_counter() - started


def _output(root: Path, arguments: Sequence[str]) -> str:
    done = _run(root, arguments)
    if done.returncode:
        raise UserError(f"{' '.join(['python', *arguments])} failed in {root}:\n{done.stderr.strip()}")
    return done.stdout


def _run(root: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run Python with the package and the tests of the guide at `root`."""
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path, "LC_ALL": "C.UTF-8", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8")


@dataclass(frozen=True)
class WatchCost:
    """Cost of `--watch` for a training run of `tools.steps`: milliseconds per step, the median of several runs."""

    model: str
    plain_ms: float
    watched_ms: float
    ratio: float  # watched_ms / plain_ms


def watch_costs(root: Path, runs: int = 3) -> list[WatchCost]:
    """Train each model of `tools.steps` by turns without and with `--watch`. Raises UserError if a run fails."""
    script = str(root / "tools" / "steps.py")
    commands = {"plain": [script], "watched": ["-m", "torch_errors", "--watch", script]}
    costs = []
    for model in MODELS:
        seconds: dict[str, list[float]] = {kind: [] for kind in commands}
        for _ in range(runs):
            for kind, command in commands.items():
                seconds[kind].append(float(_output(root, [*command, model])))
        plain, watched = (1000 * statistics.median(seconds[kind]) for kind in commands)
        costs.append(WatchCost(model, round(plain, 3), round(watched, 3), round(watched / plain, 2)))
    return costs


@dataclass(frozen=True)
class Benchmark:
    """Seconds of both modes of verification on this machine, with the same number of workers."""

    entries: int  # number of verified entries, without skipped ones
    scripts: int  # number of scripts that were run
    fork_s: float  # seconds with scripts forked from a process that has imported torch
    fresh_s: float  # seconds with a new interpreter for each script
    ratio: float  # fresh_s / fork_s
    limit_s: float  # lower bound: CPU seconds of the scripts / cores + one import of torch
    over_limit: float  # fork_s / limit_s


def benchmark(entries: Sequence[Entry], workers: int | None = None) -> Benchmark:
    """Verify `entries` in both modes. Raises UserError if an entry fails, since failed runs can't be compared."""
    import_s = _import_torch_seconds()
    fork_s, results = _timed("fork", entries, workers)
    fresh_s, _ = _timed("fresh", entries, workers)
    cores = workers or usable_cores()
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
            f"some entries fail ({mode}), so their times can't be compared: torch-errors verify {' '.join(failed)}"
        )
    return seconds, results


def _import_torch_seconds() -> float:
    """Return the seconds of the fastest of three imports of torch, each in a new interpreter."""
    command = [sys.executable, "-c", "import torch"]
    times = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(command, check=True, env=script_environment())
        times.append(time.perf_counter() - started)
    return min(times)


def verification_part(options: argparse.Namespace) -> dict[str, Any]:
    """Verify a sample of the entries in both modes; a new interpreter for every script would take an hour."""
    entries = [entry for entry in load_catalog() if not entry.requires][:: options.every]
    return dataclasses.asdict(benchmark(entries, options.workers))


def watch_part(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the cost of `--watch` for each model."""
    return {cost.model: dataclasses.asdict(cost) for cost in watch_costs(ROOT)}


def guide_part(options: argparse.Namespace) -> dict[str, Any]:
    """Measure catalog, `explain`, site and search of this guide, or of one with more copies of its entries."""
    with enlarged(options.copies) as catalog:
        return dataclasses.asdict(measure(catalog))


def suites_part(options: argparse.Namespace) -> dict[str, Any]:
    """Measure both test suites of this guide, or of one with more copies of its entries."""
    with enlarged(options.copies) as catalog:
        return {name: dataclasses.asdict(_suite(catalog.root, markers)) for name, markers in SUITES.items()}


@contextmanager
def enlarged(copies: int) -> Iterator[Catalog]:
    """Yield the catalog of this checkout, or of a temporary guide with each entry `copies` times."""
    catalog = load_catalog()
    if copies == 1:
        yield catalog
        return
    with tempfile.TemporaryDirectory(prefix="torch-errors-") as folder:
        yield enlarge(catalog, Path(folder).resolve() / "guide", copies)


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "watch": watch_part,
    "guide": guide_part,
    "verification": verification_part,
    "suites": suites_part,
}
# Parts measured only on request, because they take half an hour.
ON_REQUEST = {"suites"}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, action="append", help="measure only this part; may be repeated")
    parser.add_argument("--workers", type=int, metavar="N", help="scripts at a time (default: number of cores)")
    parser.add_argument("--every", type=int, default=40, metavar="N", help="verify every Nth entry (default: 40)")
    parser.add_argument("--copies", type=int, default=1, metavar="N", help="measure a guide with each entry N times")
    options = parser.parse_args(arguments)
    for part in options.part or [part for part in PARTS if part not in ON_REQUEST]:
        started = time.perf_counter()
        figures = PARTS[part](options)
        measured_in_s = round(time.perf_counter() - started, 1)
        print(json.dumps({"part": part, "measured_in_s": measured_in_s} | figures, indent=1), flush=True)


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"bench: {error}")
