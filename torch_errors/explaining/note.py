"""A note on exceptions that the catalog knows, at the moment of failure: uncaught ones, in IPython, and in tests.

The note is added with `BaseException.add_note` (Python 3.11), which Python's own traceback printer shows below the
message. The exception itself, its traceback, and who handles it stay as they are. Until an exception is uncaught,
nothing happens here at all.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from torch_errors.errors import UserError

_MARK = "torch-errors: "
# How much is read of what Python prints of an exception.
LONGEST_LINE, MOST_LINES = 20_000, 2_000


def note_for(error: BaseException) -> str | None:
    """The note for an exception, None where the catalog does not know it. Never raises."""
    try:
        from torch_errors.catalog.locate import find_root
        from torch_errors.explaining.compiled import interface
        from torch_errors.explaining.explain import explain
        from torch_errors.languages import from_locale

        root, language = find_root(), from_locale()
        matches = explain(_printed(error), root, language)
        texts = interface(root, language)
    except Exception:  # a broken catalog must not hide the user's own error
        return None
    if not matches:
        return None
    best = matches[0]
    said = texts.word("{title}. {said}", title=best.entry.title, said=best.says or best.entry.summary)
    lines = [said.replace("`", "")]
    if best.frame:
        where = f"{os.path.basename(best.frame.file)}:{best.frame.line}"
        lines.append(texts.word("{label}: ", label=texts.word("your line")) + where)
    if best.fix:
        lines.append(texts.word("{label}: ", label=texts.word("smallest fix")) + best.fix.replace("`", ""))
    lines.append(f"torch-errors show {best.id}{_address(best.entry)}")
    return _MARK + f"\n{' ' * len(_MARK)}".join(lines)


def _address(entry: Any) -> str:
    """Where the page lies, when it lies on this machine."""
    from torch_errors.catalog.locate import find_root

    page = find_root() / "common-errors" / entry.category / entry.id / "README.md"
    return f"  ({page})" if page.is_file() else ""


def _printed(error: BaseException) -> str:
    """The exception and its causes as Python prints them; long messages are cut."""
    try:
        shown = traceback.TracebackException.from_exception(error, compact=True)
        return "".join(line[:LONGEST_LINE] for line in itertools.islice(shown.format(), MOST_LINES))
    except Exception:  # whose text fails
        return ""


def annotate(error: BaseException) -> None:
    """Add the note to an exception, once. Never raises."""
    try:
        if any(str(note).startswith(_MARK) for note in getattr(error, "__notes__", ())):
            return
        note = note_for(error)
        if note:
            error.add_note(note)
    except Exception:
        pass


def install() -> None:
    """From now on, add a note to every uncaught exception that the catalog knows.

    Wraps `sys.excepthook` and `threading.excepthook`; the hooks that were there before are called as before.
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


def run_script(
    argv: list[str],
    at_end: Callable[[], None] = lambda: None,
    before_traceback: Callable[[BaseException], None] = lambda error: None,
) -> int:
    """`python SCRIPT ARGUMENTS` with the note, the script left unchanged; its exit status.

    `at_end` is called when the script has ended, however it did, after its traceback was printed, `before_traceback`
    with an exception that ended it. Raises UserError where the script cannot be read.
    """
    from torch_errors.running.script import become_main, from_script_on

    # As Python makes `__file__`: only Windows takes `./` and `../` out.
    script = os.path.abspath(argv[0]) if os.name == "nt" else os.path.join(os.getcwd(), argv[0])
    try:
        source = Path(script).read_bytes()
    except OSError as error:
        raise UserError(f"{script}: cannot be read ({error.strerror})") from None
    main = become_main(script, argv)
    install()
    _end_stacks_at_the_script()
    try:
        exec(compile(source, script, "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        at_end()
        raise
    except BaseException as error:
        # As when it is run by hand: the traceback begins in the script.
        before_traceback(error)
        trace = from_script_on(error.__traceback__, script)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        at_end()
        if isinstance(error, KeyboardInterrupt) and os.name == "posix":
            # Python ends itself by the signal, so that a shell loop around it ends as well.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    at_end()
    return 0


def _end_stacks_at_the_script() -> None:
    """Leave what lies below the script out of stacks that `traceback` formats, such as those of anomaly mode.

    Python has no way to call code without the frames of the caller below it.
    """
    walk = traceback.walk_stack

    def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        # Not a generator: without a frame, `walk` counts Python's frames from here to the caller.
        return itertools.takewhile(lambda found: found[0].f_code is not run_script.__code__, walk(f))

    traceback.walk_stack = walk_stack


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext torch_errors`: the note in IPython and notebooks, also under `%run` and `ipython --ext`.

    It also registers `%torch_errors_watch`, which imports torch when it is used.
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
        """Name the faults of a training: `%torch_errors_watch` ... `%torch_errors_watch stop`, or `%%` for one cell."""
        if not watch:
            from torch_errors.watching.notebook import WatchMagic

            watch.append(WatchMagic(shell))
        watch[0](line, cell)

    shell.register_magic_function(torch_errors_watch, "line_cell")
