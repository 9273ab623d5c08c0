"""Watching in the processes that `torch.multiprocessing.spawn` starts: each is one rank of the run."""

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
from torch_errors.watching.session import Session

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class WatchedRank:
    """The function that a process runs, watched. It is pickled for it, with everything that watching needs there."""

    function: Callable[..., Any]
    count: int  # of processes
    folder: Path  # in which they tell each other what they find
    language: str
    debug: bool
    root: Path

    def __call__(self, rank: int, *arguments: Any) -> Any:
        post = Post(rank, range(self.count), self.count, self.folder, owned=False)
        session = Session(self.language, self.debug, root=self.root, post=post).start()
        try:
            return self.function(rank, *arguments)
        finally:
            session.finish()


class SpawnedRanks:
    """The processes that this one spawns."""

    def __init__(self, language: str, debug: bool, root: Path) -> None:
        self._settings = (language, debug, root)
        self.posts: list[Post] = []  # to the processes of each call

    def watch(self) -> Callable[[], None]:
        """From now on, watch what is spawned; returns what ends that."""
        # `torch.multiprocessing.spawn` is also the name of the function.
        owners = [torch.multiprocessing, sys.modules["torch.multiprocessing.spawn"]]
        original = owners[0].start_processes
        parameters = inspect.signature(original)

        @functools.wraps(original)
        def start_processes(*arguments: Any, **named: Any) -> Any:
            given = parameters.bind(*arguments, **named)
            given.apply_defaults()
            count = given.arguments["nprocs"]
            folder = Path(tempfile.mkdtemp(prefix="torch-errors-watch-"))
            self.posts.append(Post(-1, (-1, *range(count)), count, folder))
            given.arguments["fn"] = WatchedRank(given.arguments["fn"], count, folder, *self._settings)
            with _importable():
                return original(*given.args, **given.kwargs)

        for owner in owners:
            owner.start_processes = start_processes

        def end() -> None:
            for owner in owners:
                owner.start_processes = original

        return end


@contextmanager
def _importable() -> Iterator[None]:
    """Have a process find this package where it is not installed: it gets the search path of this one."""
    found = PathFinder.find_spec(_PACKAGE.name, sys.path)
    known = found is not None and found.origin is not None and _PACKAGE.samefile(Path(found.origin).parent)
    if not known:
        sys.path.insert(1, str(_PACKAGE.parent))  # behind the folder of the script
    try:
        yield
    finally:
        if not known and str(_PACKAGE.parent) in sys.path:
            sys.path.remove(str(_PACKAGE.parent))
