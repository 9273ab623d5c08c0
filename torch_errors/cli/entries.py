"""Commands that run the scripts of one entry: run, compare."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_errors.cli.terminal import named_entry, output
from torch_errors.errors import UserError
from torch_errors.languages import from_locale

if TYPE_CHECKING:
    from torch_errors.catalog.entries import Entry


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Declare the commands; `add(name, command, help)` gives the parser of one."""
    sub = add("run", _run, "run an entry's broken script as by hand")
    sub.add_argument("id", metavar="ID")
    which = sub.add_mutually_exclusive_group()
    which.add_argument("--fixed", dest="variant", action="store_const", const="fixed", help="run the fixed script")
    which.add_argument(
        "--wrong-fix", dest="variant", action="store_const", const="wrong_fix", help="run the fix that does not work"
    )
    which.add_argument(
        "--case", metavar="TITLE", nargs="?", const="", help="run this cell of cases.py; without a title, list them"
    )
    sub.set_defaults(variant="broken")

    sub = add("compare", _compare, "run an entry's broken and fixed script and show how they differ")
    sub.add_argument("id", metavar="ID")


def _run(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.running.requirements import require

    entry = named_entry(load_catalog(), options.id)
    if options.case is not None:
        return _run_case(entry, options.case)
    script = entry.script(options.variant)
    if options.variant == "wrong_fix" and "wrong_fix" not in entry.variants:
        raise UserError(f"{entry.id} has no wrong fix; the page says so: torch-errors show {entry.id}")
    if not script.is_file():
        raise UserError(f"{script}: is missing; the entry {entry.id} needs it")
    require("torch")
    if entry.requires:
        print(f"{entry.id} needs {', '.join(entry.requires)}", file=sys.stderr)
    return subprocess.run([sys.executable, str(script)]).returncode


def _run_case(entry: Entry, title: str) -> int:
    """Run one cell of `cases.py` as verification does, and print what `explain` says of its output."""
    from torch_errors.explaining import answer
    from torch_errors.explaining.compiled import interface
    from torch_errors.explaining.explain import explain
    from torch_errors.running.recordings import shorten_paths
    from torch_errors.running.requirements import require
    from torch_errors.verifying.cases import CASES_FILE, case_script, read_cases

    cases = {case.title: case for case in read_cases(entry).cells}
    if not cases:
        raise UserError(f"{entry.folder / CASES_FILE}: is missing or has no cell `# %% title`")
    if not title:
        print("\n".join(f"{case.kind:8} {case.title}" for case in cases.values()))
        return 0
    if title not in cases:
        titles = ", ".join(map(repr, cases))
        raise UserError(f"no case {title!r} in {entry.folder / CASES_FILE}; its cases are {titles}")
    require("torch")
    with case_script(cases[title]) as script:
        command = [sys.executable, "-u", str(script)]  # unbuffered: output and errors stay in order
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
            cwd=script.parent, env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        printed = []
        assert process.stdout
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
        status = process.wait()
        text = shorten_paths("".join(printed), script.parent)
    language = from_locale()
    matches = explain(text, entry.root, language)
    if matches:
        print(f"\ntorch-errors explain:\n{answer.matches_text(matches, interface(entry.root, language))}")
    elif status:
        print("\ntorch-errors explain: no entry matches")
    return status


def _compare(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.running.requirements import require

    entry = named_entry(load_catalog(), options.id)
    diff = entry.diff()  # before anything is shown: it needs both scripts
    require("torch")
    if entry.requires:
        print(f"{entry.id} needs {', '.join(entry.requires)}", file=sys.stderr)
    from rich.rule import Rule
    from rich.syntax import Syntax

    console = output()
    for variant in ("broken", "fixed"):
        script = entry.script(variant)
        console.print(Rule(f"{script.name}: what it prints", align="left"))
        sys.stdout.flush()
        subprocess.run([sys.executable, str(script)], stderr=subprocess.STDOUT)
    console.print(Rule("the fix", align="left"))
    console.print(Syntax(diff, "diff", background_color="default", word_wrap=True))
    console.print(f"Why: torch-errors show {entry.id}", style="dim", highlight=False)
    return 0
