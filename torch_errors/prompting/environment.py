"""The environment of a prompt: the report of `torch-errors doctor`, which also imports torch in a child process."""

from __future__ import annotations

import os
import shutil

from torch_errors.doctor.answer import report_text
from torch_errors.doctor.diagnosis import diagnose_machine
from torch_errors.doctor.interpreter import Interpreter, other_interpreter, this_interpreter
from torch_errors.doctor.machine import installed
from torch_errors.errors import UserError


def collect_environment(interpreter: Interpreter | None = None) -> str:
    """Return the report on an interpreter, by default the current one, or `python` on the PATH if only that has torch.

    An installation that cannot be imported is reported, too.
    """
    return report_text(diagnose_machine(interpreter or _first_with_torch(), imports=True)).strip()


def _first_with_torch() -> Interpreter:
    current = this_interpreter()
    if "torch" in installed(current.paths):
        return current
    for executable in filter(None, map(shutil.which, ("python", "python3"))):
        try:
            other = other_interpreter(executable, os.environ)
        except UserError:
            continue
        if "torch" in installed(other.paths):
            return other
    return current
