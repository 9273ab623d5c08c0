"""Runs a file as `__main__` in this process, as `python SCRIPT` would.

Imports only the standard library, since it shares the process with the script.
"""

from __future__ import annotations

import atexit
import builtins
import itertools
import os
import signal
import sys
import threading
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType

from torch_errors.errors import UserError


def run_script(
    argv: list[str],
    at_end: Callable[[], None] = lambda: None,
    before_traceback: Callable[[BaseException], None] = lambda error: None,
) -> int:
    """Run `argv` as `python SCRIPT ARGUMENTS` would, in this process, and return the exit status.

    `before_traceback` is called with an uncaught exception before `sys.excepthook` prints it. `at_end` is called when
    the script has ended, whether or not it raised. Raises UserError if the script cannot be read.
    """
    # The same path as Python's `__file__`, from which `./` and `../` are removed only on Windows.
    script = os.path.abspath(argv[0]) if os.name == "nt" else os.path.join(os.getcwd(), argv[0])
    try:
        source = Path(script).read_bytes()
    except OSError as error:
        raise UserError(f"{script}: cannot be read ({error.strerror})") from None
    main = become_main(script, argv)
    _end_stacks_at_the_script()
    try:
        exec(compile(source, script, "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        at_end()
        raise
    except BaseException as error:
        # The traceback starts in the script, as it does if the script is run by hand.
        before_traceback(error)
        trace = from_script_on(error.__traceback__, script)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        at_end()
        if isinstance(error, KeyboardInterrupt) and os.name == "posix":
            _finish()
            # Like Python, end the process by the signal, so that a shell loop around it also stops.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    at_end()
    return 0


def _finish() -> None:
    """Do what Python does before it ends: wait for threads, call exit handlers, and write what is buffered."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the program may have closed it
            stream.flush()


def _end_stacks_at_the_script() -> None:
    """Hide the frames below the script from stacks formatted by `traceback`, for instance in anomaly mode.

    Python has no way to run code without the frames of its caller.
    """
    walk = traceback.walk_stack

    def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        # Must not be a generator: if `f` is None, `walk` skips a fixed number of frames between here and the caller.
        return itertools.takewhile(lambda level: level[0].f_code is not run_script.__code__, walk(f))

    traceback.walk_stack = walk_stack


def become_main(file: str, argv: list[str]) -> types.ModuleType:
    """Replace `__main__` with an empty module, and set `sys.argv` and `sys.path` as Python does for a script."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=file, __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv = argv
    sys.path[0] = os.path.dirname(os.path.realpath(file))
    return main


def from_script_on(trace: TracebackType | None, script: str) -> TracebackType | None:
    """Return the traceback from the first frame in `script` on, as it looks if the script is run by hand."""
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename != script:
        first = first.tb_next
    return first
