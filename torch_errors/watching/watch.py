"""Watches a script, a block of code, or whatever this process does from now on."""

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
    """Start to watch this process and those that it spawns; the arguments are those of `Session`."""
    root, language = root or find_root(), language or from_locale()
    children = SpawnedRanks(language, debug, root)
    return Session(language, debug, out, root, held=held, label=label, children=children).start()


def run_watched(argv: list[str], *, strict: bool = False, json_file: Path | None = None, debug: bool = False) -> int:
    """`python SCRIPT ARGUMENTS`, watched; its exit status, or 3 where `strict` and something was found.

    Raises UserError where the script cannot be read or the file cannot be written.
    """
    if json_file and not json_file.resolve().parent.is_dir():
        raise UserError(f"{json_file}: its folder does not exist; --watch-json FILE writes the findings there")
    install()
    watching = start(debug=debug)
    # The half million objects of torch itself are none of the program's: detectors that look for its tensors need not
    # look through them.
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
    """Watch what the block does with torch, in this thread. Findings are printed on standard error; see `.findings`."""
    watching = start(language)
    try:
        yield watching
    except BaseException as error:
        hide_observer(error)
        raise
    finally:
        watching.finish()
