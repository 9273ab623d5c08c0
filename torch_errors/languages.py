"""The languages of the guide: which one a reader wants, and how texts are looked up in it.

English is written first; if a text is not translated, readers get the English text. `explain` imports this module, so
it must not import anything slow: `torch_errors.catalog.texts` reads the translations.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ENGLISH, CHINESE = "en", "zh"
LANGUAGES = (ENGLISH, CHINESE)

_FRONT_MATTER = re.compile(r"\A---\n(?P<fields>(?:[^\n]*\n)*?)---\n")


def from_locale(environment: Mapping[str, str] | None = None) -> str:
    """The language of the user's locale, which is the first of LC_ALL, LC_MESSAGES and LANG that is set."""
    environment = os.environ if environment is None else environment
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return CHINESE if environment[name].lower().startswith("zh") else ENGLISH
    return ENGLISH


@dataclass(frozen=True)
class Texts:
    """What the program says in one language: English text -> translation."""

    language: str = ENGLISH
    interface: Mapping[str, str] = field(default_factory=dict)

    def word(self, text: str, /, **values: object) -> str:
        """Translate a text of the program and replace its `{names}`. `text` is in English."""
        text = self.interface.get(text, text)
        return text.format(**values) if values else text


IN_ENGLISH = Texts()


def translation_path(path: Path, language: str = CHINESE) -> Path:
    """Path of a page's translation: `README.md` -> `README.zh.md`, `timer.py` -> `timer.zh.md`."""
    return path.with_name(f"{path.stem}.{language}.md")


def english_path(path: Path, language: str = CHINESE) -> Path:
    """Path of the page that a translation belongs to: `README.zh.md` -> `README.md`, `timer.zh.md` -> `timer.py`.

    Other paths are returned unchanged.
    """
    ending = f".{language}.md"
    if not path.name.endswith(ending):
        return path
    stem = path.name.removesuffix(ending)
    script = path.with_name(f"{stem}.py")
    return script if script.is_file() else path.with_name(f"{stem}.md")


def in_language(path: Path, language: str) -> Path:
    """Return the path of a page's translation if there is one, else the path itself."""
    translated = translation_path(path, language)
    return translated if language != ENGLISH and translated.is_file() else path


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a page into its front matter, including the `---` lines, and the rest."""
    front = _FRONT_MATTER.match(text)
    return (text[: front.end()], text[front.end() :]) if front else ("", text)
