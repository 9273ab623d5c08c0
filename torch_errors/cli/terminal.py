"""Functions that the commands share: tables and progress bars in the terminal, and common arguments."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torch_errors.languages import LANGUAGES, from_locale

# At run time these are imported by the functions that need them: `explain` must start fast and work without them.
if TYPE_CHECKING:
    from rich.console import Console

    from torch_errors.catalog.entries import Catalog, Entry


def add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=LANGUAGES, default=from_locale(), help="language (default: from your locale)")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def named_entry(catalog: Catalog, id: str) -> Entry:
    """Return the entry with the id that a user gave, which may be a former id."""
    entry = catalog.entry(id)
    if id != entry.id:
        now = f"{entry.category}/{entry.id}" if "/" in id else entry.id
        print(f"torch-errors: {id} is now called {now}", file=sys.stderr)
    return entry


def output() -> Console:
    """Return a console on standard output, for tables and pages."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Let `main` handle the closed pipe; Rich would exit with status 1."""
            raise BrokenPipeError

    return Output()


@contextmanager
def paged(console: Console) -> Iterator[None]:
    """Show what is printed in the user's pager if it is printed on a terminal."""
    if not (console.is_terminal and sys.stdin.isatty()):
        yield
        return
    os.environ.setdefault("LESS", "-FRX")  # with colors, and no pager for what fits on the screen
    with console.pager(styles=True):
        yield


@contextmanager
def progress_bar(title: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error if it is a terminal; yields a function of the done and the total number."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, all: bar.update(task, completed=done, total=all)
