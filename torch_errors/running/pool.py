"""Runs jobs, several at a time, and returns their reports."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

import psutil

from torch_errors.catalog.fields import SYSTEMS
from torch_errors.errors import UserError
from torch_errors.running.report import Job, Report
from torch_errors.running.requirements import is_installed, require
from torch_errors.running.sandbox import environment
from torch_errors.running.supervise import OUTPUT_FILE, sandbox_folder, supervise

Mode = Literal["fork", "fresh"]

FORK_WORKS = sys.platform.startswith("linux")
# Stages of slow imports: for each stage, a pattern for the scripts that need it, and the modules that it imports. Each
# stage is forked from the one before. A pattern only affects speed, since a script imports what is missing by itself.
# Creating an optimizer imports torch._dynamo; so do computing on the meta device, fake tensors and torchvision.
STAGES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(""), ("torch",)),
    (re.compile(r"\b(optim|meta|fake_tensor|FakeTensorMode|torch\.compile|torchvision)\b"), ("torch._dynamo",)),
    (re.compile(r"\btorchvision\b"), ("torchvision", "torchvision.transforms.v2")),
)
# A script that changes `sys.path` runs in a stage in which only modules of torch have been imported.
SEARCH_PATH = re.compile(r"\bsys\.path\b")
LAST_OF_TORCH = 1
# Scripts that match start interpreters, which takes seconds.
LONG = re.compile(r"\b(spawn|subprocess|torchrun)\b")
# One thread per script, since scripts run in parallel and small tensors gain nothing from more threads.
THREADS = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MARK = "TORCH_ERRORS_RUN"
# Seconds that the import of torch may take. The first import reads gigabytes, perhaps from a slow disk.
PATIENCE = 300
PROBE = Path(__file__).with_name("probe.py")


@dataclass(frozen=True)
class Machine:
    """Versions and hardware that scripts find on this machine."""

    torch: str
    python: str
    system: str
    device: str  # name of the GPU, or CPU
    cuda: bool
    mps: bool
    xpu: bool
    posix: bool
    linux: bool
    windows: bool
    namespaces: bool
    compiler: bool
    multicore: bool

    def lacks(self, requirements: Sequence[str]) -> list[str]:
        """Return those of the `requires` of an entry that this machine lacks, or, for packages, this interpreter."""
        return [name for name in requirements if not (getattr(self, name) if name in SYSTEMS else is_installed(name))]


# Description -> environment variables with which kernels of PyTorch, oneDNN and MKL compute as on other processors.
KERNELS: dict[str, dict[str, str]] = {
    "no vector instructions": {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41"},
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "MKL for any processor": {"MKL_CBWR": "COMPATIBLE"},
    "MKL with AVX2": {"MKL_CBWR": "AVX2"},
}
# The settings that differ most from a new processor. They suffice to check messages, but not to check measures.
OLD_PROCESSOR = "neither AVX nor MKL for this processor"
OLD = KERNELS["no vector instructions"] | KERNELS["MKL for any processor"]


def usable_cores() -> int:
    """Number of processor cores that this process may use; `taskset` and containers can limit it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Runner:
    """Runs scripts, several at a time. Use as a context manager, which raises UserError if torch is not installed.

    mode: "fork" runs scripts in forks of a process that has imported torch once (Linux only), "fresh" in an interpreter
        for each script. Both give the same reports.
    workers: how many scripts run at a time, by default as many as there are cores to use.
    variables: environment variables for the scripts besides this process's own, such as an item of KERNELS.
    """

    def __init__(
        self, mode: Mode | None = None, workers: int | None = None, variables: Mapping[str, str] | None = None
    ):
        self._variables = dict(variables or {})
        self.mode: Mode = mode or ("fork" if FORK_WORKS else "fresh")
        self.workers = workers or usable_cores()
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="runner")
        self._zygotes: _Zygotes | None = None
        self._machine: Machine | None = None

    def __enter__(self) -> Runner:
        require("torch")
        if self.mode == "fork":
            if not FORK_WORKS:
                raise UserError("scripts cannot be forked on this system; use --fresh")
            self._zygotes = _Zygotes(script_environment() | self._variables)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._zygotes:
            self._zygotes.close()
        self._pool.shutdown(cancel_futures=True)

    def run(self, job: Job) -> Report:
        """Run one script and return its report."""
        return next(iter(self.run_all([job])))[1]

    def run_all(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Report]]:
        """Run all scripts. Yield jobs and reports in the order in which the scripts end."""
        if self._zygotes is None:
            ordered = sorted(jobs, key=lambda job: _plan(job.script)[1])  # long scripts first
            futures = {self._pool.submit(run_fresh, job, self._variables): job for job in ordered}
        else:
            futures = self._submit_forks(self._zygotes, jobs)
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()

    def _submit_forks(self, zygotes: _Zygotes, jobs: Sequence[Job]) -> dict[Future[Report], Job]:
        """Submit jobs of earlier stages first, while later stages are imported; within a stage, long scripts first."""
        plans = {job: _plan(job.script) for job in jobs}
        last = max((stage for stage, _ in plans.values()), default=0)
        ready: list[Future[None]] = [Future() for _ in range(last + 1)]
        ready[0].set_result(None)

        def grow() -> None:
            for stage in range(1, last + 1):
                try:
                    zygotes.grow(stage)
                except BaseException as error:
                    for waiting in ready[stage:]:
                        waiting.set_exception(error)
                    raise
                ready[stage].set_result(None)

        def run(job: Job, stage: int) -> Report:
            ready[stage].result()
            return zygotes.run(job, stage)

        if last:
            self._pool.submit(grow)
        ordered = sorted(jobs, key=lambda job: plans[job])
        return {self._pool.submit(run, job, plans[job][0]): job for job in ordered}

    def machine(self) -> Machine:
        """Determine, by running a script once, what scripts find on this machine. Raises UserError if torch fails."""
        if self._machine is None:
            report = self.run(Job(PROBE))
            if report.exit_status != 0:
                raise UserError(f"torch cannot be used with {sys.executable}:\n{report.output.strip()}")
            self._machine = Machine(**json.loads(report.output.splitlines()[-1]))
        return self._machine


