"""Supervises one running script: enforces its limits and ends all processes that it started."""

from __future__ import annotations

import json
import os
import select
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import psutil

from torch_errors.running.report import Job, Limits, Raised, Report, StackFrame, Warned
from torch_errors.running.sandbox import REPORT_FILE

OUTPUT_FILE = "output.txt"
# Seconds between two checks of the limits. The end of the script is noticed at once.
LOOK_EVERY = 0.05
# Minimum seconds between two searches for descendants. A search reads the state of every process on the machine, so the
# interval grows with the time that a search takes: at most SEARCH_SHARE of one core is spent on searching.
SEARCH_EVERY = 0.2
SEARCH_SHARE = 0.05
# Seconds that helper processes, such as multiprocessing's resource tracker, get to end after their parent.
GRACE = 2.0


class Running(Protocol):
    """A script that has been started."""

    @property
    def process(self) -> psutil.Process:
        """The script's own process."""

    def wait(self, seconds: float) -> int | None:
        """Wait at most `seconds` for the script to end. Return its exit status (-N for signal N), None if it runs."""

    def descendants(self) -> list[psutil.Process]:
        """Processes started by the script that are still alive, even if the script itself has ended."""

    def abandoned(self) -> bool:
        """Whether the report is no longer needed, because the process that asked for it has ended or disconnected."""


class ForkedScript:
    """A script in a forked child of this process (POSIX).

    This process must have called `adopt_orphans` and must supervise one script at a time, so that all its descendants
    belong to the script.

    connection: the socket that the report is sent to. If its other end is closed, the script is abandoned.
    parent: id of this process's parent. If it ends, the script is also abandoned.
    """

    def __init__(self, pid: int, connection: int, parent: int):
        self.process = psutil.Process(pid)
        self._connection = connection
        self._parent = parent
        self._status: int | None = None
        self._hung_up = False
        self._poll: select.poll | None = None
        self._pidfd = -1
        try:
            self._pidfd = os.pidfd_open(pid)
        except (AttributeError, OSError):  # macOS or Linux before 5.3: `_wait` uses psutil
            return
        self._poll = select.poll()
        self._poll.register(self._pidfd, select.POLLIN)
        self._poll.register(connection, select.POLLRDHUP)

    def wait(self, seconds: float) -> int | None:
        if self._status is None:
            self._status = self._wait(seconds)
        return self._status

    def _wait(self, seconds: float) -> int | None:
        if self._poll is None:
            with suppress(psutil.TimeoutExpired):
                return self.process.wait(seconds)
            return None
        ready = dict(self._poll.poll(seconds * 1000))
        if self._pidfd in ready:
            self._poll = None
            os.close(self._pidfd)
            return os.waitstatus_to_exitcode(os.waitpid(self.process.pid, 0)[1])
        if ready:
            self._hung_up = True
            self._poll.unregister(self._connection)
        return None

    def descendants(self) -> list[psutil.Process]:
        if self._status is not None and not _reap_orphans():
            return []
        below = psutil.Process(os.getpid()).children(recursive=True)
        return [child for child in below if child != self.process and _is_running(child)]

    def abandoned(self) -> bool:
        return self._hung_up or os.getppid() != self._parent


