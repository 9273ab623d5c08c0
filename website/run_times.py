"""How long the two scripts of an entry take, as the site says it. What was not measured is not said."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

from pydantic import PositiveInt, TypeAdapter

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.yaml_files import read_yaml

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_name("run_times.yaml")
_FEW = 10  # the longest time in seconds that is called a few seconds
_HEAD = """\
# Seconds that `torch-errors compare ID` takes on two cores, rounded up to tens; those missing were not timed.
# Written by `python -m tools.run_times`.
"""


@cache
def _times() -> dict[str, int]:
    return read_yaml(FILE, TypeAdapter(dict[str, PositiveInt]), "`python -m tools.run_times` writes it")


def read() -> dict[str, float]:
    """Return the seconds of the entries that were timed. Raises UserError if the file is not valid."""
    return dict(_times())


def text(times: dict[str, float]) -> str:
    """Return the text of the file, given measured seconds by id."""
    rounded = {name: math.ceil(taken / 10) * 10 for name, taken in sorted(times.items())}
    return _HEAD + ("".join(f"{name}: {taken}\n" for name, taken in rounded.items()) or "{}\n")


def run_time_words(entry: Entry) -> list[str]:
    """Return how long the scripts of the entry take, in its language, or nothing if not timed."""
    taken, word = _times().get(entry.id), entry.texts.word
    if taken is None:
        return []
    return [word("takes about {seconds} s", seconds=taken) if taken > _FEW else word("takes a few seconds")]
