"""The page of the commands: the part of README.md that is not on the home page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from torch_errors.languages import IN_ENGLISH, LANGUAGES, Texts, in_language
from torch_errors.markdown.parsing import heading_anchors, parse_page

README = "README.md"
# The name, beside README.md, under which other pages link to this page. There is no such file.
SOURCE = "commands.md"
TITLE, STATEMENT = "Commands", "Installation, the command line, assistants in an editor, and files for programs."
# GitHub's picture of the paste box. The site has the box.
_PICTURE = re.compile(r"(?s)<picture>.*?</picture>\n*")


@dataclass(frozen=True)
class Commands:
    """Subject of the page of the commands."""


def page(readme: str, texts: Texts = IN_ENGLISH) -> str:
    """Return the Markdown of the page. `readme`: README.md with links and fences prepared for the site."""
    _, introduction, _, *others = sections(_PICTURE.sub("", readme))
    parts = [f"# {texts.word(TITLE)}", texts.word(STATEMENT), introduction, *others]
    return "\n\n".join(part.strip("\n") for part in parts if part.strip("\n")) + "\n"


def sections(readme: str) -> list[str]:
    """Split README.md into title, introduction and sections. There is at least one section, which may be empty."""
    head, *others = re.split(r"(?m)^(?=## )", readme.lstrip("\n"))
    title, _, introduction = head.partition("\n")
    return [title, introduction, *(others or [""])]


@lru_cache(maxsize=4)
def anchors(root: Path) -> frozenset[str]:
    """Return the anchors of the sections of README.md, in all languages, that are on this page."""
    found: set[str] = set()
    for language in LANGUAGES:
        parsed = parse_page(in_language(root / README, language))
        second = [a for a, (level, _) in zip(heading_anchors(parsed), parsed.headings, strict=True) if level == 2]
        found |= set(second[1:])
    return frozenset(found)
