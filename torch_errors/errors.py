"""What goes wrong through what people wrote, as opposed to a defect of ours."""

from __future__ import annotations

from dataclasses import dataclass


class UserError(Exception):
    """Bad input. The message is complete: it names the file or argument, the field and the remedy.

    The command line prints it and exits with status 2, without a traceback.
    """


@dataclass(frozen=True)
class Violation:
    """One promise that was not kept."""

    where: str  # file and line, or the script's name with the seed where it is not its own
    problem: str
