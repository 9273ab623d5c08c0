"""For a message that no pattern matches, because it was cut or reworded: the entry in whose wordings it stands.

The wordings of an entry are the recorded messages and the longest fixed text of each pattern. What counts are pairs of
adjacent words: those that the message and a wording share cover a part of the message. Each word weighs as much as in
`guess`: the fewer entries use it, the more.
"""

from __future__ import annotations

import re
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# A message is recognized if pairs of one wording cover at least this share of it, in percent, and weigh at least this
# much, in thousandths (a word of a single entry weighs 5,700). With these limits, 12 of 6,000 messages of other
# programs and of PyTorch that have no entry were taken for one that has.
SHARE, WEIGHT = 80, 6000
# Several entries may have the same words. One of them must reach so much more than each other one, in thousandths, or
# have them in so many times as many wordings.
MARGIN, TIMES = 1000, 3
# Minimum number of words of a message; how many words of a message and of a recorded message are compared at most.
FEWEST, LONGEST, RECORDED = 3, 100, 50
# What Python says in all programs, also within recorded messages. A message that is half of it shows no entry.
PYTHON = (
    "object is not subscriptable",
    "object is not callable",
    "object is not iterable",
    "object of type NoneType has no len",
    "object has no attribute",
    "got an unexpected keyword argument",
    "missing required positional argument",
    "takes positional arguments but were given",
    "list index out of range",
    "division by zero",
    "No such file or directory",
    "Expecting value line column char",
    "could not convert string to float",
    "codec can decode byte in position invalid start byte",
    "maximum recursion depth exceeded",
    "unsupported operand type",
    "not supported between instances of",
    "bad operand type for unary",
    "can't multiply sequence by non int of type",
    "too many values to unpack expected",
    "not enough values to unpack expected got",
)
WORD = re.compile(r"[A-Za-z]{2,}", re.ASCII)


# What the headers of tracebacks in messages have in common says nothing.
HEADER = "Traceback (most recent call last)"


def words_of(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text.replace(HEADER, ""))]


def recorded(texts: Iterable[str], literals: Iterable[str]) -> list[str]:
    """The words of each recorded message, without those that are part of another one or of a fixed text."""
    known = [f" {' '.join(words_of(text))} " for text in literals]
    added: list[str] = []
    for row in sorted({" ".join(words_of(text)[:RECORDED]) for text in texts}, key=lambda row: (-len(row), row)):
        if not any(f" {row} " in other for other in known):
            known.append(f" {row} ")
            insort(added, row)
    return added


@dataclass(frozen=True)
class Wordings:
    """All wordings, by the pairs of words in them."""

    owners: list[int]  # wording -> number of its entry, -1 for Python's own
    pairs: dict[tuple[str, str], list[int]]  # pair of words -> the wordings with it
    users: dict[str, int]  # word -> how many entries have it in their wordings

    @staticmethod
    def of(rows: Iterable[tuple[int, Sequence[str]]]) -> Wordings:
        """Index the wordings, each given as the number of its entry and its words."""
        owners: list[int] = []
        pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
        users: dict[str, set[int]] = defaultdict(set)
        of_python = ((-1, words_of(text)) for text in PYTHON)
        for number, (owner, row) in enumerate((*of_python, *rows)):
            owners.append(owner)
            for word in row:
                users[word].add(owner)
            for pair in set(pairwise(row)):
                pairs[pair].append(number)
        return Wordings(owners, pairs, {word: len(entries) for word, entries in users.items()})

    def owner(self, message: str, weights: Sequence[int]) -> int | None:
        """The number of the entry in whose wordings the message stands, if it is certain enough."""
        words = words_of(message)[:LONGEST]
        weighed = [weights[min(self.users.get(word, 0), len(weights) - 1)] for word in words]
        scores: dict[int, int] = defaultdict(int)  # wording -> weight of the words that it covers
        reached: dict[int, int] = {}  # wording -> index of the last word that it covers
        for at in range(1, len(words)):
            for number in self.pairs.get((words[at - 1], words[at]), ()):
                scores[number] += weighed[at] + (weighed[at - 1] if reached.get(number) != at - 1 else 0)
                reached[number] = at
        best = max(scores.values(), default=0)
        if len(words) < FEWEST or best < WEIGHT or 100 * best < SHARE * sum(weighed):
            return None
        close: dict[int, int] = defaultdict(int)  # entry -> how many of its wordings come close to the best
        for number, score in scores.items():
            if self.owners[number] < 0 and 2 * score > best:
                return None
            if score > best - MARGIN:
                close[self.owners[number]] += 1
        first, *others = sorted(close, key=lambda entry: -close[entry])
        return None if any(TIMES * close[other] > close[first] for other in others) else first
