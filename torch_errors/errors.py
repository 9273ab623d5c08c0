"""Errors caused by what people wrote, as opposed to defects of this program."""

from __future__ import annotations

from dataclasses import dataclass


class UserError(Exception):
    """Bad input. The message is complete: it gives the file or argument, the field and the remedy.

    The command line prints the message without a traceback and exits with status 2.
    """


@dataclass(frozen=True)
class Violation:
    """A promise of the guide that was not kept."""

    where: str  # file and line; or name of the script, with the seed if it isn't the script's own
    problem: str
