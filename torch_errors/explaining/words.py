"""The words of messages, sentences and entries, and the index in which they are looked up.

One measure ranks entries and symptoms for the command, the paste box and the server: BM25F (Robertson, Zaragoza: The
Probabilistic Relevance Framework, 2009) over English stems, pairs of Chinese characters, and the synonyms of
synonyms.yaml, through which a sentence in Chinese, or with common words of other languages, finds English words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

SYNONYMS_FILE = Path(__file__).with_name("synonyms.yaml")
# Numbers count where they may be a loss (two decimals), a share or the name of a GPU; a character of
# Chinese or Japanese is a token.
TOKEN = re.compile(r"[a-z][a-z0-9]*|[0-9]+\.[0-9]{1,2}|[0-9]+%|[0-9]{3,}|[\u3041-\u30fc\u3400-\u4dbf\u4e00-\u9fff]")
# Letters with accents, and what is read in their place.
ACCENTED, PLAIN = "àáâãäåçèéêëìíîïñòóôõöøùúûüýÿ", "aaaaaaceeeeiiiinoooooouuuuyy"
_PLAIN = str.maketrans(ACCENTED, PLAIN)
NEGATION = re.compile(r"\b(?:is|are|was|do|does|did|has|have|wo|ca|could|would|should)n['\u2019]?t\b", re.ASCII)
DOUBLED = "bdgmnprt"  # letters that English doubles before an ending
SPACE = re.compile(r"[ \t\r\n]+")
# A word with one of these characters is a path or an address and does not count.
PATH = "/\\"
HAN = "\u3400"  # the first Chinese character; there are no tokens beyond the last one
# A pair with one of these characters of grammar says nothing.
PARTICLES = "的了是在和与就也都被把这那而及其个有我你不到会后时上下没"
# How many tokens of a text are read, and how many a synonym has at most.
MOST, LONGEST = 600, 8
# Weights are whole numbers, so that sums are the same in Python and JavaScript: of rarity in thousandths, of a word in
# an entry 1 to LEVELS.
_RARITY, LEVELS = 1000, 4
# How much a word counts in each part of an entry, and the parameters of BM25.
TITLE, KEYWORD, ID, SUMMARY, WORDING = 3.0, 1.0, 1.0, 0.5, 0.25
_SATURATION, _LENGTH = 1.2, 0.4

# Words that do not distinguish one error from another: function words of English, words that occur in every error, and
# words of Python's own messages (`object has no attribute`).
STOP = frozenset(
    re.findall(
        r"\w+",
        """
        about after again all also am an and any are as at attribute attributes be because been before both but by can
        cannot could did do does during each else error errors even exception expected few file for from get got had
        has have he her here his how if in into is it its itself just keyword let like line made make many may me might
        more most much must my new no nor not now object of off on once one only or other our out over own per please
        positional py runtimeerror same see seem seems she should since so some still such than that the their them
        then there these they this those through to too try typeerror under until up us use used using valueerror very
        was way we were what when where whether which while who why will with without would yes yet you your
        """,
    )
)


def stem(word: str) -> str:
    """Return an English word without the usual endings: decreases, decreased and decreasing are one word."""
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    ending = 3 if len(word) > 5 and word.endswith("ing") else 2 if len(word) > 4 and word.endswith("ed") else 0
    if ending:
        word = word[:-ending]
        word = word[:-1] if word[-1] == word[-2] and word[-1] in DOUBLED else word
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


STOPS = frozenset(map(stem, STOP))


def _plain(text: str) -> str:
    """A text in lower case, without accents and with negations as a word."""
    return NEGATION.sub(" not", text.lower().translate(_PLAIN))


def terms(text: str, synonyms: Mapping[str, str]) -> dict[str, tuple[int, str]]:
    """Return the terms of a text: term -> its place among all terms, and how the text writes it, in lower case."""
    plain = _plain(" ".join(part for part in SPACE.split(text) if not any(sign in part for sign in PATH)))
    found = list(islice(TOKEN.finditer(plain), MOST))
    tokens = [stem(match[0]) for match in found]
    named: dict[str, tuple[int, str]] = {}
    at = place = 0
    before = ""  # the Chinese character before, if no synonym contains it
    while at < len(tokens):
        most = min(LONGEST, len(tokens) - at)
        size = next((size for size in range(most, 0, -1) if " ".join(tokens[at : at + size]) in synonyms), 0)
        token, last = tokens[at], at + max(size, 1) - 1
        begin = found[at].start()
        if size:
            term, before = synonyms[" ".join(tokens[at : last + 1])], ""
        elif token >= HAN:
            term = before + token if before and not {before, token} & set(PARTICLES) else ""
            begin, before = begin - len(term[1:]), token
        else:
            term, before = token if len(token) > 1 and token not in STOPS else "", ""
        if term:
            named.setdefault(term, (place, plain[begin : found[last].end()]))
            place += 1
        at = last + 1
    return named


# Compiling ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def load_synonyms() -> dict[str, str]:
    """Return the tokens of each synonym -> the term that stands for it; an empty one where it says nothing."""
    import yaml

    rows = yaml.safe_load(SYNONYMS_FILE.read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for term, variants in rows.items():
        for variant in variants:
            tokens = " ".join(stem(match[0]) for match in TOKEN.finditer(_plain(variant)))
            if found.setdefault(tokens, "" if term == "none" else term) != ("" if term == "none" else term):
                raise ValueError(f"{SYNONYMS_FILE.name}: {variant!r} is below {term} and below {found[tokens]}")
    return found


def described(parts: Iterable[tuple[float, Iterable[str]]]) -> Counter[str]:
    """Return how much each term counts in an entry or a symptom, from its texts and how much a word in each counts."""
    counts: Counter[str] = Counter()
    for counted, texts in parts:
        for text in texts:
            for term in terms(text, load_synonyms()):
                counts[term] += counted  # type: ignore[assignment]
    return counts


def indexed(documents: Sequence[Counter[str]]) -> dict[str, list[int]]:
    """Return the index: term -> for each document with it the step from the document before, times LEVELS, plus its
    weight there, from 0."""
    mean = sum(counts.total() for counts in documents) / max(1, len(documents))
    found: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    for number, counts in enumerate(documents):
        length = 1 - _LENGTH + _LENGTH * counts.total() / mean if mean else 1
        for term, count in sorted(counts.items()):
            weight = max(1, round(LEVELS * count / (count + _SATURATION * length)))
            found.setdefault(term, []).append((number - last.get(term, 0)) * LEVELS + weight - 1)
            last[term] = number
    return dict(sorted(found.items()))


def rarities(documents: int, most: int) -> list[int]:
    """Return the weight of a term, indexed by the number of documents that have it (0 counts as 1), up to `most`."""
    return [round(_RARITY * math.log((documents + 1) / max(1, users))) for users in range(most + 1)]
