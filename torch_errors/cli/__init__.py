"""The command `torch-errors`.

doctor.py      doctor: what is wrong with an installation
lookup.py      explain, show, list, prompt, mcp: for users who have an error
entries.py     run, compare: the scripts of an entry
verifying.py   verify, record, translations, new, schema: for maintainers of the guide
terminal.py    functions that the commands share
script.py      `python -m torch_errors SCRIPT`: run a script with a note on its error, or watched
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import NoReturn

from torch_errors.cli import doctor, entries, lookup, verifying
from torch_errors.errors import UserError

BAD_INPUT = 2
# Below the help of the command. `{maintainers}`: the commands of verifying.py.
MORE = """\
commands for maintainers of the guide:
{maintainers}

a script with a note on its error, or watched for faults that raise none:
  python -m torch_errors train.py --epochs 3
  python -m torch_errors --watch train.py --epochs 3

examples:
  torch-errors explain error.txt
  python train.py 2>&1 | torch-errors explain
  torch-errors explain "mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"
  torch-errors explain "my loss is not decreasing"
  torch-errors show matmul-shape-mismatch

exit status: 0 done; 1 nothing matches, or a promise is not kept; 2 bad input"""


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


class _Parser(argparse.ArgumentParser):
    """A parser that suggests a command for one that does not exist."""

    commands: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """End with status 2, and name the nearest command instead of all of them."""
        wrong = re.search(r"invalid choice: '(.{1,60}?)' \(choose from", message)
        if wrong and self.commands:
            near = get_close_matches(wrong[1], self.commands, n=1)
            hint = f"did you mean {near[0]}?" if near else "torch-errors --help lists the commands"
            message = f"no command {wrong[1]!r}; {hint}"
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="torch-errors",
        description="The PyTorch debugging guide on the command line.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", parser_class=argparse.ArgumentParser)

    def show_help(options: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    parser.set_defaults(command=show_help)
    maintainers: list[str] = []

    def add(name: str, command: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        sub.set_defaults(command=command)
        return sub

    def add_apart(name: str, command: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        maintainers.append(f"  {name:12}  {help}")
        sub = commands.add_parser(name, description=help[0].upper() + help[1:] + ".")  # not listed without `help`
        sub.set_defaults(command=command)
        return sub

    for group in (lookup, doctor, entries):
        group.add_commands(add)
    verifying.add_commands(add_apart)
    parser.commands = tuple(commands.choices)
    parser.epilog = MORE.format(maintainers="\n".join(maintainers))
    return parser


class _Version(argparse.Action):
    """Print the version, which is read only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"torch-errors {version('torch-errors')}")
        parser.exit()
