"""Add a note with the catalog's explanation to an exception: uncaught exceptions, in IPython, and in tests.

The note is added with `BaseException.add_note` (Python 3.11), and Python prints it below the message. The exception
itself, its traceback and its handling do not change. As long as every exception is caught, no code here runs.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_errors.paste.frames import UserLine

_MARK = "torch-errors: "
# Entries outside of the category of installations that `torch-errors doctor` can narrow down.
OF_THE_DRIVER = ("cuda-unknown-error", "cudnn-failure")
# How much of a printed exception is read: characters of a line, and lines.
LONGEST_LINE, MOST_LINES = 20_000, 2_000


def note_for(error: BaseException) -> str | None:
    """Return the note for an exception, or None if no entry matches. Never raises."""
    try:
        from torch_errors.catalog.locate import find_root
        from torch_errors.explaining.answer import reasons_text
        from torch_errors.explaining.circumstances import running
        from torch_errors.explaining.compiled import interface
        from torch_errors.explaining.explain import explain
        from torch_errors.languages import from_locale

        root, language = find_root(), from_locale()
        matches = explain(_printed(error), root, language, running(error.__traceback__))
        texts = interface(root, language)
    except Exception:  # a broken catalog must not hide the user's own error
        return None
    if not matches:
        return None
    best = matches[0]
    explanation = texts.word("{title}. {said}", title=best.entry.title, said=best.says or best.entry.summary)
    lines = [explanation.replace("`", "")]
    if best.frame:
        where = f"{os.path.basename(best.frame.file)}:{best.frame.line}"
        lines.append(texts.word("{label}: ", label=texts.word("your line")) + where)
        values = _live_values(error, best.frame)
        if values:
            lines.append(texts.word("{label}: ", label=texts.word("in that line")) + "; ".join(values))
    if best.fix:
        lines.append(texts.word("{label}: ", label=texts.word("smallest fix")) + best.fix.replace("`", ""))
    lines += [f"  ({reason})" for reason in reasons_text(best, texts, live=True)]
    lines.append(f"torch-errors show {best.id}{_address(best.entry)}")
    if best.entry.category == "environment-setup" or best.id in OF_THE_DRIVER:
        lines.append(texts.word("To check this installation: {command}", command="torch-errors doctor"))
    return _MARK + f"\n{' ' * len(_MARK)}".join(lines)


def _live_values(error: BaseException, frame: UserLine) -> list[str]:
    """Return what the reader's line names, or nothing if that cannot be found out, for instance without memory."""
    try:
        from torch_errors.explaining.live_values import live_values

        return live_values(error, frame.file, frame.line)
    except Exception:
        return []


def _address(entry: Any) -> str:
    """Return the path of the entry's page, or an empty text if the page is not on this machine."""
    from torch_errors.catalog.locate import find_root

    page = find_root() / "common-errors" / entry.category / entry.id / "README.md"
    return f"  ({page})" if page.is_file() else ""


def _printed(error: BaseException) -> str:
    """Return the exception and its causes as Python prints them, with long messages cut."""
    try:
        shown = traceback.TracebackException.from_exception(error, compact=True)
        return "".join(line[:LONGEST_LINE] for line in itertools.islice(shown.format(), MOST_LINES))
    except Exception:  # the `__str__` of the exception itself may raise
        return ""


def annotate(error: BaseException) -> None:
    """Add the note to an exception unless it has one. Never raises."""
    try:
        if any(str(note).startswith(_MARK) for note in getattr(error, "__notes__", ())):
            return
        note = note_for(error)
        if note:
            error.add_note(note)
    except Exception:
        pass


def install() -> None:
    """From now on, add a note to every uncaught exception that matches an entry of the catalog.

    Wraps `sys.excepthook` and `threading.excepthook`. The previous hooks are still called.
    """
    if getattr(sys.excepthook, "_torch_errors", False):
        return
    previous, previous_in_threads = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        annotate(error)
        previous(kind, error, trace)

    def hook_in_threads(arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            annotate(arguments.exc_value)
        previous_in_threads(arguments)

    hook._torch_errors = True  # type: ignore[attr-defined]
    sys.excepthook, threading.excepthook = hook, hook_in_threads
