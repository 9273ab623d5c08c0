"""The command `doctor`: what is wrong with this installation, or with the one that a report describes."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_errors.cli.lookup import read_input
from torch_errors.cli.terminal import add_language
from torch_errors.errors import UserError

if TYPE_CHECKING:
    from torch_errors.doctor.diagnosis import Diagnosis

SECONDS = 120  # timeout of --import: the first import of torch from a slow disk takes long
# Imports torch and computes on the GPU if it can, or with an argument in any case: then CUDA says why it cannot.
IMPORT = """
import sys, torch
print("Is CUDA available:", torch.cuda.is_available())
torch.ones(8, device="cuda" if sys.argv[1:] or torch.cuda.is_available() else "cpu").add(1).sum().item()
"""


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
    from torch_errors.doctor.diagnosis import diagnose
    from torch_errors.doctor.facts import conclude
    from torch_errors.doctor.interpreter import other_interpreter, this_interpreter
    from torch_errors.doctor.machine import Machine, look
    from torch_errors.doctor.rules import load_rules
    from torch_errors.explaining.explain import explain

    interpreter = other_interpreter(options.python, os.environ) if options.python else this_interpreter()
    rules = load_rules(options.lang)
    facts, message = look(interpreter, Machine())
    if options.imports:
        message += _import(interpreter.executable, facts.values.get("nvidia_device") == "yes")
    conclude(facts, rules["facts"], message)
    return diagnose(facts, rules, explain(message, own_root(), options.lang))


def _import(executable: str, gpu: bool) -> str:
    """Return what `import torch` prints. Raises UserError if it does not end."""
    command = [executable, "-c", IMPORT, *["gpu"] * gpu]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"import torch gave no result ({error}); leave out --import to look at the rest") from None
    return done.stdout + done.stderr
