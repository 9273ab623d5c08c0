"""What the commands share: tables and progress bars in the terminal, and arguments of the same form."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torch_errors.languages import LANGUAGES, from_locale

# Imported where they are used, for the sake of `explain`, which must answer at once and where nothing else works.
if TYPE_CHECKING:
    from rich.console import Console

    from torch_errors.catalog.entries import Catalog, Entry


def add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=LANGUAGES, default=from_locale(), help="language (default: of your locale)")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def named_entry(catalog: Catalog, id: str) -> Entry:
    """The entry that a user named, perhaps by what it was called."""
    entry = catalog.entry(id)
    if id != entry.id:
        now = f"{entry.category}/{entry.id}" if "/" in id else entry.id
        print(f"torch-errors: {id} is now called {now}", file=sys.stderr)
    return entry


def output() -> Console:
    """Standard output for tables and pages."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the program with status 1; `main` knows better."""
            raise BrokenPipeError

    return Output()


@contextmanager
def progress_bar(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, shown only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, all: bar.update(task, completed=done, total=all)
