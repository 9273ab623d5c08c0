"""Takes jobs, gives reports."""

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
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

import psutil

from torch_errors.errors import UserError
from torch_errors.running.report import Job, Report
from torch_errors.running.requirements import require
from torch_errors.running.script import environment
from torch_errors.running.supervise import OUTPUT_FILE, sandbox_folder, supervise

Mode = Literal["fork", "fresh"]

FORK_WORKS = sys.platform.startswith("linux")
# Modules that scripts take long to import, and the word in a script's text that tells that it will. Only a matter of
# speed: a script whose need is not seen here imports the module itself. Creating an optimizer imports torch._dynamo.
# Computing on the meta device or with fake tensors takes most of torch._dynamo as well.
SLOW_IMPORTS = {
    "torchvision": "torchvision",
    "optim": "torch._dynamo",
    "meta": "torch._dynamo",
    "fake_tensor": "torch._dynamo",
}
# One thread a script: they run side by side, and small tensors gain nothing from more.
THREADS = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MARK = "TORCH_ERRORS_RUN"
# Seconds that the import of torch may take; a slow disk reads gigabytes the first time.
PATIENCE = 300
PROBE = Path(__file__).with_name("probe.py")


@dataclass(frozen=True)
class Machine:
    """What scripts find on this machine."""

    torch: str
    python: str
    system: str
    device: str  # name of the GPU, or CPU
    cuda: bool
    mps: bool
    posix: bool

    def lacks(self, requirements: Sequence[str]) -> list[str]:
        """Those of `requires` that this machine does not have."""
        return [name for name in requirements if not getattr(self, name)]


class Runner:
    """Runs scripts, several at a time.

    mode "fork": children of a process that has imported torch once (Linux only);
    mode "fresh": an interpreter for each script. Both give the same reports.

    Use as a context manager. Raises UserError where torch is not installed.
    """

    def __init__(self, mode: Mode | None = None, workers: int | None = None):
        self.mode: Mode = mode or ("fork" if FORK_WORKS else "fresh")
        self.workers = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="runner")
        self._zygotes: _Zygotes | None = None

    def __enter__(self) -> Runner:
        require("torch")
        if self.mode == "fork":
            if not FORK_WORKS:
                raise UserError("scripts cannot be forked on this system; use --fresh")
            self._zygotes = _Zygotes()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._zygotes:
            self._zygotes.close()
        self._pool.shutdown(cancel_futures=True)

    def run(self, job: Job) -> Report:
        """Run one script to its end."""
        return next(iter(self.run_all([job])))[1]

    def run_all(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Report]]:
        """Run all scripts, in the order in which they end."""
        if self._zygotes is None:
            futures = {self._pool.submit(run_fresh, job): job for job in jobs}
        else:
            futures = self._submit_forks(self._zygotes, jobs)
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()

    def _submit_forks(self, zygotes: _Zygotes, jobs: Sequence[Job]) -> dict[Future[Report], Job]:
        """Scripts that need slow imports go last: those imports run beside the scripts that need none."""
        needs = {job: zygotes.missing(job) for job in jobs}
        modules = sorted(set().union(*needs.values()))
        grown = self._pool.submit(zygotes.grow, modules) if modules else None

        def run(job: Job, grow_first: bool) -> Report:
            if grow_first and grown is not None:
                grown.result()
            return zygotes.run(job)

        ordered = sorted(jobs, key=lambda job: bool(needs[job]))
        return {self._pool.submit(run, job, bool(needs[job])): job for job in ordered}

    def machine(self) -> Machine:
        """What the scripts find here, asked in the way that they are run."""
        report = self.run(Job(PROBE))
        if report.exit_status != 0:
            raise UserError(f"torch cannot be used with {sys.executable}:\n{report.output.strip()}")
        return Machine(**json.loads(report.output.splitlines()[-1]))


