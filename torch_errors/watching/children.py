"""Watches the processes that `torch.multiprocessing.spawn` starts. Each of them is one rank of the run."""

from __future__ import annotations

import functools
import inspect
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import torch.multiprocessing

from torch_errors.watching.post import Post
from torch_errors.watching.session import Session, Settings

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class WatchedRank:
    """The function of a spawned process, wrapped so that it runs watched. It is pickled and sent to the process."""

    function: Callable[..., Any]
    count: int  # number of processes
    folder: Path  # folder through which the processes exchange messages
    settings: Settings

    def __call__(self, rank: int, *arguments: Any) -> Any:
        post = Post(rank, range(self.count), self.folder, owned=False)
        session = Session(self.settings, post=post).start()
        try:
            return self.function(rank, *arguments)
        finally:
            session.finish()


class SpawnedRanks:
    """Watches the processes that this process spawns."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.posts: list[Post] = []  # one for each call that spawned processes

    def watch(self) -> Callable[[], None]:
        """Watch processes spawned from now on; return a function that stops this."""
        # The module is taken from `sys.modules`, since the attribute `torch.multiprocessing.spawn` is a function.
        owners = [torch.multiprocessing, sys.modules["torch.multiprocessing.spawn"]]
        original = owners[0].start_processes
        parameters = inspect.signature(original)

        @functools.wraps(original)
        def start_processes(*arguments: Any, **named: Any) -> Any:
            call = parameters.bind(*arguments, **named)
            call.apply_defaults()
            count = call.arguments["nprocs"]
            folder = Path(tempfile.mkdtemp(prefix="torch-errors-watch-"))
            self.posts.append(Post(-1, (-1, *range(count)), folder))
            call.arguments["fn"] = WatchedRank(call.arguments["fn"], count, folder, self._settings)
            with _importable():
                return original(*call.args, **call.kwargs)

        for owner in owners:
            owner.start_processes = start_processes

        def end() -> None:
            for owner in owners:
                owner.start_processes = original

        return end


@contextmanager
def _importable() -> Iterator[None]:
    """Let spawned processes import this package even if it is not installed. They inherit `sys.path` of this one."""
    spec = PathFinder.find_spec(_PACKAGE.name, sys.path)
    importable = spec is not None and spec.origin is not None and _PACKAGE.samefile(Path(spec.origin).parent)
    if not importable:
        sys.path.insert(1, str(_PACKAGE.parent))  # after the script's folder, which keeps its precedence
    try:
        yield
    finally:
        if not importable and str(_PACKAGE.parent) in sys.path:
            sys.path.remove(str(_PACKAGE.parent))
