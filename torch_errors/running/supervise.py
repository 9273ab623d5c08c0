"""Watching one running script: limits, and the end of everything that it started."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from torch_errors.running.report import Frame, Job, Limits, Raised, Report, Warned
from torch_errors.running.script import REPORT_FILE

OUTPUT_FILE = "output.txt"
# Seconds between two looks at memory and output; the end of the script is noticed at once.
LOOK_EVERY = 0.05
# Seconds that helper processes get to follow their parent, such as multiprocessing's resource tracker.
GRACE = 2.0


@contextmanager
def sandbox_folder() -> Iterator[Path]:
    """A folder for one run, removed with all that is in it."""
    # Not TemporaryDirectory: it would also be removed by a fork of this process that runs its exit handlers.
    folder = Path(tempfile.mkdtemp(prefix="torch-errors-")).resolve()
    try:
        for inner in ("work", "tmp", "home"):
            (folder / inner).mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def supervise(
    process: psutil.Process,
    job: Job,
    sandbox: Path,
    descendants: Callable[[], list[psutil.Process]],
    abandoned: Callable[[], bool] = lambda: False,
) -> Report:
    """Wait for `process` to end, or end it at a limit; then end its descendants and say what happened.

    `descendants` lists what the script has started and is still alive, also after the script itself is gone.
    `abandoned` says whether nobody waits for the report any more.
    """
    started = time.monotonic()
    status, limit = _wait(process, job.limits, sandbox / OUTPUT_FILE, descendants, abandoned)
    seconds = time.monotonic() - started
    left = [] if limit else _still_alive(descendants())
    names = [_name(child) for child in left]
    _end(([process] if limit else []) + descendants() + left)

    output = (sandbox / OUTPUT_FILE).read_bytes()[: job.limits.output_bytes].decode("utf-8", "replace")
    report_file = sandbox / REPORT_FILE
    seen = json.loads(report_file.read_text()) if report_file.exists() else {}
    raised = seen.get("raised")
    return Report(
        exit_status=None if limit else status,
        output=output,
        raised=raised and Raised(**raised | {"frames": [Frame(**frame) for frame in raised["frames"]]}),
        warned=[Warned(**warning) for warning in seen.get("warned", [])],
        refused=seen.get("refused", []),
        left_files=sorted(
            str(path.relative_to(sandbox))
            for folder in ("work", "tmp")
            for path in (sandbox / folder).rglob("*")
            if folder == "work" or not path.is_dir()
        ),
        left_processes=names,
        limit=limit,
        seconds=seconds,
        cpu_seconds=seen.get("cpu_seconds", 0.0),
    )


def _wait(
    process: psutil.Process,
    limits: Limits,
    output: Path,
    descendants: Callable[[], list[psutil.Process]],
    abandoned: Callable[[], bool],
) -> tuple[int | None, str | None]:
    """Exit status (negative: signal), and the limit that was reached, if one was."""
    deadline = time.monotonic() + limits.seconds
    while True:
        try:
            return process.wait(timeout=LOOK_EVERY), None
        except psutil.TimeoutExpired:
            pass
        if abandoned():
            return None, "was abandoned"
        if time.monotonic() > deadline:
            return None, f"ran longer than {limits.seconds:g} s"
        if output.stat().st_size > limits.output_bytes:
            return None, f"printed more than {limits.output_bytes} bytes"
        if sum(map(_resident_mib, {process, *descendants()})) > limits.memory_mib:
            return None, f"used more than {limits.memory_mib} MiB of memory"


def _resident_mib(process: psutil.Process) -> float:
    try:
        return process.memory_info().rss / 2**20
    except psutil.Error:
        return 0.0


def _still_alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    _, alive = psutil.wait_procs(processes, timeout=GRACE)
    return alive


def _name(process: psutil.Process) -> str:
    try:
        return f"{process.name()} (pid {process.pid})"
    except psutil.Error:
        return f"pid {process.pid}"


def _end(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(processes, timeout=GRACE)


def adopt_orphans() -> None:
    """Make this process the parent of all orphaned descendants (Linux), so that none escapes by a double fork."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, see prctl(2)
    except (OSError, AttributeError):  # another system: children that were not orphaned are still found
        pass


def children_of_this_process() -> list[psutil.Process]:
    return [child for child in psutil.Process(os.getpid()).children(recursive=True) if _is_running(child)]


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
