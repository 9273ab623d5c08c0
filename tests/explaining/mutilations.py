"""What happens to a message before somebody pastes it: ten ways in which people lose or change parts of it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator

import yaml

from tests import pastes
from tests.guide import CATALOG

CURLY = str.maketrans({"'": "’", '"': "”", "`": "‘"})
_TYPE = re.compile(r"^(?:[\w.]+\.)?\w+(?:Error|Exception|Warning|Unsupported|Exit)\w*: ?")


# A cut that leaves fewer words is not made: `is out of bounds` is no message of any program.
_WORDS = 4


def _first_third_cut(text: str) -> str:
    return _if_enough(text[text.find(" ", len(text) // 3) + 1 :])


def _last_third_cut(text: str) -> str:
    return _if_enough(text[: text.rfind(" ", 0, 2 * len(text) // 3 + 1)])


def _if_enough(text: str) -> str:
    return text if len(re.findall(r"[A-Za-z]{2,}", text)) >= _WORDS else ""


def _lines(text: str, begin: str) -> str:
    return "".join(f"{begin}{line}\n" for line in text.splitlines())


def _wrapped(text: str) -> str:
    return "\n".join("\n".join(textwrap.wrap(line, 60)) for line in text.splitlines())


MUTILATIONS: dict[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "quotes lost": lambda text: re.sub("['\"`]", "", text),
    "curly quotes": lambda text: text.translate(CURLY),
    "first third cut": _first_third_cut,
    "last third cut": _last_third_cut,
    "wrapped at 60 columns": _wrapped,
    "quoted in a mail": lambda text: _lines(_wrapped(text), "> "),
    "exception lost": lambda text: _TYPE.sub("", text),
    "logger": lambda text: _lines(text, "2026-03-01 10:15:02,113 | ERROR    | trainer:fit:214 - "),
    "one line, thousands separated": lambda text: re.sub(r"(?<=\d)(?=(?:\d{3})+\b)", ",", " ".join(text.split())),
}


def messages() -> Iterator[tuple[str, str]]:
    """Every recorded message with the entry that it was recorded for: of the scripts, and of the cases."""
    for entry, variant, recording in pastes.recorded_failures():
        yield entry.id, recording.message(entry.promise(variant))
    for entry in CATALOG:
        path = entry.folder / "recorded" / "answers.yaml"
        if path.is_file():
            for answer in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
                if "message" in answer:
                    yield entry.id, answer["message"]
