"""Runs programs in forks of a process that has imported torch: a new interpreter would take 3 s."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from torch_errors.running.pool import FORK_WORKS

CONTEXT: Any = multiprocessing.get_context("forkserver" if FORK_WORKS else "spawn")
if FORK_WORKS:
    CONTEXT.set_forkserver_preload(["torch._dynamo"])


class Started:
    """A running `python ARGUMENTS`, where ARGUMENTS start with a script, or with `-m` and a module."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self._arguments = arguments
        self._folder = tempfile.TemporaryDirectory()
        self._printed = [Path(self._folder.name, name) for name in ("stdout", "stderr")]
        self._process = CONTEXT.Process(target=_become, args=(arguments, environment, self._printed))
        self._process.start()

    def wait(self) -> subprocess.CompletedProcess[str]:
        """Its output and exit status. It is killed if it does not end in time."""
        self._process.join(120)
        self._process.kill()
        self._process.join()
        with self._folder:
            printed = [path.read_text(encoding="utf-8") for path in self._printed]
        return subprocess.CompletedProcess(self._arguments, self._process.exitcode, *printed)


def _become(arguments: tuple[str, ...], environment: dict[str, str], printed: list[Path]) -> None:
    os.environ |= environment
    for number, path in enumerate(printed, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    if arguments[0] == "-m":
        sys.argv = list(arguments[1:])
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(arguments)
        runpy.run_path(arguments[0], run_name="__main__")
