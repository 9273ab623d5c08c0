"""The fixed texts in a regular expression: a paste is searched for them before the slower expression is tried."""

from __future__ import annotations

from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any


def literals(source: str) -> list[str]:
    """Return the texts that every match of a regular expression contains, in this order."""
    texts: list[str] = []
    _collect(_parser.parse(source), texts, [])
    return texts


def _collect(tree: Any, texts: list[str], run: list[str]) -> None:
    """Append the fixed texts of a parsed expression to `texts`; `run` holds the characters of the unfinished text."""

    def flush() -> None:
        if run:
            texts.append("".join(run))
            run.clear()

    for code, argument in tree:
        if code is _constants.LITERAL:
            run.append(chr(argument))
        elif code is _constants.SUBPATTERN:
            _collect(argument[3], texts, run)
        elif code is _constants.MAX_REPEAT and argument[0] >= 1:
            flush()
            _collect(argument[2], texts, run)
            flush()
        elif code is not _constants.AT:
            flush()
    flush()
