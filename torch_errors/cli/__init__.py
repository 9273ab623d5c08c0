"""The command `torch-errors`.

doctor.py      doctor: what is wrong with an installation
lookup.py      list, explain, prompt, mcp, show: for users who have an error
entries.py     run, compare: the scripts of an entry
verifying.py   verify, record, translations, new, schema: for maintainers of the guide
terminal.py    functions that the commands share
script.py      `python -m torch_errors SCRIPT`: run a script with a note on its error, or watched
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from torch_errors.cli import doctor, entries, lookup, verifying
from torch_errors.errors import UserError

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0 for success, 1 if nothing matches or a promise isn't kept, 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()  # here, where a closed pipe is handled, instead of at the exit of the interpreter
        return status
    except UserError as error:
        print(f"torch-errors: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def entry_point() -> None:
    """Entry point of the installed command."""
    sys.exit(main())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="torch-errors", description="The PyTorch debugging guide on the command line."
    )
    commands = parser.add_subparsers(metavar="COMMAND")

    def show_help(options: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    parser.set_defaults(command=show_help)

    def add(name: str, command: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        sub.set_defaults(command=command)
        return sub

    for group in (lookup, doctor, entries, verifying):
        group.add_commands(add)
    return parser
