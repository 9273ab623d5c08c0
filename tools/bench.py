"""What people wait for, measured by running the commands that they run; as JSON.

    python -m tools.bench                   # verification, --watch, explain, the site, its search
    python -m tools.bench --copies 5        # also of a guide with every entry five times
    python -m tools.bench --suites          # also both test suites

Needs a checkout with the packages of the tests and, for the search, a browser.
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.enlarge import enlarge
from tools.steps import MODELS
from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import CATALOG_FILE
from torch_errors.errors import UserError
from torch_errors.running.pool import Mode, Runner, script_environment
from torch_errors.verifying.verify import Result, verify

ROOT = Path(__file__).resolve().parents[1]
# Cold starts of `explain`, of which the fastest counts: what else runs only makes them slower.
STARTS = 10
# The two test suites: what `make test` and `make test-all` run behind the checks of style and types.
SUITES = {"test": ["-m", "not exhaustive"], "test_all": []}
PYTEST = ["-m", "pytest", "-q", "-n", "auto"]


@dataclass(frozen=True)
class Suite:
    """One run of a test suite."""

    seconds: float
    summary: str  # pytest's last line
    failed: list[str]  # tests by their functions, each with the number of its failures


@dataclass(frozen=True)
class Figures:
    """One guide. Times are in seconds, sizes in bytes."""

    entries: int
    catalog_bytes: int
    longest_row: int  # lines of the longest entry in catalog.yaml
    explain_s: float  # a cold `torch-errors explain` of a recorded traceback
    site_s: float  # both languages
    search: dict[str, Any]  # by language: requested before the first query, and for it; seconds to the first result
    suites: dict[str, Suite]


def measure(catalog: Catalog, suites: bool = False) -> Figures:
    """Measure the guide of `catalog`, and its test suites where `suites` is true.

    Raises UserError where a command fails, except for the tests: how many of them failed is part of the figures.
    """
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
        site_s=round(site_s, 1),
        search=search,
        suites={name: _suite(catalog.root, options) for name, options in SUITES.items()} if suites else {},
    )


def _explain_seconds(catalog: Catalog) -> float:
    recorded = next(entry.recording("broken") for entry in catalog if entry.kind == "exception")
    command = ["-m", "torch_errors", "explain", str(recorded)]
    _seconds(catalog.root, command)  # compiles the catalog
    return round(min(_seconds(catalog.root, command) for _ in range(STARTS)), 3)


def _suite(root: Path, options: Sequence[str]) -> Suite:
    started = time.perf_counter()
    done = _run(root, [*PYTEST, *options])
    seconds = time.perf_counter() - started
    lines = done.stdout.rstrip().splitlines() or [done.stderr.strip()]
    found = re.findall(r"(?m)^(?:FAILED|ERROR) ([^\[\s]+)", done.stdout)
    failed = [f"{name} ({found.count(name)})" for name in dict.fromkeys(found)]
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
    """Python with the package and the tests of the guide at `root`."""
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path, "LC_ALL": "C.UTF-8", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8")


@dataclass(frozen=True)
class WatchCost:
    """What `--watch` adds to a training of `tools.steps`; milliseconds a step, the median of the runs."""

    model: str
    plain_ms: float
    watched_ms: float
    ratio: float  # watched_ms / plain_ms


def watch_costs(root: Path, runs: int = 5) -> list[WatchCost]:
    """Train each model of `tools.steps` plainly and watched, in turn. Raises UserError where a training fails."""
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


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, metavar="N", help="scripts at a time (default: one a core)")
    parser.add_argument(
        "--copies", type=int, default=1, metavar="N", help="also measure a guide with every entry N times"
    )
    parser.add_argument("--suites", action="store_true", help="also run both test suites")
    options = parser.parse_args(arguments)
    catalog = load_catalog()
    verification = benchmark(list(catalog), options.workers)
    guides = [measure(catalog, options.suites)]
    if options.copies > 1:
        with tempfile.TemporaryDirectory(prefix="torch-errors-") as folder:
            larger = enlarge(catalog, Path(folder).resolve() / "guide", options.copies)
            guides.append(measure(larger, options.suites))
    found = {
        "verification": dataclasses.asdict(verification),
        "watch": [dataclasses.asdict(one) for one in watch_costs(ROOT)],
        "guides": [dataclasses.asdict(one) for one in guides],
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"bench: {error}")
