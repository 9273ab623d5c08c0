"""The languages of the guide: which one a reader wants, and what the catalog and the program say in it.

English is written first and is what everything falls back to, text by text. `explain` comes through here, so nothing
slow is imported; what is wrong with a translation is said by `torch_errors.translations`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from torch_errors.errors import UserError

ENGLISH, CHINESE = "en", "zh"
LANGUAGES = (ENGLISH, CHINESE)
TEXTS_FILE = "catalog.zh.yaml"
# The key beside an entry's texts that lists the words by which people search for it, not translated one by one.
KEYWORDS = "keywords"

_FRONT_MATTER = re.compile(r"\A---\n(?P<fields>(?:[^\n]*\n)*?)---\n")


def from_locale(environment: Mapping[str, str] | None = None) -> str:
    """The language that the user's locale asks for: the first of LC_ALL, LC_MESSAGES and LANG that is set decides."""
    environment = os.environ if environment is None else environment
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return CHINESE if environment[name].lower().startswith("zh") else ENGLISH
    return ENGLISH


@dataclass(frozen=True)
class Texts:
    """What the catalog and the program say in one language: English text -> translation, for each of its places."""

    language: str = ENGLISH
    interface: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def word(self, text: str, /, **values: object) -> str:
        """A text of the program, its `{names}` replaced. The English text is what the code passes."""
        text = self.interface.get(text, text)
        return text.format(**values) if values else text

    def of_category(self, id: str, text: str) -> str:
        """A title or summary of a category."""
        return str(self.categories.get(id, {}).get(text, text))

    def of_entry(self, id: str, text: str) -> str:
        """A text of an entry: title, summary, fix, or what it says of a message."""
        return str(self.entries.get(id, {}).get(text, text))

    def keywords(self, id: str) -> list[str]:
        """Words by which readers of this language search for an entry."""
        return list(self.entries.get(id, {}).get(KEYWORDS, ()))


IN_ENGLISH = Texts()


@lru_cache(maxsize=8)
def load_texts(root: Path, language: str) -> Texts:
    """The texts of a language; empty where it has none. Raises UserError where the file cannot be read as YAML."""
    path = root / TEXTS_FILE
    if language == ENGLISH or not path.is_file():
        return Texts(language)
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=loader) or {}
        parts = {name: document.get(name) or {} for name in ("interface", "categories", "entries")}
        below = [part for name in ("categories", "entries") for part in parts[name].values()]
        if not all(isinstance(mapping, dict) for mapping in [*parts.values(), *below]):
            raise TypeError("interface, categories and entries must map English texts to their translations")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise UserError(f"{path}{f':{mark.line + 1}' if mark else ''}: not valid YAML: {error.problem}") from None
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise UserError(f"{path}: cannot be read ({error}); `torch-errors translations` says more") from None
    return Texts(language, **parts)


def translation_path(path: Path, language: str = CHINESE) -> Path:
    """Where the translation of a page lies: `README.md` -> `README.zh.md`, `timer.py` -> `timer.zh.md`."""
    return path.with_name(f"{path.stem}.{language}.md")


def in_language(path: Path, language: str) -> Path:
    """The page in a language where it is translated, else the page itself."""
    translated = translation_path(path, language)
    return translated if language != ENGLISH and translated.is_file() else path


def split_front_matter(text: str) -> tuple[str, str]:
    """The front matter of a page, with its marks, and what follows it."""
    found = _FRONT_MATTER.match(text)
    return (text[: found.end()], text[found.end() :]) if found else ("", text)
