"""`explain(text)`: the entries that answer a pasted error, best first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from torch_errors.explaining.decode import evaluate, render
from torch_errors.explaining.paste import EXCEPTION, Cleaned, clean
from torch_errors.explaining.patterns import KnownEntry, Pattern, Patterns, load_patterns
from torch_errors.languages import ENGLISH
from torch_errors.locate import find_root

# A guess must share at least this much of an entry's words to be worth showing.
GUESS_AT_LEAST = 0.15


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


def guess(text: str, root: Path | None = None, most: int = 3, language: str = ENGLISH) -> list[Guess]:
    """The entries nearest to a text that no pattern knows: those that share the rarest words with it.

    A word counts by how few entries use it (inverse document frequency); the score is the share of the text's known
    words that an entry has, so that a long entry is not preferred.
    """
    root = root or find_root()
    patterns = load_patterns(root)  # pastes are in English
    told = load_patterns(root, language)
    words = {entry.id: _words(_described(entry)) for entry in patterns.entries.values()}
    asked = _words(clean(text[-20_000:]).text)
    weight = {word: 1 / sum(word in known for known in words.values()) for word in asked if _is_known(word, words)}
    total = sum(weight.values())
    scored = []
    for id, known in words.items():
        shared = asked & known
        score = sum(weight[word] for word in shared) / total if total else 0.0
        if score >= GUESS_AT_LEAST:
            scored.append((score, id, sorted(shared, key=lambda word: -weight[word])))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [Guess(told.entries[id], shared) for _, id, shared in scored[:most]]


def _is_known(word: str, words: dict[str, set[str]]) -> bool:
    return any(word in known for known in words.values())


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
    return {word for word in re.findall(r"[a-z][a-z0-9]{2,}", text.lower()) if word not in _STOP}


__all__ = ["Guess", "Match", "Patterns", "explain", "guess"]