class _Zygotes:
    """The process that has imported torch, and the second one that has imported more."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="torch-errors-")
        self._paths = [self._path()]
        self._modules: list[set[str]] = [set()]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torch_errors.running.zygote", self._paths[0], "torch"],
            stdin=subprocess.PIPE,
            env=script_environment(),
            start_new_session=True,
        )

    def _path(self) -> str:
        return os.path.join(self._folder.name, uuid.uuid4().hex[:8])

    def missing(self, job: Job) -> set[str]:
        """Slow modules that the script imports and no zygote has."""
        return _slow_imports(job.script) - set().union(*self._modules)

    def grow(self, modules: Sequence[str]) -> None:
        """Let a fork of the first zygote import `modules` and take the scripts that need them."""
        path = self._path()
        with self._connect(self._paths[0]) as connection:
            connection.sendall(json.dumps({"grow": list(modules), "socket": path}).encode() + b"\n")
            if connection.recv(16) != b"ready\n":
                raise RuntimeError(f"importing {', '.join(modules)} ended the process that was to import them")
        self._paths.append(path)
        self._modules.append(set(modules))

    def run(self, job: Job) -> Report:
        needs = _slow_imports(job.script)
        at = max(range(len(self._paths)), key=lambda i: (len(needs & self._modules[i]), -i))
        with self._connect(self._paths[at]) as connection:
            connection.sendall(json.dumps(job.to_json()).encode() + b"\n")
            with connection.makefile("r") as reader:
                text = reader.read()
        if not text:
            raise RuntimeError(f"{job.script}: the process that watched it ended without a report")
        return Report.from_json(text)

    def _connect(self, path: str) -> socket.socket:
        """Connect, waiting for a zygote that is still importing."""
        deadline = time.monotonic() + PATIENCE
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                connection.close()
            except OSError as error:  # such as a path that is too long for a socket
                connection.close()
                raise UserError(
                    f"{path}: {error.strerror or error}; set TMPDIR to a shorter path, or --fresh"
                ) from None
            if time.monotonic() > deadline:
                raise UserError(f"importing torch took {sys.executable} longer than {PATIENCE} s; try --fresh")
            if self._process.poll() is not None:
                raise UserError(
                    f"importing torch ended {sys.executable} with status {self._process.returncode}; "
                    "try: python -c 'import torch'"
                )
            time.sleep(0.005)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def _slow_imports(script: Path) -> set[str]:
    text = script.read_text(encoding="utf-8", errors="replace")
    if "sys.path" in text:  # it decides itself where its modules come from
        return set()
    return {module for word, module in SLOW_IMPORTS.items() if re.search(rf"\b{word}\b", text)}


def script_environment() -> dict[str, str]:
    """The environment of the scripts: this one's, with one thread each and without settings of Python's warnings."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONWARNINGS", "PYTHONSAFEPATH")}
    return kept | THREADS | {"PYTHONPATH": path}


_sweep = threading.Lock()


def run_fresh(job: Job) -> Report:
    """Run one script in an interpreter of its own."""
    mark = uuid.uuid4().hex
    with sandbox_folder() as sandbox, open(sandbox / OUTPUT_FILE, "ab") as output:
        process = psutil.Popen(
            [sys.executable, "-m", "torch_errors.running.script", str(sandbox), json.dumps(job.to_json())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=script_environment() | environment(sandbox) | {MARK: mark},
            start_new_session=True,
        )

        def descendants() -> list[psutil.Process]:
            """The script's children; once it is gone, what carries its mark in its environment."""
            if process.is_running():
                try:
                    return process.children(recursive=True)
                except psutil.Error:
                    pass
            with _sweep:
                return [other for other in psutil.process_iter(["environ"]) if _carries(other, mark)]

        return supervise(process, job, sandbox, descendants)


def _carries(process: psutil.Process, mark: str) -> bool:
    return (process.info.get("environ") or {}).get(MARK) == mark