class _Zygote:
    """A process that has imported the modules of a stage, and the workers that it forked."""

    def __init__(self, path: str):
        self.path = path
        self.idle: list[_Worker] = []


class _Worker:
    """A connection to a worker process, which runs one job at a time."""

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self._reader = connection.makefile("r", encoding="utf-8")

    def ask(self, message: dict[str, object]) -> str:
        """Send a message and return the answer, or an empty string if the worker ended without one."""
        try:
            self._connection.sendall(json.dumps(message).encode() + b"\n")
            return self._reader.readline()
        except ConnectionError:
            return ""

    def close(self) -> None:
        self._reader.close()
        self._connection.close()


class _Zygotes:
    """The zygotes of all stages, starting with the one that has only imported torch."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="torch-errors-")
        self._zygotes = [_Zygote(self._path())]
        self._lock, self._growing = threading.Lock(), threading.Lock()
        self._closed = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torch_errors.running.zygote", self._zygotes[0].path, *STAGES[0][1]],
            stdin=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )

    def _path(self) -> str:
        return os.path.join(self._folder.name, uuid.uuid4().hex[:8])

    def grow(self, stage: int) -> None:
        """Create the zygote of `stage` from a fork of the zygote before it, unless it exists."""
        with self._growing:
            if stage < len(self._zygotes):
                return
            modules = STAGES[stage][1]
            zygote = _Zygote(self._path())
            worker = self._connect(self._zygotes[stage - 1].path)
            try:
                if worker.ask({"grow": modules, "socket": zygote.path}) != "ready\n":
                    raise RuntimeError(f"the process that imported {', '.join(modules)} ended while importing them")
            finally:
                worker.close()
            self._zygotes.append(zygote)

    def run(self, job: Job, stage: int) -> Report:
        """Run a script in a fork of the zygote of this stage, which must exist."""
        zygote = self._zygotes[stage]
        with self._lock:
            worker = zygote.idle.pop() if zygote.idle else None
        worker = worker or self._connect(zygote.path)
        text = worker.ask(job.to_json())
        with self._lock:
            usable = bool(text) and not self._closed
            if usable:
                zygote.idle.append(worker)
        if not usable:
            worker.close()
        if not text:
            raise RuntimeError(f"{job.script}: the process that supervised it ended without a report")
        return Report.from_json(text)

    def _connect(self, path: str) -> _Worker:
        """Connect to a new worker of a zygote. Waits if the zygote is still importing; raises UserError if it fails."""
        deadline = time.monotonic() + PATIENCE
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                return _Worker(connection)
            except (FileNotFoundError, ConnectionRefusedError):
                connection.close()
            except OSError as error:  # such as a path that is too long for a socket
                connection.close()
                raise UserError(
                    f"{path}: {error.strerror or error}; set TMPDIR to a shorter path, or use --fresh"
                ) from None
            if time.monotonic() > deadline:
                raise UserError(f"importing torch with {sys.executable} took longer than {PATIENCE} s; try --fresh")
            if self._process.poll() is not None:
                raise UserError(
                    f"{sys.executable} ended with status {self._process.returncode} while importing torch; "
                    "try: python -c 'import torch'"
                )
            time.sleep(0.005)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle = [worker for zygote in self._zygotes for worker in zygote.idle]
        for worker in idle:
            worker.close()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def _plan(script: Path) -> tuple[int, bool]:
    """Return the stage that a script runs in, and whether the script is short. Jobs are sorted by this."""
    text = script.read_text(encoding="utf-8", errors="replace")
    stage = max(stage for stage, (pattern, _) in enumerate(STAGES) if pattern.search(text))
    if SEARCH_PATH.search(text):
        stage = min(stage, LAST_OF_TORCH)
    return stage, not LONG.search(text)


def script_environment() -> dict[str, str]:
    """Environment of the scripts: this process's own with one thread, without settings for Python's warnings."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONWARNINGS", "PYTHONSAFEPATH")}
    return kept | THREADS | {"PYTHONPATH": path}


