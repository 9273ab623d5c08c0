"""Patterns for texts that lost their capitals or quotes on the way, where the patterns as they are do not match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from torch_errors.explaining.patterns import FLAGS, Pattern, Patterns, load_patterns
from torch_errors.languages import ENGLISH

# Parts of a regular expression in which quotes stay as they are, or (group 1) a quote, optional or not.
QUOTE = re.compile(r"\\[^'\"`]|(\\?['\"`]|\[['\"`]+\])(?:\?|\{[\d,]+\})?|\[(?:\\.|[^\]\\])*\]", re.ASCII)
ANY_QUOTE = "['\"`]?"
# The letters beyond ASCII of which JavaScript says that they are another case of an ASCII letter.
_OTHER_CASES = str.maketrans({"\u017f": "s", "\u212a": "k"})


def relaxed_literal(literal: str) -> str:
    """The longest part of a literal text without quotes, in lower case: what a relaxed text certainly contains."""
    return max(re.split("['\"`]", literal), key=len).lower()


class Relaxed:
    """All patterns, relaxed: letters match in both cases, and quotes may be missing or other ones."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns
        self._literals = [relaxed_literal(row[2]) for row in patterns.compiled.patterns]
        self._known: dict[int, Pattern] = {}

    def find(self, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
        """The matches in a cleaned text."""
        text = text.translate(_OTHER_CASES)
        lowered = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")  # only ASCII letters
        for number, literal in enumerate(self._literals):
            if literal in lowered:
                pattern = self._known[number] = self._known.get(number) or self._pattern(number, literal)
                yield from ((pattern, match) for match in pattern.find(text, lowered))

    def _pattern(self, number: int, literal: str) -> Pattern:
        pattern = replace(self._patterns.pattern(number), literal=literal)
        source = QUOTE.sub(lambda part: ANY_QUOTE if part[1] else part[0], pattern.source)
        pattern.__dict__["regex"] = re.compile(source, FLAGS | re.IGNORECASE)
        return pattern


@lru_cache(maxsize=8)
def load_relaxed(root: Path, language: str = ENGLISH) -> Relaxed:
    """Return the relaxed patterns of the catalog below `root`. Raises UserError if the catalog is not valid."""
    return Relaxed(load_patterns(root, language))
