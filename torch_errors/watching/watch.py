"""Entry points of watching: a script, a block of code, or everything that this process does from now on."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TextIO

from torch_errors.catalog.locate import find_root
from torch_errors.errors import UserError
from torch_errors.explaining.note import install
from torch_errors.languages import from_locale
from torch_errors.running.as_main import run_script
from torch_errors.watching.children import SpawnedRanks
from torch_errors.watching.detector import Checking
from torch_errors.watching.loading import detector_ids
from torch_errors.watching.observer import Stopped, hide_observer
from torch_errors.watching.session import Report, Session, Settings

FOUND = 3  # exit status of --watch-strict


def start(
    language: str | None = None,
    debug: bool = False,
    out: TextIO | None = None,
    root: Path | None = None,
    held: bool = False,
    label: Callable[[str], str] = os.path.basename,
    stop_after: int | None = None,
    ignore: Collection[str] = (),
    report: Report = "print",
    record: bool = False,
    checking: Checking = "no",
) -> Session:
    """Start watching this process and the processes that it spawns. For the arguments, see `Settings` and `Session`.

    Raises UserError if `stop_after` is below 1 or an id in `ignore` has no detector.
    """
    root = root or find_root()
    if stop_after is not None and stop_after < 1:
        raise UserError(f"{stop_after} optimizer steps: a run can only be stopped after 1 step or more")
    _check_ids(ignore, root)
    settings = Settings(language or from_locale(), root, debug, stop_after, frozenset(ignore), report, record)
    session = Session(settings, out, held=held, label=label, children=SpawnedRanks(settings))
    session.run.checking = checking
    return session.start()


def _check_ids(ids: Collection[str], root: Path) -> None:
    """Raise UserError if an id is not that of an entry with a detector."""
    known = detector_ids(root)
    for id in ids:
        if id not in known:
            near = get_close_matches(id, known, n=1)
            hint = (
                f"did you mean {near[0]}?" if near else "those that can be ignored are listed on the page watch-a-run"
            )
            raise UserError(f"{id!r} cannot be ignored, since no detector has this id; {hint}")


def run_watched(
    argv: list[str],
    *,
    strict: bool = False,
    json_file: Path | None = None,
    debug: bool = False,
    checking: Checking = "no",
    stop_after: int | None = None,
    ignore: Collection[str] = (),
    html_file: Path | None = None,
) -> int:
    """Run `python SCRIPT ARGUMENTS` watched. Return its exit status, or 3 if `strict` is set and it has findings.

    With `checking`, look closely at the batch of the first training step, and end the program after it or go on. After
    `stop_after` optimizer steps the program is ended, as by `sys.exit()`. Findings of the ids in `ignore` are
    suppressed. `html_file` gets a report to look at, `json_file` the same for programs. Raises UserError if the script
    cannot be read, the folder of such a file does not exist, `stop_after` is below 1 or an id in `ignore` has no
    detector.
    """
    # The script may change the working directory.
    files = [file.resolve() if file else None for file in (json_file, html_file)]
    for file in files:
        if file and not file.parent.is_dir():
            raise UserError(f"{file}: its folder does not exist; --watch-json and --watch-html write a file there")
    install()
    watching = start(debug=debug, stop_after=stop_after, ignore=ignore, record=any(files), checking=checking)
    # Some detectors search all objects for the program's tensors. This excludes the half million objects that the
    # import of torch created.
    gc.freeze()

    def finish() -> None:
        gc.unfreeze()
        watching.finish()
        if not watching.run.post.reports:
            return
        if files[0]:
            watching.write_json(files[0])
        if files[1]:
            watching.write_html(files[1], os.path.basename(argv[0]))

    try:
        status = run_script(argv, at_end=finish, before_traceback=hide_observer)
    except SystemExit as error:
        if error.code or not (strict and watching.found):
            raise
        return FOUND
    return status or (FOUND if strict and watching.found else 0)


@contextmanager
def watch(
    language: str | None = None,
    *,
    stop_after: int | None = None,
    ignore: Collection[str] = (),
    report: Report = "print",
    html: str | Path | None = None,
) -> Iterator[Session]:
    """Watch what the block does with torch in this thread. Findings are printed to standard error; see `.findings`.

    `report`: `"warnings"` for a `WatchWarning` per finding instead, at the line of the program, or `"logging"` for
    records of the logger `torch_errors` (findings are warnings, the summary is information). `html`: file that gets a
    report to look at.

    After `stop_after` optimizer steps the block ends, and the program continues below it. Findings of the ids in
    `ignore` are suppressed, like those of a line with the comment `# torch-errors: ignore ID`.
    """
    watching = start(language, stop_after=stop_after, ignore=ignore, report=report, record=html is not None)
    try:
        yield watching
    except Stopped:
        pass
    except BaseException as error:
        hide_observer(error)
        raise
    finally:
        watching.finish()
        if html is not None and watching.run.post.reports:
            watching.write_html(Path(html))
