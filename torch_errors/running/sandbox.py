"""Runs inside the process that becomes the script: executes the file as `__main__` and reports what happened.

Used in a forked child (`run_as_main(..., forked=True)`), or as the main program of a fresh interpreter:

    python -m torch_errors.running.sandbox SANDBOX JOB_JSON

The sandbox is a folder with `work` (the working directory), `tmp`, `home` and `report.json` (written here).
"""

from __future__ import annotations

import ast
import atexit
import ipaddress
import json
import os
import sys
import tempfile
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NoReturn

from torch_errors.running.as_main import become_main, from_script_on
from torch_errors.running.report import Job, Raised, StackFrame, Warned

REPORT_FILE = "report.json"
SEEDING_CALLS = {"manual_seed", "seed", "default_rng"}
# Writing is allowed to devices and to shared memory, which DataLoader workers use.
WRITABLE = ("/dev/",)
LOOKUP_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
# Audit events of calls that change files -> for each changed path, the positions in the event's arguments of the path
# and of the folder's file descriptor that it is relative to, if any.
# See https://docs.python.org/3/library/audit_events.html
CHANGING_EVENTS: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
}

# If the path is a symbolic link, these calls change the link itself, not the file that it points to.
OF_LINKS = {"os.remove", "os.rename", "os.symlink"}


def run_as_main(job: Job, sandbox: Path, *, forked: bool) -> NoReturn:
    """Run `job.script` as `python script` would, write `report.json` into `sandbox`, and end the process."""
    started_cpu = _cpu_seconds()
    script = str(job.script)
    refused: list[str] = []
    warned: list[Warned] = []
    _enter(sandbox)
    _write_down_warnings(script, warned)
    sys.addaudithook(_guard(sandbox, refused))
    main = become_main(script, [script])

    observation = job.observer.load().start(job.observer.root) if job.observer else None
    status, raised = 0, None
    try:
        exec(compile_script(job.script, job.seed_offset), main.__dict__)
    except SystemExit as error:
        status = _exit_status(error.code)
    except BaseException as error:
        trace = from_script_on(error.__traceback__, script)
        raised = _describe(error, trace)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        status = 1
    entry_ids, failures = observation.finish() if observation else ([], [])
    before = len(warned)
    then_bytes = _run_then(job.then, main) if job.then is not None else None
    del warned[before:]  # warnings of `then` don't count as the script's
    # Do now what the interpreter does at exit, so that the report includes it. A fork then ends by `os._exit`, without
    # the slow teardown of modules.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    report = {
        "raised": None if raised is None else asdict(raised),
        "warned": [asdict(warning) for warning in warned],
        "refused": refused,
        "cpu_seconds": _cpu_seconds() - (started_cpu if forked else 0.0),
        "then_bytes": then_bytes,
        "found": entry_ids,
        "watch_failures": failures,
    }
    (sandbox / REPORT_FILE).write_text(json.dumps(report))
    _flush()
    if forked:
        os._exit(status)
    sys.exit(status)


def prepare_fork(job: Job) -> None:
    """Do the slow setup of the observer once, in the process that is about to fork."""
    if job.observer:
        job.observer.load().prepare(job.observer.root)


def _run_then(source: str, main: types.ModuleType) -> tuple[int, int]:
    """Run `source` in the script's namespace. Return start and end of what it prints, in bytes of the output file."""
    _flush()
    start = os.fstat(1).st_size
    try:
        exec(compile(source, "<then>", "exec", dont_inherit=True), main.__dict__)
    except BaseException:
        traceback.print_exc()
    _flush()
    return start, os.fstat(1).st_size


def compile_script(script: Path, seed_offset: int) -> CodeType:
    """Compile the script with `seed_offset` added to every constant seed, such as the 0 of `torch.manual_seed(0)`."""
    try:
        source = decode_source(script.read_bytes())
    except UnicodeDecodeError as error:  # the same error as Python's; ast.parse would accept such bytes in a comment
        raise SyntaxError(f"(unicode error) {error}") from None
    tree = ast.parse(source, filename=str(script))
    for seed in constant_seeds(tree):
        seed.value = int(seed.value) + seed_offset  # type: ignore[arg-type]
    return compile(tree, str(script), "exec", dont_inherit=True)


def constant_seeds(tree: ast.Module) -> list[ast.Constant]:
    """Seeds in calls such as `torch.manual_seed(0)`. Verification changes them to try other seeds."""
    return [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in SEEDING_CALLS
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, int)
    ]


