"""`explain(text)`: the entries that answer a pasted error, best first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from torch_errors.explaining.decode import evaluate, render
from torch_errors.explaining.paste import EXCEPTION, Cleaned, clean
from torch_errors.explaining.patterns import KnownEntry, Pattern, Patterns, load_patterns
from torch_errors.languages import ENGLISH
from torch_errors.locate import find_root

# A guess must share at least this much of an entry's words to be worth showing.
GUESS_AT_LEAST = 0.15
# How much of a paste is looked at for words, in characters from its end, and how many guesses are shown.
GUESS_WITHIN, GUESSES = 20_000, 3
# Weight of a word that one entry uses. Weights are whole numbers, so that sums do not depend on their order.
RAREST = 1_000_000
WORD = re.compile(r"[a-z][a-z0-9]{2,}")


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


@dataclass(frozen=True)
class Guess:
    """An entry that shares words with a paste that no pattern knows."""

    entry: KnownEntry
    words: list[str] = field(default_factory=list)  # the shared words, rarest first


def explain(text: str, root: Path | None = None, language: str = ENGLISH) -> list[Match]:
    """Entries whose messages stand in `text`, best first; empty where none is known.

    Which one comes first: a line of a CUDA assertion before everything else, since it names the cause; then the last
    exception of the text; in one exception the most specific pattern. Entries that only wrap another error (a
    DataLoader worker, a torchrun child) come after what they wrap. Time is linear in the length of the text.
    `language`: in which the answer is told, `en` or `zh`.
    """
    patterns = load_patterns(root or find_root(), language)
    cleaned = clean(text)
    best: dict[str, tuple[tuple[float, ...], Match]] = {}
    for pattern in patterns.all:
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
    return (pattern.assertion, not entry.wrapper, role, block, pattern.weight, found.start())


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


def guess(text: str, root: Path | None = None, most: int = GUESSES, language: str = ENGLISH) -> list[Guess]:
    """The entries nearest to a text that no pattern knows: those that share the rarest words with it.

    A word counts by how few entries use it (inverse document frequency); the score is the share of the text's known
    words that an entry has, so that a long entry is not preferred.
    """
    told = load_patterns(root or find_root(), language)
    using = entries_by_word(told.root)  # pastes are in English
    asked = {word: RAREST // len(using[word]) for word in _words(clean(text[-GUESS_WITHIN:]).text) if word in using}
    rarest_first = sorted(asked, key=lambda word: (-asked[word], word))
    shared: dict[str, list[str]] = {}
    for word in rarest_first:
        for id in using[word]:
            shared.setdefault(id, []).append(word)
    total = sum(asked.values())
    scored = [(sum(asked[word] for word in words) / total, id, words) for id, words in shared.items()]
    near = [row for row in sorted(scored, key=lambda row: (-row[0], row[1])) if row[0] >= GUESS_AT_LEAST]
    return [Guess(told.entries[id], words) for _, id, words in near[:most]]


@lru_cache(maxsize=4)
def entries_by_word(root: Path) -> dict[str, list[str]]:
    """For each word that entries are described with, their ids."""
    using: dict[str, list[str]] = {}
    for entry in load_patterns(root).entries.values():
        for word in sorted(_words(_described(entry))):
            using.setdefault(word, []).append(entry.id)
    return using


def _described(entry: KnownEntry) -> str:
    return " ".join([entry.id, entry.title, entry.summary, *(pattern.source for pattern in entry.patterns)])


# Words that stand in nearly every paste and tell no error from another.
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
        all and are been but can call could did does error errors exception file for from got had has have how last
        line most not now one only python py recent runtimeerror self the then this that torch traceback typeerror
        use using valueerror was were what when which why with you your site packages lib home user
        """,
    )
)


def _words(text: str) -> set[str]:
    return {word for word in WORD.findall(text.lower()) if word not in _STOP}


__all__ = ["Guess", "Match", "Patterns", "explain", "guess"]
