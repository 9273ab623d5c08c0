"""The command `doctor`: what is wrong with this installation, or with the one that a report describes."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_errors.cli.lookup import read_input
from torch_errors.cli.terminal import add_language
from torch_errors.errors import UserError

if TYPE_CHECKING:
    from torch_errors.doctor.diagnosis import Diagnosis


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Declare the command; `add(name, command, help)` returns its parser."""
    sub = add("doctor", _doctor, "find out what is wrong with an installation: this one, or that of a report")
    sub.add_argument("file", metavar="REPORT", nargs="?", help="a report that somebody posted, - for standard input")
    sub.add_argument("--python", metavar="PATH", help="the interpreter to look at (default: the one of this command)")
    sub.add_argument("--import", dest="imports", action="store_true", help="also import torch, in a child process")
    sub.add_argument("--report", action="store_true", help="print what was found, to post it: without names and homes")
    sub.add_argument("--json", action="store_true", help="as JSON")
    add_language(sub)


def _doctor(options: argparse.Namespace) -> int:
    """Return 0 if nothing is wrong, 1 if something is; UserError becomes 2."""
    from torch_errors.catalog.locate import own_root
    from torch_errors.doctor import answer
    from torch_errors.doctor.diagnosis import diagnose_report
    from torch_errors.explaining.compiled import interface

    if options.file and (options.python or options.imports):
        raise UserError("--python and --import look at this machine; leave them out, or the report")
    root = own_root()
    diagnosis = diagnose_report(read_input(options.file), options.lang, root) if options.file else _of_machine(options)
    if options.report:
        from torch_errors.prompting.redaction import local_names, redact

        print(redact(answer.report_text(diagnosis), local_names())[0], end="")
    elif options.json:
        print(json.dumps(answer.diagnosis_json(diagnosis), indent=2, ensure_ascii=False))
    else:
        print(answer.diagnosis_text(diagnosis, interface(root, options.lang)))
    return 1 if diagnosis.findings else 0


def _of_machine(options: argparse.Namespace) -> Diagnosis:
    from torch_errors.catalog.locate import own_root
    from torch_errors.doctor.diagnosis import diagnose_machine
    from torch_errors.doctor.interpreter import other_interpreter, this_interpreter

    interpreter = other_interpreter(options.python, os.environ) if options.python else this_interpreter()
    return diagnose_machine(interpreter, options.imports, options.lang, own_root())
