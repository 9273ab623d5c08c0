"""The wordings that the catalog knows, ready to be searched for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_errors.explaining.compiled import Compiled, PatternRow, load_compiled
from torch_errors.languages import ENGLISH

if TYPE_CHECKING:
    from torch_errors.catalog.expressions import TextTree, Tree

# How far around its fixed words a pattern is tried, in characters.
BEFORE, AFTER = 1500, 1500
# How many places of one pattern's fixed words are tried in one paste: the last ones, where the deciding error is. The
# ranks of a few nodes print as many.
PLACES = 32

# As JavaScript reads \d and \w.
FLAGS = re.ASCII


@dataclass(frozen=True)
class Meaning:
    """One way of saying what a message means, for when `when` holds (or always)."""

    say: TextTree
    when: Tree | None = None
    fix: TextTree | None = None


@dataclass(frozen=True)
class Advice:
    """What is said instead to readers whose code calls a framework; None: the same as without it."""

    say: TextTree | None
    fix: TextTree | None


@dataclass(frozen=True)
class Pattern:
    """One wording of one entry."""

    entry: str
    source: str
    literal: str  # the longest text that every match contains
    weight: int  # how much fixed text a match contains: the more, the more specific
    assertion: bool = False  # a line that CUDA prints before the exception that it leads to
    says: tuple[Meaning, ...] = ()
    fix: TextTree | None = None
    frameworks: Mapping[str, Advice] = field(default_factory=dict)

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.source, FLAGS)

    def find(self, text: str) -> list[re.Match[str]]:
        """Matches in `text`, at most PLACES. Time is linear in the length of the text."""
        found: list[re.Match[str]] = []
        end = len(text)
        for _ in range(PLACES):
            at = text.rfind(self.literal, 0, end)
            if at < 0:
                break
            around = self.regex.finditer(text, max(0, at - BEFORE), at + AFTER)
            match = next((match for match in around if match.end() > at), None)  # not those before this place
            if match and (not found or match.start() != found[-1].start()):
                found.append(match)
            end = at + len(self.literal) - 1
        return found


@dataclass(frozen=True)
class KnownEntry:
    """What `explain` needs to know of an entry."""

    id: str
    category: str
    kind: str
    wrapper: bool
    title: str
    summary: str
    fix: str | None


@dataclass(frozen=True)
class Patterns:
    """All entries with their wordings, in one language. Decoded from the compiled data on demand."""

    compiled: Compiled
    language: str

    @cached_property
    def _texts(self) -> dict[str, Any]:
        return self.compiled.texts(self.language)

    @cached_property
    def _rows(self) -> list[PatternRow]:
        return self.compiled.patterns

    @cached_property
    def entries(self) -> dict[str, KnownEntry]:
        rows = zip(self.compiled.entries, self._texts["entries"], strict=True)
        return {row[0]: KnownEntry(*row, *texts) for row, texts in rows}

    @cached_property
    def _ids(self) -> list[str]:
        return list(self.entries)

    @cached_property
    def all(self) -> tuple[Pattern, ...]:
        return tuple(map(self._pattern, range(len(self._rows))))

    def in_text(self, text: str) -> Iterator[Pattern]:
        """The patterns whose fixed words are in `text`."""
        for number, row in enumerate(self._rows):
            if row[2] in text:
                yield self._pattern(number)

    def _pattern(self, number: int) -> Pattern:
        entry, source, literal, weight, assertion = self._rows[number]
        cases, fix, frameworks = self.compiled.pattern_texts(self.language, number)
        says = tuple(Meaning(*case) for case in cases)
        advice = {name: Advice(*texts) for name, texts in frameworks.items()}
        return Pattern(self._ids[entry], source, literal, weight, assertion, says, fix, advice)


@lru_cache(maxsize=8)
def load_patterns(root: Path, language: str = ENGLISH) -> Patterns:
    """The patterns of the catalog below `root`, with what they say in a language.

    Raises UserError where the catalog is not valid.
    """
    return Patterns(load_compiled(root), language)
