"""Commands that run the scripts of one entry: run, compare."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable

from torch_errors.cli.terminal import named_entry, output
from torch_errors.errors import UserError


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Declare the commands; `add(name, command, help)` gives the parser of one."""
    sub = add("run", _run, "run an entry's broken script as by hand")
    sub.add_argument("id", metavar="ID")
    which = sub.add_mutually_exclusive_group()
    which.add_argument("--fixed", dest="variant", action="store_const", const="fixed", help="run the fixed script")
    which.add_argument(
        "--wrong-fix", dest="variant", action="store_const", const="wrong_fix", help="run the fix that does not work"
    )
    sub.set_defaults(variant="broken")

    sub = add("compare", _compare, "run an entry's broken and fixed script and show how they differ")
    sub.add_argument("id", metavar="ID")


def _run(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.running.requirements import require

    entry = named_entry(load_catalog(), options.id)
    script = entry.script(options.variant)
    if options.variant == "wrong_fix" and "wrong_fix" not in entry.variants:
        raise UserError(f"{entry.id} has no wrong fix; the page says so: torch-errors show {entry.id}")
    if not script.is_file():
        raise UserError(f"{script}: is missing; the entry {entry.id} needs it")
    require("torch")
    if entry.requires:
        print(f"{entry.id} needs {', '.join(entry.requires)}", file=sys.stderr)
    return subprocess.run([sys.executable, str(script)]).returncode


def _compare(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.running.requirements import require

    entry = named_entry(load_catalog(), options.id)
    diff = entry.diff()  # before anything is shown: it needs both scripts
    require("torch")
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
