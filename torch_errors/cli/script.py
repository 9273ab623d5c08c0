"""`python -m torch_errors [--watch] SCRIPT`: run a script with a note on its error, or watched."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from torch_errors.cli import BAD_INPUT
from torch_errors.errors import UserError


def script_point() -> None:
    """`python -m torch_errors [--watch] SCRIPT [ARGUMENTS]`: run the script; its error gets the catalog's note."""
    from torch_errors.explaining.note import install
    from torch_errors.running.as_main import run_script
    from torch_errors.running.requirements import require

    try:
        options, argv = _script_options(sys.argv[1:])
        if not options.watch:
            install()
            sys.exit(run_script(argv))
        require("torch")
        from torch_errors.watching.watch import run_watched

        status = run_watched(
            argv,
            strict=options.watch_strict,
            json_file=options.watch_json,
            debug=options.watch_debug,
            checking=options.checking,
            stop_after=options.stop_after,
            ignore=options.watch_ignore or (),
            html_file=options.watch_html,
        )
        sys.exit(status)
    except UserError as error:
        print(f"torch-errors: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _script_options(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return our options, and the script with its arguments: everything after the script belongs to the script."""
    parser = argparse.ArgumentParser(
        prog="python -m torch_errors",
        allow_abbrev=False,
        description="Run a script. Its error gets the note of the guide; --watch reports faults that raise no error.",
        epilog="Without a script, this is the command torch-errors: python -m torch_errors explain error.txt",
    )
    parser.add_argument("--watch", action="store_true", help="report faults that the run shows")
    parser.add_argument(
        "--check",
        action="store_true",
        help="look closely at the batch of the first training step, then end the program, or go on with --watch",
    )
    parser.add_argument("--watch-strict", action="store_true", help="exit with status 3 if a fault was found")
    parser.add_argument(
        "--watch-ignore", action="append", metavar="ID", help="suppress what is found of an entry; may be repeated"
    )
    parser.add_argument("--watch-json", type=Path, metavar="FILE", help="also write the findings to a file")
    parser.add_argument(
        "--watch-html", type=Path, metavar="FILE", help="also write a report to look at: curves, times and findings"
    )
    parser.add_argument("--watch-debug", action="store_true", help="print the tracebacks of detectors that failed")
    parser.add_argument(
        "--stop-after", type=int, metavar="STEPS", help="watch so many optimizer steps, then end the program"
    )
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS")
    options = parser.parse_args(arguments)
    options.checking = "no" if not options.check else "and go on" if options.watch else "and end"
    own = [action.dest for action in parser._actions if action.option_strings and action.dest != "help"]
    options.watch = any(getattr(options, name) is not None and getattr(options, name) is not False for name in own)
    return options, [options.script, *options.arguments]
