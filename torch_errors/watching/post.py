"""Messages between the processes of one run: the ranks of one machine and the forked workers of a DataLoader.

Each process appends its messages to its own file in a shared temporary folder, one line of JSON per message. This needs
neither a network nor locks, and the messages of a process that dies can still be read.
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

# At the end, how many seconds the reporting rank waits for the others, and the seconds between two reads.
LONGEST_WAIT_S, PAUSE_S = 1.0, 0.02
RANK, WORKER = "rank", "worker"
# Kind of the sender (`rank` or `worker`), its rank, and the content.
Message = tuple[str, int, dict[str, Any]]
# Numbers the watched runs of this process. All ranks watch equally often, so they arrive at the same number.
_times = itertools.count()


@dataclass
class Post:
    """Sends and receives the messages of one process."""

    rank: int = 0
    ranks: Sequence[int] = (0,)  # all ranks on this machine; the first prints the findings of all
    folder: Path | None = None  # folder of the messages; None until `open` creates it
    owned: bool = True  # whether this process removes the folder; if not, the process that created it does

    process: int = field(default_factory=os.getpid)
    ended: dict[int, set[str]] = field(default_factory=dict)  # finished rank -> ids of the entries that it has printed
    _processes: dict[int, int] = field(default_factory=dict)  # rank -> its process id
    _read: dict[str, int] = field(default_factory=dict)  # file name -> number of bytes already read

    @staticmethod
    def of_this_rank(environment: Mapping[str, str]) -> Post:
        """Read the ranks from the variables that torchrun sets; without them, the run has a single process."""
        try:
            rank, size = int(environment["RANK"]), int(environment["WORLD_SIZE"])
            local, count = int(environment.get("LOCAL_RANK", rank)), int(environment.get("LOCAL_WORLD_SIZE", size))
        except (KeyError, ValueError):
            return Post()
        if count < 2:
            return Post(rank, (rank,))
        names = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT")
        key = [environment.get(name, "") for name in names]
        # All ranks of a machine have the same parent process. It distinguishes runs with equal variables.
        key += [str(os.getppid()), str(next(_times))]
        name = hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]
        return Post(rank, range(rank - local, rank - local + count), _private(f"torch-errors-watch-{name}"))

    @property
    def reports(self) -> bool:
        """Whether this rank prints the findings of all ranks of the machine."""
        return self.rank == self.ranks[0]

    @property
    def is_worker(self) -> bool:
        """Whether this process is a fork of the one that started watching."""
        return os.getpid() != self.process

    def open(self) -> None:
        """Create the folder if there is none. Must be called before forking workers, which write into it."""
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="torch-errors-watch-"))
        if not self.is_worker and len(self.ranks) > 1:
            self.send(process=self.process)

    def send(self, **message: Any) -> None:
        """Append a message to the file of this process. If that fails, the message is dropped and the run goes on."""
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
        """Yield the messages from the other ranks and from this rank's workers since the last call."""
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
        """Other ranks on this machine that have not yet reported their end, according to the messages received."""
        return [rank for rank in self.ranks if rank != self.rank and rank not in self.ended]

    def waiting_for(self) -> list[int]:
        """The unended ranks whose process is still alive, as far as it is known."""
        return [rank for rank in self.unended if self._processes.get(rank) is None or _lives(self._processes[rank])]

    def receive_all(self) -> Iterator[Message]:
        """Yield messages like `receive` until all other ranks have ended, at most for LONGEST_WAIT_S seconds."""
        deadline = time.monotonic() + LONGEST_WAIT_S
        while True:
            in_time = time.monotonic() < deadline
            yield from self.receive()
            if not (in_time and self.waiting_for()):
                return
            time.sleep(PAUSE_S)

    def close(self) -> None:
        """Remove the folder, unless a different rank still needs it."""
        if self.folder is not None and self.owned and not self.waiting_for():
            shutil.rmtree(self.folder, ignore_errors=True)


def _private(name: str) -> Path | None:
    """Create a temporary folder that only this user can write to. None if it can't be created or isn't the user's."""
    folder = Path(tempfile.gettempdir(), name)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        mine = os.name == "nt" or (not folder.is_symlink() and folder.stat().st_uid == os.getuid())
    except OSError:
        return None
    return folder if mine else None


def _lives(process: int) -> bool:
    if os.name == "nt":  # on Windows, os.kill would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
