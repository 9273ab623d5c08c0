"""The fixed texts in a regular expression, by which a paste is searched before the expression is tried."""

from __future__ import annotations

from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any


def literals(source: str) -> list[str]:
    """Texts that every match of a regular expression contains, in order, one after another."""
    found: list[str] = []
    _collect(_parser.parse(source), found, [])
    return found


def _collect(tree: Any, found: list[str], run: list[str]) -> None:
    """Walk the parsed expression; `run` is the text since the last thing that is not fixed."""

    def flush() -> None:
        if run:
            found.append("".join(run))
            run.clear()

    for code, argument in tree:
        if code is _constants.LITERAL:
            run.append(chr(argument))
        elif code is _constants.SUBPATTERN:
            _collect(argument[3], found, run)
        elif code is _constants.MAX_REPEAT and argument[0] >= 1:
            flush()
            _collect(argument[2], found, run)
            flush()
        elif code is not _constants.AT:
            flush()
    flush()
