"""For an error that no pattern knows: the entries nearest to it, as a guess.

Only the message of the deciding exception counts (or the text, where there is none): the words of stack frames are
those of every error. The measure is the share of the message that an entry knows, each word by its inverse document
frequency over the entries; words that no entry knows count as the rarest, so that a foreign message gets no guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.compiled import Compiled, load_compiled
from torch_errors.explaining.patterns import KnownEntry, load_patterns
from torch_errors.explaining.words import words
from torch_errors.languages import ENGLISH
from torch_errors.paste.facts import read

if TYPE_CHECKING:  # `explain` reads none
    from torch_errors.catalog.entries import Catalog, Symptom

# A guess knows at least this share of the message, in percent, and this many of its words. With these, a third of 235
# real reports that no pattern knew got a guess, and two readers who did not know the rule found about half of them
# useful; no second guess was.
AT_LEAST, WORDS_AT_LEAST, GUESSES = 40, 3, 1


@dataclass(frozen=True)
class Guess:
    """An entry that shares words with a message that no pattern knows."""

    entry: KnownEntry
    words: list[str] = field(default_factory=list)  # the shared words, rarest first


def guess(text: str, root: Path | None = None, most: int = GUESSES, language: str = ENGLISH) -> list[Guess]:
    """The entries nearest to a text that no pattern knows, nearest first; empty where none is near enough."""
    near = nearest(text, root, language)
    return [one for share, one in near if share >= AT_LEAST and len(one.words) >= WORDS_AT_LEAST][:most]


def nearest(text: str, root: Path | None = None, language: str = ENGLISH) -> list[tuple[float, Guess]]:
    """All entries that share words with a text, nearest first, each with the share of the text it knows, in percent."""
    told = load_patterns(root or find_root(), language)
    using, ids = told.compiled.words, list(told.entries)  # words of the English texts, as in pastes
    asked = weighed(text, told.compiled)
    rarest_first = sorted(asked, key=lambda word: (-asked[word], word))
    shared: dict[int, list[str]] = {}
    for word in rarest_first:
        for number in using.get(word, ()):
            shared.setdefault(number, []).append(word)
    scored = [(sum(asked[word] for word in common), ids[number], common) for number, common in shared.items()]
    whole = sum(asked.values())
    scored.sort(key=lambda row: (-row[0], row[1]))
    return [(100 * score / whole, Guess(told.entries[id], common)) for score, id, common in scored]


def nearest_symptoms(text: str, catalog: Catalog) -> list[Symptom]:
    """The symptoms of the catalog that share two words or more with a text, nearest first."""
    asked = weighed(text, load_compiled(catalog.root))
    shared = {
        symptom.id: words(" ".join([symptom.title, symptom.summary, *symptom.keywords])) & asked.keys()
        for symptom in catalog.symptoms
    }
    near = [symptom for symptom in catalog.symptoms if len(shared[symptom.id]) > 1]
    return sorted(near, key=lambda symptom: -sum(asked[word] for word in shared[symptom.id]))


def weighed(text: str, compiled: Compiled) -> dict[str, int]:
    """The words of the message of a text, and what each counts."""
    using, weights = compiled.words, compiled.weights
    return {word: weights[len(using.get(word, ()))] for word in words(read(text).message)}