def _reap_orphans() -> bool:
    """Reap the children of this process that have ended. Return whether others are still running."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


@contextmanager
def sandbox_folder() -> Iterator[Path]:
    """Create the folder for one run, and remove it with its content at the end."""
    # TemporaryDirectory would also remove the folder when a fork of this process runs its exit handlers.
    folder = Path(tempfile.mkdtemp(prefix="torch-errors-")).resolve()
    try:
        for inner in ("work", "tmp", "home"):
            (folder / inner).mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def supervise(running: Running, job: Job, sandbox: Path) -> Report:
    """Wait for the script to end, or end it at a limit. Then end its descendants and return the report."""
    started = time.monotonic()
    status, limit = _wait(running, job.limits, sandbox / OUTPUT_FILE)
    seconds = time.monotonic() - started
    names: list[str] = []
    if limit:
        _end(running, [running.process, *running.descendants()])
    else:
        left = _still_alive(running)
        names = [_name(child) for child in left]
        if left:
            _end(running, left)

    report_file = sandbox / REPORT_FILE
    recorded = json.loads(report_file.read_text()) if report_file.exists() else {}
    output = (sandbox / OUTPUT_FILE).read_bytes()[: job.limits.output_bytes]
    start, end = recorded.get("then_bytes") or (len(output), len(output))
    raised = recorded.get("raised")
    return Report(
        exit_status=None if limit else status,
        output=(output[:start] + output[end:]).decode("utf-8", "replace"),
        raised=raised and Raised(**raised | {"frames": [StackFrame(**frame) for frame in raised["frames"]]}),
        warned=[Warned(**warning) for warning in recorded.get("warned", [])],
        refused=recorded.get("refused", []),
        left_files=sorted(
            str(path.relative_to(sandbox))
            for folder in ("work", "tmp")
            for path in (sandbox / folder).rglob("*")
            # Sockets in `tmp` don't count: a process of multiprocessing that is killed at the end leaves its socket.
            if folder == "work" or not (path.is_dir() or path.is_socket())
        ),
        left_processes=names,
        limit=limit,
        seconds=seconds,
        cpu_seconds=recorded.get("cpu_seconds", 0.0),
        then_output=output[start:end].decode("utf-8", "replace"),
        found=recorded.get("found", []),
        watch_failures=recorded.get("watch_failures", []),
    )


def _wait(running: Running, limits: Limits, output: Path) -> tuple[int | None, str | None]:
    """Wait for the script. Return its exit status (-N for signal N), or None and the limit that it reached."""
    clock = time.monotonic
    deadline = clock() + limits.seconds
    next_search = clock() + LOOK_EVERY
    below_mib = 0.0  # resident memory of the descendants at the last search
    while True:
        status = running.wait(LOOK_EVERY)
        if status is not None:
            return status, None
        if running.abandoned():
            return None, "was abandoned"
        if clock() > deadline:
            return None, f"ran longer than {limits.seconds:g} s"
        if output.stat().st_size > limits.output_bytes:
            return None, f"printed more than {limits.output_bytes} bytes"
        if clock() > next_search:
            search_start = clock()
            below_mib = sum(map(_resident_mib, running.descendants()))
            next_search = clock() + max(SEARCH_EVERY, (clock() - search_start) / SEARCH_SHARE)
        if _resident_mib(running.process) + below_mib > limits.memory_mib:
            return None, f"used more than {limits.memory_mib} MiB of memory"


def _resident_mib(process: psutil.Process) -> float:
    try:
        return process.memory_info().rss / 2**20
    except psutil.Error:
        return 0.0


def _still_alive(running: Running) -> list[psutil.Process]:
    """Processes that the script left running. Helper processes get GRACE seconds to end by themselves."""
    deadline = time.monotonic() + GRACE
    while alive := running.descendants():
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            break
        psutil.wait_procs(alive, timeout=seconds)
    return alive


def _end(running: Running, processes: list[psutil.Process]) -> None:
    """Kill the processes and everything they spawn in the meantime."""
    deadline = time.monotonic() + GRACE
    while processes and time.monotonic() < deadline:
        for process in processes:
            with suppress(psutil.Error):
                process.kill()
        if running.process in processes:
            running.wait(GRACE)
        psutil.wait_procs([process for process in processes if process != running.process], timeout=GRACE)
        processes = running.descendants()


def _name(process: psutil.Process) -> str:
    try:
        return f"{process.name()} (pid {process.pid})"
    except psutil.Error:
        return f"pid {process.pid}"


def adopt_orphans() -> None:
    """Make this process the parent of its orphaned descendants (Linux), so that none escapes by a double fork."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, see prctl(2)
    except (OSError, AttributeError):  # on other systems, only descendants that are not orphaned can be found
        pass


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
