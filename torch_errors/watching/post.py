"""What the processes of one run tell each other: a file for each of them in a temporary folder, a line a message.

Used by the ranks of one machine and by forked workers of a DataLoader. No network, no locks: each process only appends
to its own file, and a process that dies leaves its last message behind.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# How long the rank that reports waits at the end for the others, and the pause between two looks.
LONGEST_WAIT_S, PAUSE_S = 1.0, 0.02
RANK, WORKER = "rank", "worker"
# `rank` or `worker`, the rank that it comes from, and what it says.
Message = tuple[str, int, dict[str, Any]]
# A program may watch several times: each rank watches as often as the others.
_times = itertools.count()


@dataclass
class Post:
    """One process's place among the processes of the run."""

    rank: int = 0
    ranks: Sequence[int] = (0,)  # of this machine; the first of them reports
    size: int = 1  # ranks of the run, on all machines
    folder: Path | None = None  # None: made when it is needed
    owned: bool = True  # whether this run removes the folder; otherwise, who started it does

    process: int = field(default_factory=os.getpid)
    ended: dict[int, set[str]] = field(default_factory=dict)  # rank -> the findings that it has printed
    _processes: dict[int, int] = field(default_factory=dict)  # rank -> its process
    _read: dict[str, int] = field(default_factory=dict)  # file -> how many bytes of it

    @staticmethod
    def of_this_rank(environment: Mapping[str, str]) -> Post:
        """By the variables that torchrun sets; alone where there are none."""
        try:
            rank, size = int(environment["RANK"]), int(environment["WORLD_SIZE"])
            local, count = int(environment.get("LOCAL_RANK", rank)), int(environment.get("LOCAL_WORLD_SIZE", size))
        except (KeyError, ValueError):
            return Post()
        if count < 2:
            return Post(rank, (rank,), size)
        names = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT")
        key = [environment.get(name, "") for name in names]
        # The ranks of a machine have one parent, which distinguishes runs with the same variables.
        key += [str(os.getppid()), str(next(_times))]
        name = hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]
        return Post(rank, range(rank - local, rank - local + count), size, _private(f"torch-errors-watch-{name}"))

    @property
    def reports(self) -> bool:
        """Whether this rank prints what all ranks of the machine find."""
        return self.rank == self.ranks[0]

    @property
    def is_worker(self) -> bool:
        """Whether this is a fork of the process that began to watch."""
        return os.getpid() != self.process

    def open(self) -> None:
        """Make the folder, if there is none: before workers are forked, which write into it."""
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="torch-errors-watch-"))
        if not self.is_worker and len(self.ranks) > 1:
            self.send(process=self.process)

    def send(self, **message: Any) -> None:
        """Append a message to the file of this process. Nothing where that is not possible: the run goes on."""
        if self.folder is None:
            return
        name = f"{WORKER if self.is_worker else RANK}-{self.rank}"
        with suppress(OSError):
            file = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, json.dumps(message).encode() + b"\n")
            finally:
                os.close(file)

    def receive(self) -> Iterator[Message]:
        """Messages of the other ranks and of this rank's workers since the last call."""
        if self.folder is None:
            return
        for kind, rank in [*((RANK, rank) for rank in self.ranks if rank != self.rank), (WORKER, self.rank)]:
            name = f"{kind}-{rank}"
            try:
                with open(self.folder / name, "rb") as file:
                    file.seek(self._read.get(name, 0))
                    text = file.read()
            except OSError:
                continue
            whole = text[: text.rfind(b"\n") + 1]
            self._read[name] = self._read.get(name, 0) + len(whole)
            for line in whole.splitlines():
                message = json.loads(line)
                self._note(kind, rank, message)
                yield kind, rank, message

    def _note(self, kind: str, rank: int, message: Mapping[str, Any]) -> None:
        if kind == RANK and "process" in message:
            self._processes[rank] = message["process"]
        if kind == RANK and "ended" in message:
            self.ended[rank] = set(message["ended"])

    @property
    def unended(self) -> list[int]:
        """Ranks of this machine that have not said that they ended, as far as their messages were received."""
        return [rank for rank in self.ranks if rank != self.rank and rank not in self.ended]

    def waiting_for(self) -> list[int]:
        """Those that may still say it: which have not died."""
        return [rank for rank in self.unended if self._processes.get(rank) is None or _lives(self._processes[rank])]

    def receive_all(self) -> Iterator[Message]:
        """As `receive`, until the other ranks have ended, but not longer than LONGEST_WAIT_S."""
        until = time.monotonic() + LONGEST_WAIT_S
        while True:
            waits = time.monotonic() < until
            yield from self.receive()
            if not (waits and self.waiting_for()):
                return
            time.sleep(PAUSE_S)

    def close(self) -> None:
        """Remove the folder, unless another rank still needs it."""
        if self.folder is not None and self.owned and not self.waiting_for():
            shutil.rmtree(self.folder, ignore_errors=True)


def _private(name: str) -> Path | None:
    """A folder of this name that only this user can write into; None where there cannot be one."""
    folder = Path(tempfile.gettempdir(), name)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        mine = os.name == "nt" or (not folder.is_symlink() and folder.stat().st_uid == os.getuid())
    except OSError:
        return None
    return folder if mine else None


def _lives(process: int) -> bool:
    if os.name == "nt":  # where asking ends it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
