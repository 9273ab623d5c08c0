"""For an error that no pattern knows: the entries nearest to it, as a guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.paste import clean
from torch_errors.explaining.patterns import KnownEntry, load_patterns
from torch_errors.languages import ENGLISH

# A guess must share at least this much of an entry's words to be worth showing.
GUESS_AT_LEAST = 0.15
# How much of a paste is looked at for words, in characters from its end, and how many guesses are shown.
GUESS_WITHIN, GUESSES = 20_000, 3
# Weight of a word that one entry uses. Weights are whole numbers, so that sums do not depend on their order.
RAREST = 1_000_000
WORD = re.compile(r"[a-z][a-z0-9]{2,}")


@dataclass(frozen=True)
class Guess:
    """An entry that shares words with a paste that no pattern knows."""

    entry: KnownEntry
    words: list[str] = field(default_factory=list)  # the shared words, rarest first


def guess(text: str, root: Path | None = None, most: int = GUESSES, language: str = ENGLISH) -> list[Guess]:
    """The entries nearest to a text that no pattern knows: those that share the rarest words with it.

    A word counts by how few entries use it (inverse document frequency); the score is the share of the text's known
    words that an entry has, so that a long entry is not preferred.
    """
    told = load_patterns(root or find_root(), language)
    using, ids = told.compiled.words, list(told.entries)  # words of the English texts, as in pastes
    asked = {word: RAREST // len(using[word]) for word in words(clean(text[-GUESS_WITHIN:]).text) if word in using}
    rarest_first = sorted(asked, key=lambda word: (-asked[word], word))
    shared: dict[str, list[str]] = {}
    for word in rarest_first:
        for number in using[word]:
            shared.setdefault(ids[number], []).append(word)
    total = sum(asked.values())
    scored = [(sum(asked[word] for word in common) / total, id, common) for id, common in shared.items()]
    near = [row for row in sorted(scored, key=lambda row: (-row[0], row[1])) if row[0] >= GUESS_AT_LEAST]
    return [Guess(told.entries[id], common) for _, id, common in near[:most]]


def described(id: str, title: str, summary: str, sources: Sequence[str]) -> str:
    """What an entry is described with: its texts in English, and the sources of its patterns."""
    return " ".join([id, title, summary, *sources])


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


def words(text: str) -> set[str]:
    return {word for word in WORD.findall(text.lower()) if word not in _STOP}
