"""`explain(text)`: the errors of a pasted text, and the entries that answer each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.decode import holds, render
from torch_errors.explaining.patterns import KnownEntry, Pattern, load_patterns
from torch_errors.languages import ENGLISH
from torch_errors.paste.cleaning import CODE, RAISED, WARNING, Cleaned, readings
from torch_errors.paste.frames import Line, UserLine, frameworks_of, lines_of, user_line

if TYPE_CHECKING:
    from torch_errors.catalog.expressions import TextTree

# The most errors that are told of one text.
ERRORS = 30
# The shortest text by which a message is known again in the lines of other ranks.
SHORTEST = 5


@dataclass(frozen=True)
class Match:
    """One error of a text, with the entry that answers it."""

    entry: KnownEntry
    captures: dict[str, str]  # named groups of the pattern that matched
    line: int  # line of the paste (from 1) on which the message begins
    message: str  # the text that matched
    frame: UserLine | None  # where it was raised in the user's own code
    says: str | None  # what happened, with the numbers of the paste
    fix: str | None  # the smallest change, with the numbers of the paste where they decide it
    pattern: Pattern  # the wording that matched
    case: int | None  # number of the case in its `says` that holds
    ranks: int = 0  # how many ranks of a job print the message; 0 where the lines name none
    alternatives: tuple[Match, ...] = ()  # other entries that answer the same error, best first

    @property
    def id(self) -> str:
        return self.entry.id


def explain(text: str, root: Path | None = None, language: str = ENGLISH) -> list[Match]:
    """The errors in `text` that the catalog knows, each once, the one to fix first on top; empty where none is known.

    Which one to fix first:

    1. The assertion of a CUDA kernel: what CUDA reports after it is its consequence.
    2. What was raised, before what the text only mentions, before warnings. Source code is asked where nothing else is.
    3. Of several failures the last one, which ended the program. Exceptions that Python chained are one failure, and
       so are those of the ranks of a job: the first of them is the root cause.
    4. In one exception what the most specific pattern matches; of several lines that are alike the first.

    An error that comes again is told once: with the same numbers, or in the same failure. Entries that answer the same
    lines are its `alternatives`, like those that only wrap it (a DataLoader worker, a torchrun child).

    Time is linear in the length of the text. `language`: in which the answer is told, `en` or `zh`.
    """
    patterns = load_patterns(root or find_root(), language)
    told = _Told()
    found = [
        _Found(pattern, patterns.entries[pattern.entry], cleaned, match)
        for cleaned in readings(text)
        for pattern in patterns.in_text(cleaned.text)
        for match in pattern.find(cleaned.text)
    ]
    return [
        told.match(best, _ranks(best), tuple(map(told.match, others)))
        for best, *others in _distinct(_errors(_ranked(found)))
    ]


@dataclass(eq=False)
class _Found:
    """A pattern in a text, with where its message stands. It may begin in the code above its message."""

    pattern: Pattern
    entry: KnownEntry
    cleaned: Cleaned
    match: re.Match[str]
    at: int = field(init=False)  # the kept line on which the message begins
    first: int = field(init=False)  # its lines in the paste
    last: int = field(init=False)
    role: int = field(init=False)
    block: int = field(init=False)
    failure: int = field(init=False)

    def __post_init__(self) -> None:
        cleaned = self.cleaned
        end = cleaned.index(self.match.end() - 1)
        self.block = cleaned.blocks[end]
        self.at = cleaned.index(self.match.start())
        while cleaned.blocks[self.at] != self.block:
            self.at += 1
        self.first, self.last = cleaned.numbers[self.at], cleaned.numbers[end]
        self.role = max(cleaned.roles[self.at], cleaned.roles[end])
        self.failure = cleaned.failures[end]

    @property
    def captures(self) -> dict[str, str]:
        return {name: value for name, value in self.match.groupdict().items() if value is not None}

    @property
    def message(self) -> str:
        return self.cleaned.text[max(self.match.start(), self.cleaned.starts[self.at]) : self.match.end()]

    def repeats(self, other: _Found) -> bool:
        """Whether it adds nothing to another match of the same entry."""
        if self.failure == other.failure and self.role in RAISED and other.role in RAISED:
            return True
        return self.captures.items() <= other.captures.items()


def _ranked(found: list[_Found]) -> list[_Found]:
    """The matches, the one to fix first on top: raised errors, then mentioned messages, then warnings."""
    # A wrapper whose inner error is not known is an error like others.
    inner = {one.failure for one in found if not one.entry.wrapper and one.role > WARNING}

    def rank(one: _Found) -> tuple[float, ...]:
        return (
            one.pattern.assertion,
            not (one.entry.wrapper and one.failure in inner),
            one.role,
            one.failure,
            -one.block,
            one.pattern.weight,
            one.cleaned.likely,
            -one.first if one.role in RAISED else one.first,
            one.match.start() - one.cleaned.starts[one.at],
        )

    return sorted(found, key=rank, reverse=True)


def _errors(ranked: list[_Found]) -> Iterable[list[_Found]]:
    """Group matches whose lines overlap, best group first; of each entry keep only its best match in a group."""
    place, places, reached = 0, {}, 0
    for one in sorted(ranked, key=lambda one: one.first):
        place += one.first > reached
        places[one] = place
        reached = max(reached, one.last)
    errors: dict[int, list[_Found]] = {}
    for one in ranked:
        error = errors.setdefault(places[one], [])
        if all(one.entry is not other.entry for other in error):
            error.append(one)
    return errors.values()


def _distinct(errors: Iterable[list[_Found]]) -> list[list[_Found]]:
    """Drop repeats; attach wrappers to the error they wrap; quoted code only for a failure with no other match."""
    distinct: list[list[_Found]] = []
    told: dict[str, list[tuple[_Found, list[_Found]]]] = {}
    leading: dict[int, list[_Found]] = {}  # by failure
    for error in errors:
        best = error[0]
        again = next((known for other, known in told.get(best.entry.id, ()) if best.repeats(other)), None)
        known = again or leading.get(best.failure)
        if not again and known and best.entry.wrapper and all(best.entry is not other.entry for other in known):
            known.append(best)
        elif not known or not (again or best.entry.wrapper or best.role == CODE):
            if len(distinct) == ERRORS:
                break
            distinct.append(error)
            known = error
            for one in error:
                told.setdefault(one.entry.id, []).append((one, error))
        leading.setdefault(best.failure, known)
    return distinct


def _ranks(found: _Found) -> int:
    """How many ranks print the message of a match. Numbers may differ: its longest part without them is compared."""
    cleaned, at = found.cleaned, found.at
    if not cleaned.ranks[at]:
        return 0
    ends = [*cleaned.starts, len(cleaned.text)]
    message = cleaned.text[max(found.match.start(), ends[at]) : min(found.match.end(), ends[at + 1])]
    part = max(re.split(r"[0-9]+", message), key=len)
    ranks = {cleaned.ranks[at]}
    at = 0
    while len(part) >= SHORTEST and (offset := cleaned.text.find(part, ends[at])) >= 0:
        at = cleaned.index(offset)
        if cleaned.roles[at] != CODE:
            ranks.add(cleaned.ranks[at])
        at += 1
    return len(ranks - {""})


class _Told:
    """Makes the answer to each match. Caches the parsed lines, which all matches in one reading share."""

    def __init__(self) -> None:
        self._lines: dict[int, list[Line]] = {}

    def match(self, found: _Found, ranks: int = 0, alternatives: tuple[Match, ...] = ()) -> Match:
        captures, pattern = found.captures, found.pattern
        lines = self._lines.get(id(found.cleaned)) or lines_of(found.cleaned)
        self._lines[id(found.cleaned)] = lines
        at = next(at for at, line in enumerate(lines) if line.last >= found.first)
        case, says = _say(pattern, captures)
        fix = _first(captures, None if case is None else pattern.says[case].fix, pattern.fix)
        if pattern.frameworks:
            advice = next(
                (pattern.frameworks[name] for name in frameworks_of(lines, at) if name in pattern.frameworks), None
            )
            if advice:
                says, fix = _first(captures, advice.say) or says, _first(captures, advice.fix) or fix
        return Match(
            entry=found.entry,
            captures=captures,
            line=found.first,
            message=found.message,
            frame=user_line(lines, at),
            says=says,
            fix=fix or found.entry.fix,
            pattern=pattern,
            case=case,
            ranks=ranks,
            alternatives=alternatives,
        )


def _first(captures: dict[str, str], *texts: TextTree | None) -> str | None:
    """The first of these texts whose expressions can all be evaluated with the captures."""
    said = (render(text, captures) for text in texts if text)
    return next((text for text in said if text is not None), None)


def _say(pattern: Pattern, captures: dict[str, str]) -> tuple[int | None, str | None]:
    """Number of the first case that holds and whose text can be evaluated with the captures, and that text."""
    for number, case in enumerate(pattern.says):
        if holds(case.when, captures):
            said = render(case.say, captures)
            if said is not None:
                return number, said
    return None, None
