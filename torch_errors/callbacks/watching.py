"""What the callbacks of all frameworks share: they watch from the start of a training to its end."""

from __future__ import annotations

import atexit
from collections.abc import Collection, Sequence

from torch_errors.watching.detector import Finding
from torch_errors.watching.observer import is_observed
from torch_errors.watching.session import Report, Session
from torch_errors.watching.watch import start


class WatchingCallback:
    """Watches each training, unless the program is watched already."""

    def __init__(self, *, report: Report = "print", ignore: Collection[str] = (), language: str | None = None) -> None:
        """`report`: where findings go; `ignore`: ids of entries to suppress. See `torch_errors.watch`."""
        self._report: Report = report
        self._ignore = ignore
        self._language = language
        self._watching: Session | None = None
        self.findings: Sequence[Finding] = ()  # what the last training showed

    def begin(self) -> None:
        """Start to watch this process."""
        self.end()  # of a training that failed, in a notebook
        if not is_observed():
            self._watching = start(self._language, report=self._report, ignore=self._ignore)
            atexit.register(self.end)  # if the training fails and ends the program

    def end(self) -> None:
        """Stop watching and report a summary, if `begin` has started it."""
        watching, self._watching = self._watching, None
        if watching is not None:
            atexit.unregister(self.end)
            watching.finish()
            self.findings = watching.findings
