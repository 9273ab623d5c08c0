"""What takes long and several test processes need is computed once in a run: the site, and what verification says.

Each is computed by a command in a process of its own, started when the tests begin and waited for where it is needed.
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
# The status of a command that did not end in time, as `timeout` has it.
LATE = 124
# The entries that held in this checkout; `make clean` removes it, `make test-all` doesn't look at it.
HELD = ROOT / ".held.json"


@dataclass(frozen=True)
class Done:
    """What a command returned and printed."""

    status: int
    output: str
    errors: str


@dataclass(frozen=True)
class Task:
    """A command to run once in a run of the tests; `prepare` makes its working directory."""

    name: str
    command: Sequence[str]
    prepare: Callable[[Path], Path] = lambda folder: ROOT


class Shared:
    """The results of tasks, in a folder that all processes of a run know."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Tests change their own environment later.
        python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._environment = os.environ | {
            "PYTHONPATH": python_path, "LC_ALL": "C.UTF-8", "NO_MKDOCS_2_WARNING": "1", "SITE_URL": "",
        }  # fmt: skip
        self._begun: list[threading.Thread] = []
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def start(self, task: Task) -> None:
        """Compute it in the background. A problem is told to who asks for the result."""
        self._begun.append(threading.Thread(target=self._quietly, args=[task], daemon=True))
        self._begun[-1].start()

    def _quietly(self, task: Task) -> None:
        with suppress(Exception):
            self.result(task)

    def result(self, task: Task) -> Done:
        """What the command returned; it is run unless it was, and waited for where it is running.

        Raises RuntimeError where it did not end in time, in every process that asks: it isn't tried again.
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
            if self._ended:  # what it printed is no result
                raise RuntimeError(f"{task.name} was ended with the tests")
        except subprocess.TimeoutExpired:
            return Done(LATE, "", "")
        finally:
            process.kill()
            self._running.discard(process)
        return Done(process.returncode, output, errors)

    def close(self) -> None:
        """Wait for what was begun here: another process may be waiting for it, too."""
        for thread in self._begun:
            thread.join()

    def end(self) -> None:
        """End what was begun here."""
        self._ended = True
        for process in list(self._running):
            process.terminate()
        self.close()


def site_task(folder: Path) -> Task:
    """`mkdocs build --strict`, as publishing calls it, into `folder`."""
    return Task("site", [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)])


def wheel_folder(shared: Shared) -> Path:
    """Where the wheel of a run lies, and the environment into which it is installed."""
    return shared.folder / "wheel"


def wheel_task(folder: Path) -> Task:
    """The package in an environment of its own, below `folder`."""
    return Task("wheel", [sys.executable, "-m", "tests.wheel", str(folder)])


def verification_task(seeds: int, page: str = "", options: Sequence[str] = ()) -> Task:
    """`torch-errors verify` for all entries and pages, or for one page with nothing running beside it.

    It verifies a copy of the guide, so that an editor that saves a file meanwhile breaks no promise.
    """
    name = f"verification {page.replace('/', ' ')}".strip()

    def copy(folder: Path) -> Path:
        left_out = shutil.ignore_patterns(".*", "__pycache__", "site", "dist")
        return Path(shutil.copytree(ROOT, folder / f"{name} of", ignore=left_out, dirs_exist_ok=True))

    command = [sys.executable, "-m", "torch_errors", "verify", "--json", "--seeds", str(seeds)]
    return Task(name, [*command, "--workers", "1", page] if page else [*command, *options], copy)