_sweep = threading.Lock()


class _FreshScript:
    """A script that runs in its own interpreter."""

    def __init__(self, process: psutil.Popen, mark: str):
        self.process = process
        self._mark = mark

    def wait(self, seconds: float) -> int | None:
        with suppress(psutil.TimeoutExpired):
            return self.process.wait(timeout=seconds)
        return None

    def descendants(self) -> list[psutil.Process]:
        """Descendants of the script. After it has ended, all processes with its mark in their environment."""
        if self.process.is_running():
            with suppress(psutil.Error):
                return self.process.children(recursive=True)
        with _sweep:
            return [other for other in psutil.process_iter(["environ"]) if _carries(other, self._mark)]

    def abandoned(self) -> bool:
        return False


def run_fresh(job: Job, variables: Mapping[str, str] | None = None) -> Report:
    """Run one script in its own interpreter. `variables` are added to the environment of this process."""
    mark = uuid.uuid4().hex
    with sandbox_folder() as sandbox, open(sandbox / OUTPUT_FILE, "ab") as output:
        process = psutil.Popen(
            [sys.executable, "-m", "torch_errors.running.sandbox", str(sandbox), json.dumps(job.to_json())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=script_environment() | dict(variables or {}) | environment(sandbox) | {MARK: mark},
            start_new_session=True,
        )
        return supervise(_FreshScript(process, mark), job, sandbox)


def _carries(process: psutil.Process, mark: str) -> bool:
    return (process.info.get("environ") or {}).get(MARK) == mark
