"""Watches the catalog's scripts while they are verified. `torch_errors.running` imports this module by its name."""

from __future__ import annotations

import io
from pathlib import Path

from torch_errors.watching.loading import compile_detectors
from torch_errors.watching.session import Session
from torch_errors.watching.watch import start as start_watching


def prepare(root: Path) -> None:
    """Compile the detectors of the guide at `root`, so that forks of this process load them faster."""
    compile_detectors(root)


def start(root: Path) -> WatchedScript:
    """Watch this process with the detectors of the guide at `root`, and check its first batch, without printing."""
    return WatchedScript(start_watching(out=io.StringIO(), root=root, checking="and go on"))


class WatchedScript:
    """One script that is being watched."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def finish(self) -> tuple[list[str], list[str]]:
        """Stop watching. Return the ids of the entries found, also in spawned ranks, and the detectors that failed."""
        self._session.finish()
        ranks = [finding for findings in self._session.of_ranks.values() for finding in findings]
        ids = list(dict.fromkeys(finding.id for finding in [*self._session.findings, *ranks]))
        failures = [f"{id}: {type(error).__name__}: {error}" for id, error in self._session.failures.items()]
        return ids, failures
