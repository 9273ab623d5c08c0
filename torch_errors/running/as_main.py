"""Be `python SCRIPT`: run a file as `__main__` in this process, as the interpreter would.

Imports only the standard library, since it shares the process with the script.
"""

from __future__ import annotations

import builtins
import itertools
import os
import signal
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType

from torch_errors.errors import UserError


def run_script(
    argv: list[str],
    at_end: Callable[[], None] = lambda: None,
    before_traceback: Callable[[BaseException], None] = lambda error: None,
) -> int:
    """Run `argv` as `python SCRIPT ARGUMENTS` would, in this process, and return the exit status.

    `before_traceback` is called with an uncaught exception before `sys.excepthook` prints it, `at_end` when the script
    has ended in any way. Raises UserError if the script cannot be read.
    """
    # As Python makes `__file__`: only Windows takes `./` and `../` out.
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


def become_main(file: str, argv: list[str]) -> types.ModuleType:
    """An empty `__main__` in place of this one, with `sys.argv` and `sys.path` as Python sets them for a script."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=file, __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv = argv
    sys.path[0] = os.path.dirname(os.path.realpath(file))
    return main


def from_script_on(trace: TracebackType | None, script: str) -> TracebackType | None:
    """The traceback without the frames of this module, as it is when the script is run by hand."""
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename != script:
        first = first.tb_next
    return first
