"""Computes results that take long and that several test processes need once per run: site, verification and wheel.

Each is computed by a command in a process of its own, which starts with the tests; tests that need it wait for it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 4800
# The status of a command that did not end in time, as in the command `timeout`.
LATE = 124
# The entries that held in this checkout. `make clean` removes the file, `make test-all` ignores it.
HELD = ROOT / ".held.json"


@dataclass(frozen=True)
class Done:
    """The exit status and output of a command."""

    status: int
    output: str
    errors: str


@dataclass(frozen=True)
class Task:
    """A command that runs once per run of the tests; `prepare` makes its working directory."""

    name: str
    command: Sequence[str]
    prepare: Callable[[Path], Path] = lambda folder: ROOT


class Shared:
    """The results of tasks, in a folder that all processes of a run use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Copied now, since tests change the environment.
        python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._environment = os.environ | {
            "PYTHONPATH": python_path, "LC_ALL": "C.UTF-8", "NO_MKDOCS_2_WARNING": "1", "SITE_URL": "",
        }  # fmt: skip
        self._begun: list[threading.Thread] = []
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def start(self, task: Task) -> None:
        """Run the task in the background. If it fails, `result` raises the error."""
        self._begun.append(threading.Thread(target=self._quietly, args=[task], daemon=True))
        self._begun[-1].start()

    def _quietly(self, task: Task) -> None:
        with suppress(Exception):
            self.result(task)

    def result(self, task: Task) -> Done:
        """The result of the command. Runs it, or waits for it if it is running already.

        Raises RuntimeError if it did not end in time, in every process that asks: it does not run again.
        """
        path = self.folder / f"{task.name}.json"
        with FileLock(f"{path}.lock"):
            if not path.exists():
                done = self._run(task)
                path.with_suffix(".part").write_text(json.dumps(asdict(done)), encoding="utf-8")
                path.with_suffix(".part").replace(path)
        done = Done(**json.loads(path.read_text(encoding="utf-8")))
        if done.status == LATE:
            raise RuntimeError(f"{task.name} did not end within {SECONDS} s")
        return done

    def _run(self, task: Task) -> Done:
        process = subprocess.Popen(
            task.command, cwd=task.prepare(self.folder), env=self._environment, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._running.add(process)
        try:
            if self._ended:
                process.terminate()
            output, errors = process.communicate(timeout=SECONDS)
            if self._ended:  # its output is incomplete
                raise RuntimeError(f"{task.name} was ended with the tests")
        except subprocess.TimeoutExpired:
            return Done(LATE, "", "")
        finally:
            process.kill()
            self._running.discard(process)
        return Done(process.returncode, output, errors)

    def close(self) -> None:
        """Wait for the tasks that were started here, for which other processes may be waiting."""
        for thread in self._begun:
            thread.join()

    def end(self) -> None:
        """End the tasks that were started here."""
        self._ended = True
        for process in list(self._running):
            process.terminate()
        self.close()


def site_task(folder: Path) -> Task:
    """`mkdocs build --strict`, as publishing calls it, into `folder`."""
    return Task("site", [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)])


def wheel_folder(shared: Shared) -> Path:
    """The folder of the wheel and of the environment into which it is installed."""
    return shared.folder / "wheel"


def wheel_task(folder: Path) -> Task:
    """Installation of the package into a virtual environment in `folder`."""
    return Task("wheel", [sys.executable, "-m", "tests.wheel", str(folder)])


def verification_task(seeds: int, page: str = "", options: Sequence[str] = ()) -> Task:
    """`torch-errors verify` for all entries and pages, or for one page with no other script running.

    It verifies a copy of the guide, so that changes in an editor meanwhile are no violation.
    """
    name = f"verification {page.replace('/', ' ')}".strip()

    def copy(folder: Path) -> Path:
        left_out = shutil.ignore_patterns(".*", "__pycache__", "site", "dist")
        return Path(shutil.copytree(ROOT, folder / f"{name} of", ignore=left_out, dirs_exist_ok=True))

    command = [sys.executable, "-m", "torch_errors", "verify", "--json", "--seeds", str(seeds)]
    return Task(name, [*command, "--workers", "1", page] if page else [*command, *options], copy)