def _enter(sandbox: Path) -> None:
    """Change to the working directory in the sandbox, and keep temporary files, caches and the like inside it."""
    os.chdir(sandbox / "work")
    tempfile.tempdir = None
    os.environ.update(environment(sandbox))
    sys.dont_write_bytecode = True
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def environment(sandbox: Path) -> dict[str, str]:
    """Environment variables that keep caches, temporary files and the like inside the sandbox."""
    home = str(sandbox / "home")
    return {
        "TMPDIR": str(sandbox / "tmp"),
        "TEMP": str(sandbox / "tmp"),
        "TMP": str(sandbox / "tmp"),
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CACHE_HOME": home,
        "TORCH_HOME": home,
        "TORCHINDUCTOR_CACHE_DIR": home,
        "TRITON_CACHE_DIR": home,
        "PYTHONDONTWRITEBYTECODE": "1",
        # For the processes that a script starts, so that all lines appear in the order in which they were printed.
        "PYTHONUNBUFFERED": "1",
        "NO_COLOR": "1",
    }


def _write_down_warnings(script: str, warned: list[Warned]) -> None:
    """Append every warning shown to `warned`, with the script's line that was running. It is still shown as usual."""
    show = warnings.showwarning

    def write_down(message, category, filename, lineno, file=None, line=None):  # type: ignore[no-untyped-def]
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != script:
            frame = frame.f_back  # type: ignore[assignment]
        warned.append(Warned(category.__name__, str(message), frame.f_lineno if frame is not None else None))
        show(message, category, filename, lineno, file, line)

    warnings.showwarning = write_down


def _guard(sandbox: Path, refused: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that refuses connections beyond this machine and writes outside the sandbox."""
    allowed = tuple(os.path.join(os.path.realpath(place), "") for place in (sandbox, *WRITABLE))
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def refuse(attempt: str) -> None:
        refused.append(attempt)
        raise PermissionError(f"refused by the runner of the catalog: {attempt}")

    def check_path(path: Any, event: str, folder: int = -1) -> None:
        if isinstance(path, int) or path is None:
            return
        name = os.fsdecode(path)
        if folder != -1:
            name = os.path.join(f"/proc/self/fd/{folder}", name)
        parent, last = os.path.split(name)
        if event in OF_LINKS and last not in ("", os.curdir, os.pardir):
            real = os.path.join(os.path.realpath(parent or os.curdir), last)
        else:
            real = os.path.realpath(name)
        if not (real + os.sep).startswith(allowed):
            refuse(f"{event} outside its own folder: {real}")

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if (flags or 0) & writing or (isinstance(mode, str) and set(mode) & set("wax+")):
                check_path(path, event)
        elif event in CHANGING_EVENTS:
            for path_at, folder_at in CHANGING_EVENTS[event]:
                check_path(arguments[path_at], event, -1 if folder_at is None else arguments[folder_at])
        elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            if isinstance(arguments[1], tuple) and not _is_loopback(arguments[1][0]):
                refuse(f"{event} to {arguments[1][0]}")
        elif event in LOOKUP_EVENTS and not (arguments[0] is None or _is_loopback(arguments[0])):
            refuse(f"{event} of {arguments[0]!r}")

    return guard


def _is_loopback(host: Any) -> bool:
    name = os.fsdecode(host)
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _describe(error: BaseException, trace: TracebackType | None) -> Raised:
    frames = []
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(StackFrame(code.co_filename, trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    # NumPy gives some of its exceptions a `__name__` other than what Python prints.
    name = type(error).__qualname__.rpartition(".")[2]
    return Raised(name, str(error), frames)


def _exit_status(code: Any) -> int:
    """Exit status of `sys.exit(code)`. As in Python, None is 0, and anything but a number is printed and gives 1."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _cpu_seconds() -> float:
    """CPU seconds of this process and of the children that it has waited for (except on Windows)."""
    try:
        import resource
    except ImportError:  # Windows, which doesn't report the time of children
        return time.process_time()
    # The resolution of os.times() is 0.01 s, which is too coarse: most scripts take 0.01 to 0.02 s.
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the script may have closed the stream
            stream.flush()


if __name__ == "__main__":
    run_as_main(Job.from_json(json.loads(sys.argv[2])), Path(sys.argv[1]), forked=False)
