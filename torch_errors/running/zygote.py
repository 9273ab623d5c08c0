"""A process that has imported torch once and forks a child for each script. POSIX only.

    python -m torch_errors.running.zygote SOCKET MODULE...

It imports the modules, listens on the Unix socket, and forks for each connection. The fork reads one JSON message:

- a job: the fork becomes the supervisor of one more fork, which becomes the script; the answer is a report;
- `{"grow": [module, ...], "socket": path}`: the fork imports more modules and becomes a second zygote.

It ends when its standard input is closed, which happens at the latest when the process that started it ends.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import psutil

from torch_errors.running.report import Job
from torch_errors.running.script import run_as_main
from torch_errors.running.supervise import (
    OUTPUT_FILE,
    adopt_orphans,
    children_of_this_process,
    sandbox_folder,
    supervise,
)


def serve(path: str) -> NoReturn:
    """Fork for each connection to the socket at `path`, until standard input is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors answer on their connection; nobody waits for them
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        while True:
            ready, _, _ = select.select([listener.fileno(), 0], [], [])
            if 0 in ready:
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _answer(connection)
            connection.close()


def _answer(connection: socket.socket) -> NoReturn:
    """In the fork: do what the message asks for, answer, and end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    status = 1
    try:
        with connection.makefile("r") as reader:
            message = json.loads(reader.readline())
        if "grow" in message:
            import_all(message["grow"])
            listening = message["socket"]
            connection.sendall(b"ready\n")
            connection.close()
            serve(listening)
        connection.sendall(_run(Job.from_json(message)).encode())
        connection.close()
        status = 0
    except BaseException:
        # The other side sees the connection end without an answer, and this on standard error.
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    os._exit(status)


def _run(job: Job) -> str:
    """Run the job in a child of its own process group; the report as JSON."""
    adopt_orphans()
    zygote = os.getppid()
    with sandbox_folder() as sandbox:
        (sandbox / OUTPUT_FILE).touch()
        child = os.fork()
        if child == 0:
            _become_script(job, sandbox)
        report = supervise(
            psutil.Process(child), job, sandbox, children_of_this_process, lambda: os.getppid() != zygote
        )
    return report.to_json()


def _become_script(job: Job, sandbox: Path) -> NoReturn:
    try:
        os.setsid()
        output = os.open(sandbox / OUTPUT_FILE, os.O_WRONLY | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 256)  # the sockets of the zygote are no business of the script
        run_as_main(job, sandbox, forked=True)
    finally:
        os._exit(70)  # only reached when run_as_main itself failed


def import_all(modules: list[str]) -> None:
    """Import what can be imported; a script that needs the rest says so itself."""
    for module in modules:
        with suppress(ImportError):
            importlib.import_module(module)


def main() -> None:
    path, *modules = sys.argv[1:]
    import_all(modules)
    serve(path)


if __name__ == "__main__":
    main()
