"""Texts that redaction must remove, and texts that it must keep: `data/secrets.yaml`, `data/ordinary.yaml`."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator

from tests import data

_MADE = re.compile(r"«([a-zA-Z]?)(\d+)»")
_LETTERS = string.ascii_letters + string.digits
# Letter before the number of characters -> the characters to choose from.
_ALPHABETS = {
    "": _LETTERS, "a": string.ascii_letters, "A": string.ascii_uppercase, "d": string.digits, "n": "123456789",
    "h": "0123456789abcdef", "b": _LETTERS + "+/", "u": _LETTERS + "-_", "p": _LETTERS + "%",
}  # fmt: skip


def _read(name: str) -> dict[str, list[str]]:
    return {of: text.splitlines() for of, text in data(name).items()}


def _made(found: re.Match[str]) -> str:
    """Random characters, as many as required, and the same in every run."""
    alphabet, count = _ALPHABETS[found[1]], int(found[2])
    return "".join(random.Random(f"{count}{alphabet}").choices(alphabet, k=count))


def planted() -> Iterator[tuple[str, str, list[str]]]:
    """Class of the secret, text, and the parts of the text that must be removed."""
    for name, lines in _read("secrets.yaml").items():
        for line in lines:
            marked = _MADE.sub(_made, line.replace("⏎", "\n"))
            yield name, re.sub("[⟦⟧]", "", marked), re.findall(r"⟦([^⟧]*)⟧", marked)


ORDINARY = [line for lines in _read("ordinary.yaml").values() for line in lines]
# Starts of secrets, which HOSTILE repeats.
_UNITS = ["a@", "/home/", "token=", "\\\\", "1.2.3.", "fe80:", "x", "https://", "host: ", "API_KEY_", " ", "lib"]
HOSTILE = ["-----BEGIN PRIVATE KEY-----" * 4_000, "a." * 50_000 + "@"]
HOSTILE += [unit * (200_000 // len(unit)) for unit in _UNITS]
