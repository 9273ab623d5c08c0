"""The patterns of the catalog, and the search for them in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_errors.explaining.compiled import Compiled, PatternRow, load_compiled
from torch_errors.explaining.wordings import Wordings, words_of
from torch_errors.languages import ENGLISH

if TYPE_CHECKING:
    from torch_errors.catalog.circumstances import Part
    from torch_errors.catalog.expressions import TextTree, Tree

# How many characters before and after its literal text a pattern may match.
BEFORE, AFTER = 1500, 1500
# At how many occurrences of its literal text a pattern is tried in one paste. The last ones are tried, because the
# deciding error is near the end. The number suffices for a job whose ranks, on a few nodes, all print the error.
PLACES = 32

# How many characters above a message are searched for the reader's code, and what ends that code: other frames and
# messages.
ABOVE = 500
OTHER_CODE = re.compile(r"-> |File \"|Error: ")

# With this flag, \d and \w match the same characters as in JavaScript.
FLAGS = re.ASCII


@dataclass(frozen=True)
class Meaning:
    """What a message means if the condition `when` is true. Without a condition, it always applies."""

    say: TextTree
    when: Tree | None = None
    fix: TextTree | None = None


@dataclass(frozen=True)
class Variant:
    """Texts for readers in a circumstance, all of whose parts apply. None means that the general text applies."""

    parts: list[Part]
    say: TextTree | None
    fix: TextTree | None


@dataclass(frozen=True)
class Pattern:
    """One wording of the message of an entry."""

    entry: str
    source: str
    literal: str  # the longest text that every match contains
    weight: int  # number of fixed characters in every match: the more, the more specific is the pattern
    assertion: bool = False  # whether CUDA prints this line before the exception that it causes
    common: bool = False  # whether other programs print these words, too
    says: tuple[Meaning, ...] = ()
    fix: TextTree | None = None
    variants: tuple[Variant, ...] = ()
    picture: TextTree | None = None  # the shapes that do not fit
    code: str | None = None  # regular expression for the reader's code above the message

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.source, FLAGS)

    def find(self, text: str, searched: str | None = None) -> list[re.Match[str]]:
        """Return the matches in `text`, at most PLACES. The time is linear in the length of the text.

        `searched`: where the literal text is searched for, if not in `text`; a text of the same length.
        """
        matches: list[re.Match[str]] = []
        searched = text if searched is None else searched
        end = len(text)
        for _ in range(PLACES):
            at = searched.rfind(self.literal, 0, end)
            if at < 0:
                break
            around = self.regex.finditer(text, max(0, at - BEFORE), at + AFTER)
            match = next((match for match in around if match.end() > at), None)  # skip matches that end before `at`
            if match and (not matches or match.start() != matches[-1].start()) and self._fits(text, match.start()):
                matches.append(match)
            end = at + len(self.literal) - 1
        return matches

    def _fits(self, text: str, start: int) -> bool:
        """Whether the code above a message that starts at `start` is what the pattern asks for."""
        if self.code is None:
            return True
        above = OTHER_CODE.split(text[max(0, start - ABOVE) : start])[-1]
        return re.search(self.code, above, FLAGS) is not None


@dataclass(frozen=True)
class KnownEntry:
    """The fields of an entry that `explain` needs."""

    id: str
    category: str
    kind: str
    wrapper: bool | str  # `job`: it follows when any other process of a job fails
    title: str
    summary: str
    fix: str | None
    variants: tuple[Variant, ...] = ()


@dataclass(frozen=True)
class Patterns:
    """All entries and patterns, in one language. They are decoded from the compiled data when they are needed."""

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
        return {
            row[0]: KnownEntry(*row, title, summary, fix, _variants(variants))
            for row, (title, summary, fix, variants) in rows
        }

    @cached_property
    def _ids(self) -> list[str]:
        return list(self.entries)

    @cached_property
    def wordings(self) -> Wordings:
        """The longest fixed text of each pattern, and the recorded messages of each entry."""
        fixed = ((row[0], words_of(row[2])) for row in self._rows)
        recorded = ((number, row.split(" ")) for number, rows in enumerate(self.compiled.recorded) for row in rows)
        return Wordings.of((*fixed, *recorded))

    @cached_property
    def all(self) -> tuple[Pattern, ...]:
        return tuple(map(self.pattern, range(len(self._rows))))

    def in_text(self, text: str) -> Iterator[Pattern]:
        """The patterns whose literal text occurs in `text`."""
        for number, row in enumerate(self._rows):
            if row[2] in text:
                yield self.pattern(number)

    def pattern(self, number: int) -> Pattern:
        """The pattern with this number in the compiled data."""
        entry, source, literal, weight, assertion, common, picture, code = self._rows[number]
        cases, fix, variants = self.compiled.pattern_texts(self.language, number)
        says = tuple(Meaning(*case) for case in cases)
        advice = _variants(variants)
        return Pattern(self._ids[entry], source, literal, weight, assertion, common, says, fix, advice, picture, code)


def _variants(rows: list[Any]) -> tuple[Variant, ...]:
    return tuple(Variant(*row) for row in rows)


@lru_cache(maxsize=8)
def load_patterns(root: Path, language: str = ENGLISH) -> Patterns:
    """Return the patterns of the catalog below `root`, with their texts in a language.

    Raises UserError if the catalog is not valid.
    """
    return Patterns(load_compiled(root), language)
