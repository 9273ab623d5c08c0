"""For an error that no pattern matches: the entries whose words are most similar, as a guess.

Only the message of the deciding exception counts (or the whole text if there is no exception), because stack frames
have the same words in every error. The score of an entry is the share of the message's words that it contains, each
weighted by its inverse document frequency over the entries. Words that no entry contains weigh as much as the rarest
word, so that a message about something else gets no guess.
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

if TYPE_CHECKING:  # importing this loads pydantic, which `explain` does without
    from torch_errors.catalog.entries import Catalog, Symptom

# A guess contains at least this share of the message, in percent, and at least this many of its words. With these
# limits, a third of 235 real reports without a match got a guess. Two readers who did not know the rule found about
# half of these guesses useful, and none of the second-best guesses.
AT_LEAST, WORDS_AT_LEAST, GUESSES = 40, 3, 1


@dataclass(frozen=True)
class Guess:
    """An entry that shares words with a message that no pattern matches."""

    entry: KnownEntry
    words: list[str] = field(default_factory=list)  # the shared words, rarest first


def guess(text: str, root: Path | None = None, most: int = GUESSES, language: str = ENGLISH) -> list[Guess]:
    """Return the entries most similar to a text that no pattern matches, best first, if any is similar enough."""
    scored = nearest(text, root, language)
    return [near for share, near in scored if share >= AT_LEAST and len(near.words) >= WORDS_AT_LEAST][:most]


def nearest(text: str, root: Path | None = None, language: str = ENGLISH) -> list[tuple[float, Guess]]:
    """Return all entries that share words with a text, best first, each with its share of the text in percent."""
    patterns = load_patterns(root or find_root(), language)
    # Messages are in English, so the words of the English texts count in every language.
    users, ids = patterns.compiled.words, list(patterns.entries)
    weights = weighed(text, patterns.compiled)
    rarest_first = sorted(weights, key=lambda word: (-weights[word], word))
    shared: dict[int, list[str]] = {}
    for word in rarest_first:
        for number in users.get(word, ()):
            shared.setdefault(number, []).append(word)
    scored = [(sum(weights[word] for word in common), ids[number], common) for number, common in shared.items()]
    total = sum(weights.values())
    scored.sort(key=lambda row: (-row[0], row[1]))
    return [(100 * score / total, Guess(patterns.entries[id], common)) for score, id, common in scored]


def nearest_symptoms(text: str, catalog: Catalog) -> list[Symptom]:
    """Return the symptoms of the catalog that share at least two words with a text, best first."""
    weights = weighed(text, load_compiled(catalog.root))
    shared = {
        symptom.id: words(" ".join([symptom.title, symptom.summary, *symptom.keywords])) & weights.keys()
        for symptom in catalog.symptoms
    }
    near = [symptom for symptom in catalog.symptoms if len(shared[symptom.id]) > 1]
    return sorted(near, key=lambda symptom: -sum(weights[word] for word in shared[symptom.id]))


def weighed(text: str, compiled: Compiled) -> dict[str, int]:
    """Return the weight of each word in the message of a text."""
    users, weights = compiled.words, compiled.weights
    return {word: weights[len(users.get(word, ()))] for word in words(read(text).message)}
