"""Texts that are written in several languages, and what the program itself says in them.

In `catalog.yaml` and `entry.yaml` a text is either plain English or `{en: ..., zh: ...}`. What the program and the site
say besides is in `torch_errors/interface.zh.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, GetCoreSchemaHandler, Tag, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from torch_errors.catalog.locate import INTERFACE_FILE
from torch_errors.catalog.yaml_files import UNION_TAG, read_yaml
from torch_errors.languages import CHINESE, ENGLISH, Texts

_Line = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\n]+$")]
_Paragraph = Annotated[str, Field(min_length=1, max_length=400)]


class Text(str):
    """An English text that knows its translations."""

    translations: Mapping[str, str]

    def __new__(cls, english: str, translations: Mapping[str, str] | None = None) -> Self:
        text = super().__new__(cls, english)
        text.translations = translations or {}
        return text

    def of(self, language: str) -> Text:
        """The text in a language; the English text if it is not translated."""
        return Text(self.translations.get(language, self), self.translations)


class Words(list[str]):
    """English words by which people search, and the words of readers of other languages."""

    def __init__(self, english: Sequence[str] = (), translations: Mapping[str, Sequence[str]] | None = None):
        super().__init__(english)
        self.translations = translations or {}

    def of(self, language: str) -> Words:
        """The words of a language, and the English ones: people type the name of a function in any language."""
        return Words([*self.translations.get(language, ()), *self], self.translations)


# What is written: in English alone, or as a mapping of languages -----------------------------------------------------


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LineInLanguages(_Model):
    """A line in English, and in Chinese if it is translated."""

    en: _Line
    zh: _Line | None = None


class SentencesInLanguages(_Model):
    """Sentences in English, and in Chinese if they are translated."""

    en: _Paragraph
    zh: _Paragraph | None = None


class WordsInLanguages(_Model):
    """Words by which readers search: those of Chinese readers are no translations of the English ones."""

    en: list[_Line] = []
    zh: list[_Line] = []


def _text(value: str | LineInLanguages | SentencesInLanguages) -> Text:
    if isinstance(value, str):
        return Text(value)
    return Text(value.en, {CHINESE: value.zh} if value.zh is not None else {})


def _words(value: list[str] | WordsInLanguages) -> Words:
    return Words(value) if isinstance(value, list) else Words(value.en, {CHINESE: value.zh})


# The tags only keep pydantic from trying both forms, and from reporting on each.
_English, _Languages = Tag(f"{UNION_TAG}english"), Tag(f"{UNION_TAG}languages")
_Form = Discriminator(lambda value: (_Languages if isinstance(value, dict) else _English).tag)


@dataclass(frozen=True)
class _Written:
    """Annotates a text or words with the form in which a file holds them, and how they are made of it."""

    form: Any
    made: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.made, handler.generate_schema(self.form))


OneLine = Annotated[
    Text,
    _Written(Annotated[Annotated[_Line, _English] | Annotated[LineInLanguages, _Languages], _Form], _text),
]
Sentences = Annotated[
    Text,
    _Written(Annotated[Annotated[_Paragraph, _English] | Annotated[SentencesInLanguages, _Languages], _Form], _text),
]
Keywords = Annotated[
    Words,
    _Written(Annotated[Annotated[list[_Line], _English] | Annotated[WordsInLanguages, _Languages], _Form], _words),
]


# What the program says -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def load_texts(language: str) -> Texts:
    """What the program says in a language. Raises UserError if the file of its texts is not valid."""
    if language == ENGLISH:
        return Texts(language)
    return Texts(language, read_yaml(INTERFACE_FILE, TypeAdapter(dict[str, str]), "it holds the texts of the program"))
