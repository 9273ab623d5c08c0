"""Entry points of watching: a script, a block of code, or everything that this process does from now on."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from torch_errors.catalog.locate import find_root
from torch_errors.errors import UserError
from torch_errors.explaining.note import install
from torch_errors.languages import from_locale
from torch_errors.running.as_main import run_script
from torch_errors.watching.children import SpawnedRanks
from torch_errors.watching.observer import hide_observer
from torch_errors.watching.session import Session

FOUND = 3  # exit status of --watch-strict


def start(
    language: str | None = None,
    debug: bool = False,
    out: TextIO | None = None,
    root: Path | None = None,
    held: bool = False,
    label: Callable[[str], str] = os.path.basename,
) -> Session:
    """Start watching this process and the processes that it spawns. For the arguments, see `Session`."""
    root, language = root or find_root(), language or from_locale()
    children = SpawnedRanks(language, debug, root)
    return Session(language, debug, out, root, held=held, label=label, children=children).start()


def run_watched(argv: list[str], *, strict: bool = False, json_file: Path | None = None, debug: bool = False) -> int:
    """Run `python SCRIPT ARGUMENTS` watched. Return its exit status, or 3 if `strict` is set and it has findings.

    Raises UserError if the script cannot be read or the folder of `json_file` does not exist.
    """
    if json_file and not json_file.resolve().parent.is_dir():
        raise UserError(f"{json_file}: its folder does not exist; --watch-json FILE writes the findings there")
    install()
    watching = start(debug=debug)
    # Some detectors search all objects for the program's tensors. This excludes the half million objects that the
    # import of torch created.
    gc.freeze()

    def finish() -> None:
        gc.unfreeze()
        watching.finish()
        if json_file and watching.run.post.reports:
            watching.write_json(json_file)

    try:
        status = run_script(argv, at_end=finish, before_traceback=hide_observer)
    except SystemExit as error:
        if error.code or not (strict and watching.found):
            raise
        return FOUND
    return status or (FOUND if strict and watching.found else 0)


@contextmanager
def watch(language: str | None = None) -> Iterator[Session]:
    """Watch what the block does with torch in this thread. Findings are printed to standard error; see `.findings`."""
    watching = start(language)
    try:
        yield watching
    except BaseException as error:
        hide_observer(error)
        raise
    finally:
        watching.finish()
