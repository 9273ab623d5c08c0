"""The command `torch-errors`.

lookup.py      list, explain, prompt, mcp, show: what somebody with an error needs
scripts.py     run, compare: the scripts of one entry
maintaining.py      verify, record, translations, new, schema, bench: what maintains the guide
terminal.py    what they share
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from torch_errors.cli import lookup, maintaining, scripts
from torch_errors.errors import UserError

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. 0: done; 1: `verify` or `record` found something; 2: bad input, said in one line."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()  # here, where a closed pipe is expected, and not at the end of the interpreter
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
    """The installed command."""
    sys.exit(main())


def script_point() -> None:
    """`python -m torch_errors [--watch] SCRIPT [ARGUMENTS]`: run the script, with a note on what the catalog knows."""
    from torch_errors.explaining.note import run_script
    from torch_errors.running.requirements import require

    try:
        options, argv = _script_options(sys.argv[1:])
        if not options.watch:
            sys.exit(run_script(argv))
        require("torch")
        from torch_errors.watching.watch import run_watched

        sys.exit(
            run_watched(argv, strict=options.watch_strict, json_file=options.watch_json, debug=options.watch_debug)
        )
    except UserError as error:
        print(f"torch-errors: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _script_options(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options, and the script with its arguments: what follows the script is the script's."""
    parser = argparse.ArgumentParser(prog="python -m torch_errors", allow_abbrev=False)
    parser.add_argument("--watch", action="store_true", help="name the faults that the run shows")
    parser.add_argument("--watch-strict", action="store_true", help="end with status 3 if something was found")
    parser.add_argument("--watch-json", type=Path, metavar="FILE", help="also write the findings into a file")
    parser.add_argument("--watch-debug", action="store_true", help="say which detectors failed")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS")
    options = parser.parse_args(arguments)
    options.watch = options.watch or options.watch_strict or options.watch_json or options.watch_debug
    return options, [options.script, *options.arguments]


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

    for group in (lookup, scripts, maintaining):
        group.add_commands(add)
    return parser
