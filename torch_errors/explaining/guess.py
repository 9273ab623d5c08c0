"""Where no pattern matches: the entries and symptoms whose words are nearest to those of a message or a sentence.

Of an error only the message of the deciding exception counts, because stack frames have the same words in every error;
of a text without one, such as a sentence, all of it, and its beginning most. The measure is in words.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.patterns import KnownEntry, load_patterns
from torch_errors.explaining.words import LEVELS, terms
from torch_errors.languages import ENGLISH
from torch_errors.paste.facts import read

# How many entries and symptoms are told, and how many causes of a symptom.
GUESSES, SYMPTOMS, CAUSES = 3, 1, 3
# An entry stands before a symptom if its score is more than so many times as high.
CLEARLY = 1.25
# An error gets a symptom, which is what runs without an error show, only if it is about as near as the nearest entry:
# its score is more than so many times as high. "Loss is nan, stopping training" gets one, most errors do not.
ABOUT_AS_NEAR = 0.8
# What is near shares this many words with the text, unless that has no more than FEW.
WORDS_AT_LEAST, FEW = 2, 3
# The first words of a text say what it is about: these count EARLY, the others LATE.
FIRST, EARLY, LATE = 40, 5, 2
# The workflow for whoever has neither a message nor a symptom.
CHECKLIST = "five-minute-checklist"


@dataclass(frozen=True)
class Guess:
    """An entry that shares words with a text that no pattern matches."""

    entry: KnownEntry
    words: list[str] = field(default_factory=list)  # the shared words as the text writes them, rarest first
    score: int = 0


@dataclass(frozen=True)
class KnownSymptom:
    """A symptom that shares words with a text, and its causes: those that the words fit, then the most frequent."""

    id: str
    title: str
    summary: str
    workflow: str
    causes: list[KnownEntry]
    score: int = 0


@dataclass(frozen=True)
class Nearest:
    """What is nearest to a text by words, best first."""

    entries: list[Guess]
    symptoms: list[KnownSymptom]
    described: bool  # whether the text is a description: it has neither an exception nor a traceback

    @property
    def entries_first(self) -> bool:
        """Whether the entries answer better than the symptom: those of an error, and of words such as `OOM`."""
        best, symptom = (found[0].score if found else 0 for found in (self.entries, self.symptoms))
        return not self.described or best > CLEARLY * symptom


def nearest(
    text: str, root: Path | None = None, language: str = ENGLISH, entries: int = GUESSES, symptoms: int = SYMPTOMS
) -> Nearest:
    """Return the nearest entries and symptoms, at most so many. The time is linear in the length of the text."""
    patterns = load_patterns(root or find_root(), language)
    known, compiled = list(patterns.entries.values()), patterns.compiled
    error = read(text)
    described = not (error.exception or error.frames)
    asked = terms(text if described else error.message, compiled.synonyms)
    scores: dict[int, int] = {}
    shared: dict[int, list[str]] = {}
    rarity = {term: compiled.weights[len(compiled.words.get(term, ()))] for term in asked}
    for term in sorted(asked, key=lambda term: (-rarity[term], term)):
        place, written = asked[term]
        worth, number = rarity[term] * (EARLY if place < FIRST else LATE), 0
        for step in compiled.words.get(term, ()):
            number += step // LEVELS
            scores[number] = scores.get(number, 0) + worth * (step % LEVELS + 1)
            shared.setdefault(number, []).append(written)
    least = WORDS_AT_LEAST if len(asked) > FEW else 1
    found = sorted((number for number in scores if len(shared[number]) >= least), key=lambda one: (-scores[one], one))
    near, texts, rows = set(found), compiled.texts(language)["symptoms"], compiled.symptoms

    def fits(cause: int, symptom: int) -> bool:
        """Whether a cause has the words as much as its symptom: then it is nearer than one that is only frequent."""
        return cause in near and scores[cause] >= scores[symptom] and len(shared[cause]) >= len(shared[symptom])

    def symptom(number: int) -> KnownSymptom:
        id, workflow, causes = rows[number - len(known)]
        title, summary = texts[number - len(known)]
        told = [known[cause] for cause in sorted(causes, key=lambda cause: not fits(cause, number))]
        return KnownSymptom(id, title, summary, workflow or CHECKLIST, told, scores[number])

    guesses = [Guess(known[number], shared[number], scores[number]) for number in found if number < len(known)]
    enough = ABOUT_AS_NEAR * guesses[0].score if guesses and not described else 0
    others = [number for number in found if number >= len(known) and scores[number] > enough]
    return Nearest(guesses[:entries], [symptom(number) for number in others[:symptoms]], described)
