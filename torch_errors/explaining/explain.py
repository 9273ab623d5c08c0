"""`explain(text)`: the entries that answer a pasted error, best first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.decode import evaluate, render
from torch_errors.explaining.paste import EXCEPTION, Cleaned, readings
from torch_errors.explaining.patterns import KnownEntry, Pattern, load_patterns
from torch_errors.languages import ENGLISH


@dataclass(frozen=True)
class Match:
    """One entry that answers a paste."""

    entry: KnownEntry
    captures: dict[str, str]  # named groups of the pattern that matched
    line: int  # line of the paste (from 1) on which the message begins
    message: str  # the text that matched
    says: str | None  # what happened, with the numbers of the paste
    fix: str | None  # the smallest change, with the numbers of the paste where they decide it

    @property
    def id(self) -> str:
        return self.entry.id


def explain(text: str, root: Path | None = None, language: str = ENGLISH) -> list[Match]:
    """Entries whose messages stand in `text`, best first; empty where none is known.

    Which one comes first: a line of a CUDA assertion before everything else, since it names the cause; then the last
    exception of the text; in one exception the most specific pattern. Entries that only wrap another error (a
    DataLoader worker, a torchrun child) come after what they wrap. Time is linear in the length of the text.
    `language`: in which the answer is told, `en` or `zh`.
    """
    patterns = load_patterns(root or find_root(), language)
    best: dict[str, tuple[tuple[float, ...], Match]] = {}
    for cleaned in readings(text):
        for pattern in patterns.in_text(cleaned.text):
            for found in pattern.find(cleaned.text):
                entry = patterns.entries[pattern.entry]
                rank = _rank(pattern, entry, cleaned, found)
                if pattern.entry not in best or rank > best[pattern.entry][0]:
                    best[pattern.entry] = rank, _match(pattern, entry, cleaned, found)
    return [match for _, match in sorted(best.values(), key=lambda item: item[0], reverse=True)]


def _rank(pattern: Pattern, entry: KnownEntry, cleaned: Cleaned, found: re.Match[str]) -> tuple[float, ...]:
    at = cleaned.index(found.start())
    role = cleaned.roles[at] if cleaned.roles else EXCEPTION
    block = cleaned.blocks[at] if cleaned.blocks else 0
    line, column = (cleaned.numbers[at], found.start() - cleaned.starts[at]) if cleaned.starts else (0, 0)
    return (pattern.assertion, not entry.wrapper, role, block, pattern.weight, cleaned.likely, line, column)


def _match(pattern: Pattern, entry: KnownEntry, cleaned: Cleaned, found: re.Match[str]) -> Match:
    captures = {name: value for name, value in found.groupdict().items() if value is not None}
    fix = render(pattern.fix, captures) if pattern.fix else None
    return Match(
        entry=entry,
        captures=captures,
        line=cleaned.numbers[cleaned.index(found.start())],
        message=found[0],
        says=_say(pattern, captures),
        fix=fix or entry.fix,
    )


def _say(pattern: Pattern, captures: dict[str, str]) -> str | None:
    """The first case that holds and can be said with what was captured."""
    for case in pattern.says:
        try:
            holds = case.when is None or evaluate(case.when, captures)
        except (LookupError, TypeError, ValueError, ArithmeticError):
            holds = False
        if holds:
            said = render(case.say, captures)
            if said is not None:
                return said
    return None
