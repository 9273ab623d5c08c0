"""One rule of redaction: what is searched for, what is written in its place, and a text that shows each side of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from torch_errors.prompting.redaction.literals import beginnings, crosses_lines, literals

SECRET, HOME, USER, HOST, EMAIL, ADDRESS = "<secret>", "~", "<user>", "<host>", "<e-mail>", "<address>"
# A rule that crosses lines sees so many before and behind the line of one of its literals; any other sees that line only.
REACH = 3
# Literals that occur more often than once in so many characters are not looked at one by one.
DENSEST = 5


@dataclass(frozen=True)
class Rule:
    """`pattern` -> `replacement`, in which `\\1` is the first group. `what` names it for people.

    `catches` and `leaves` are samples: a text that the rule changes and a similar one that it does not.
    """

    what: str
    pattern: str
    replacement: str
    catches: str
    leaves: str
    ignore_case: bool = False
    keep: str | None = None  # what looks like it and is something else
    lines: int = REACH  # how many before and behind one of its literals it may need to see

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII | re.MULTILINE | (re.IGNORECASE if self.ignore_case else 0))

    @cached_property
    def keep_regex(self) -> re.Pattern[str] | None:
        return re.compile(self.keep, re.ASCII | re.MULTILINE | re.IGNORECASE) if self.keep else None

    @cached_property
    def reach(self) -> int:
        """How many lines before and behind the line of one of its literals the rule has to see."""
        return self.lines if crosses_lines(self.regex) else 0

    @cached_property
    def literals(self) -> tuple[str, ...]:
        return literals(self.regex)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        return beginnings(self.regex)

    def apply(self, searched: Searched) -> tuple[str, int]:
        """The text with its finds replaced, and their number."""
        text, small = searched.text, searched.small
        places = None if self.keep else searched.places(self.beginnings)
        if places is not None:
            return self._apply_at(text, places)
        parts, count, end = [], 0, 0
        for start, stop in self.windows(small):
            put, found = self._replace(text[start:stop])
            if found:
                parts += [text[end:start], put]
                count, end = count + found, stop
        return ("".join([*parts, text[end:]]), count) if count else (text, 0)

    def _apply_at(self, text: str, places: list[int]) -> tuple[str, int]:
        """As `apply` does, where it is known at which places a find may begin."""
        parts, count, end = [], 0, 0
        for place in places:
            if place >= end and (match := self.regex.match(text, place)):
                parts += [text[end:place], match.expand(self.replacement)]
                count, end = count + 1, match.end()
        return ("".join([*parts, text[end:]]), count) if count else (text, 0)

    def windows(self, small: str) -> Iterator[tuple[int, int]]:
        """Where a find may be: the lines around each literal, one behind the other, from start to end."""
        if not self.literals:
            yield 0, len(small)
            return
        places = []
        for literal in self.literals:
            at = small.find(literal)
            while at >= 0:
                places.append(at)
                line_end = small.find("\n", at)
                at = small.find(literal, line_end) if line_end >= 0 else -1
        begin, end = 0, -1
        for place in sorted(places):
            if place < end and not self.reach:
                continue
            start, stop = _lines_before(small, place, self.reach), _lines_behind(small, place, self.reach)
            if start <= end:
                end = stop
                continue
            if end >= 0:
                yield begin, end
            begin, end = start, stop
        if end >= 0:
            yield begin, end

    def _replace(self, text: str) -> tuple[str, int]:
        if not self.keep_regex:
            return self.regex.subn(self.replacement, text)
        kept = [match.span() for match in self.keep_regex.finditer(text)]
        starts = [start for start, _ in kept]
        count = 0

        def put(match: re.Match[str]) -> str:
            nonlocal count
            before = bisect_right(starts, match.start()) - 1
            if before >= 0 and match.start() < kept[before][1]:
                return match[0]
            count += 1
            return match.expand(self.replacement)

        return self.regex.sub(put, text), count


class Searched:
    """A text that rules search, and where literals occur in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        # In small letters, each where it was: of all letters, only `İ` becomes two.
        self.small = text.replace("İ", "I").lower()
        self._places: dict[str, list[int] | None] = {}

    def places(self, literals: tuple[str, ...]) -> list[int] | None:
        """In order, where one of the literals occurs; None without literals, or where they are too many to try each."""
        found: set[int] = set()
        for literal in literals:
            if literal not in self._places:
                self._places[literal] = self._find(literal)
            places = self._places[literal]
            if places is None:
                return None
            found.update(places)
        return sorted(found) if literals else None

    def _find(self, literal: str) -> list[int] | None:
        places: list[int] = []
        most = max(len(self.small) // DENSEST, 20)
        at = self.small.find(literal)
        while at >= 0:
            places.append(at)
            if len(places) > most:
                return None
            at = self.small.find(literal, at + 1)
        return places


def _lines_before(text: str, place: int, lines: int) -> int:
    for _ in range(lines + 1):
        place = text.rfind("\n", 0, place)
        if place < 0:
            return 0
    return place + 1


def _lines_behind(text: str, place: int, lines: int) -> int:
    for _ in range(lines + 1):
        place = text.find("\n", place) + 1
        if not place:
            return len(text)
    return place
