"""A process that imports torch once, so that scripts can be run in forks of it. POSIX only.

    python -m torch_errors.running.zygote SOCKET MODULE...

It imports the modules, listens on the Unix socket, and forks a worker for each connection. A worker reads messages, one
line of JSON each, until the connection is closed:

- a job: the worker forks a child that becomes the script, supervises it, and answers with the report in one line;
- `{"grow": [module, ...], "socket": path}`: the worker imports more modules and becomes a second zygote.

The zygote ends when its standard input is closed, at the latest when the process that started it ends. A run takes
0.033 s; with the forkserver of the standard library's `multiprocessing`, it took 0.047 s.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from torch_errors.running.report import Job
from torch_errors.running.sandbox import prepare_fork, run_as_main
from torch_errors.running.supervise import OUTPUT_FILE, ForkedScript, adopt_orphans, sandbox_folder, supervise

# Exit handlers of the standard library that a script relies on if it uses these modules. Oldest first.
KEPT_HANDLERS = (("logging", "shutdown"), ("multiprocessing.util", "_exit_function"))

# Seconds that a zygote waits for its workers before it exits.
PATIENCE = 0.5
HUGE_PAGE = 2**21
MADV_COLLAPSE = 25  # see madvise(2)


def serve(path: str) -> NoReturn:
    """Fork a worker for each connection to the socket at `path`, until standard input is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # reaps workers that end, since `serve` doesn't wait for them
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        while True:
            ready, _, _ = select.select([listener.fileno(), 0], [], [])
            if 0 in ready:
                _await_workers()
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _work(connection)
            connection.close()


def _await_workers() -> None:
    """Wait until idle workers have ended, so that they don't become orphans. Busy workers notice the end themselves."""
    deadline = time.monotonic() + PATIENCE
    with suppress(ChildProcessError):
        while time.monotonic() < deadline and os.waitpid(-1, os.WNOHANG) == (0, 0):
            time.sleep(0.002)


def _work(connection: socket.socket) -> NoReturn:
    """Runs in the fork: handle messages until the connection is closed, then exit."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    status, listening = 1, None
    try:
        adopt_orphans()
        zygote = os.getppid()
        with connection.makefile("r") as reader:
            for line in reader:
                message = json.loads(line)
                if "grow" in message:
                    import_all(message["grow"], Path(message["socket"]).parent)
                    _use_huge_pages()  # not done in the first zygote, since no script can run until it listens
                    listening = message["socket"]
                    connection.sendall(b"ready\n")
                    break
                report = _run(Job.from_json(message), connection, zygote)
                connection.sendall(report.encode() + b"\n")
        connection.close()
        if listening:
            serve(listening)
        status = 0
    except (BrokenPipeError, ConnectionResetError):  # the other side no longer waits for the report
        pass
    except BaseException:
        # The other side sees the connection close without an answer; this prints the reason to standard error.
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    os._exit(status)


def _run(job: Job, connection: socket.socket, zygote: int) -> str:
    """Run the job in a forked child with its own session. Return the report as JSON."""
    with sandbox_folder() as sandbox:
        (sandbox / OUTPUT_FILE).touch()
        prepare_fork(job)
        child = os.fork()
        if child == 0:
            _become_script(job, sandbox)
        return supervise(ForkedScript(child, connection.fileno(), zygote), job, sandbox).to_json()


def _become_script(job: Job, sandbox: Path) -> NoReturn:
    try:
        os.setsid()
        output = os.open(sandbox / OUTPUT_FILE, os.O_WRONLY | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 256)  # close the sockets of the zygote
        run_as_main(job, sandbox, forked=True)
    finally:
        os._exit(70)  # only reached if run_as_main itself failed


def import_all(modules: list[str], folder: Path) -> None:
    """Import the modules and prepare this process to be forked. Temporary files of the imports go to `folder`.

    Modules that can't be imported are skipped: a script that needs them will raise the error itself.
    """
    gc.disable()  # faster, and imports leave little garbage
    tempfile.tempdir = str(folder)
    for module in modules:
        with suppress(ImportError):
            importlib.import_module(module)
    tempfile.tempdir = None
    _forget_exit_handlers()
    # Without `freeze`, a garbage collection in a script would visit, and so copy, every object of torch, which takes
    # 0.1 s per script. With `collect`, a script's first full collection comes as late as in a fresh interpreter.
    gc.collect()
    gc.freeze()
    gc.enable()


def _forget_exit_handlers() -> None:
    """Unregister exit handlers that the imports registered, so that forked scripts run only their own."""
    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        finalizer.atexit = False
    atexit._clear()
    for module, handler in KEPT_HANDLERS:
        if module in sys.modules:
            atexit.register(getattr(sys.modules[module], handler))
    # The first finalizer of an interpreter registers this handler, and later ones would not do it again.
    atexit.register(weakref.finalize._exitfunc)  # type: ignore[attr-defined]


def _use_huge_pages() -> None:
    """Move this process's memory to huge pages, which makes forking and ending a script twice as fast.

    There are then only hundreds of page table entries to copy and free, not a hundred thousand. Needs Linux 6.1 and
    does nothing on other systems.
    """
    try:
        import ctypes

        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        mappings = Path("/proc/self/maps").read_text().splitlines()
    except (OSError, AttributeError):
        return
    for mapping in mappings:
        addresses, access, *_, name = (*mapping.split(maxsplit=5), "")[:6]
        if access == "rw-p" and name in ("", "[heap]"):
            start, end = (int(address, 16) for address in addresses.split("-"))
            start = -(-start // HUGE_PAGE) * HUGE_PAGE
            size = (end - start) // HUGE_PAGE * HUGE_PAGE
            if size > 0:
                madvise(start, size, MADV_COLLAPSE)  # errors are ignored: the memory then stays in small pages


def main() -> None:
    path, *modules = sys.argv[1:]
    import_all(modules, Path(path).parent)
    serve(path)


if __name__ == "__main__":
    main()
