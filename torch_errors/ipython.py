"""IPython and notebooks: the note below a traceback, and `%torch_errors_watch`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch_errors.explaining.note import annotate

if TYPE_CHECKING:
    from torch_errors.watching.session import Session

USAGE = "use %torch_errors_watch, %torch_errors_watch stop, or %%torch_errors_watch above a cell"


class WatchMagic:
    """The magic of one shell. At most one watch session runs at a time."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._watching: Session | None = None

    def __call__(self, line: str, cell: str | None = None) -> None:
        word = line.strip()
        if word not in ("", "stop") or (word and cell is not None):
            print(f"torch-errors: {word}: {USAGE}", file=sys.stderr)
        elif cell is not None:
            self._run(cell)
        elif word == "stop":
            self._stop()
        else:
            self._start()

    def _run(self, cell: str) -> None:
        """Run a cell while watching it."""
        alone = self._watching is None
        self._start()
        try:
            self._shell.run_cell(cell)
        finally:
            if alone:
                self._stop()

    def _start(self) -> None:
        """Start to watch, unless that has been done already."""
        if self._watching is None:
            from torch_errors.watching.watch import start

            self._watching = start(held=True, label=self._label)
            self._shell.events.register("post_run_cell", self._after_cell)

    def _stop(self) -> None:
        if self._watching is not None:
            self._shell.events.unregister("post_run_cell", self._after_cell)
            watching, self._watching = self._watching, None
            watching.finish()

    def _after_cell(self, result: Any = None) -> None:
        if self._watching is not None:
            self._watching.tell()

    def _label(self, file: str) -> str:
        """Return a label for a file: its name, or one such as `In[3]` if the file stands for a cell."""
        try:
            label, name = self._shell.compile.format_code_name(file)
        except (AttributeError, TypeError):  # raised if the file is not a cell's
            return os.path.basename(file)
        return str(name) if label == "Cell" else os.path.basename(file)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext torch_errors`: show the note in IPython and notebooks, also under `%run` and `ipython --ext`.

    Also registers `%torch_errors_watch`, which imports torch when it is used.
    """
    show = shell.showtraceback
    if getattr(show, "_torch_errors", False):
        return

    def showtraceback(exc_tuple: Any = None, *arguments: Any, **named: Any) -> Any:
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if isinstance(error, Exception):
            annotate(error)
        return show(exc_tuple, *arguments, **named)

    showtraceback._torch_errors = True  # type: ignore[attr-defined]
    shell.showtraceback = showtraceback
    watch: list[Callable[..., None]] = []

    def torch_errors_watch(line: str, cell: str | None = None) -> None:
        """Report faults of a training run: from `%torch_errors_watch` to `... stop`, or `%%...` for one cell."""
        if not watch:
            watch.append(WatchMagic(shell))
        watch[0](line, cell)

    shell.register_magic_function(torch_errors_watch, "line_cell")
