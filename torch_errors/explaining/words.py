"""The words of messages and entries, and the weight of each word when an error is compared with the entries."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# Weights are stored in thousandths, as whole numbers, so that sums are the same in Python and JavaScript.
_WEIGHT = 1000
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+", re.ASCII)
# A word with one of these characters is a path or an address and does not count.
PATH = "/\\"


def described(texts: Iterable[str], wordings: Iterable[Iterable[str]]) -> set[str]:
    """Return the words of an entry, from its texts and from the fixed parts of its patterns."""
    return words(" ".join([*texts, *(" ".join(fixed) for fixed in wordings)]))


def word_weights(entries: int, most: int) -> list[int]:
    """Return the weight of a word, indexed by the number of entries that use it (0 counts as 1), up to `most`."""
    return [round(_WEIGHT * math.log((entries + 1) / max(1, users))) for users in range(most + 1)]


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


def words(text: str) -> set[str]:
    plain = " ".join(part for part in text.split(" ") if not any(sign in part for sign in PATH))
    return {word for word in map(str.lower, WORD.findall(plain)) if word not in STOP}
