"""Texts in several languages: the texts of the catalog and the texts of the program itself.

In `catalog.yaml` and `entry.yaml`, a text is either plain English or `{en: ..., zh: ...}`. The texts of the program and
the site are in `torch_errors/interface.zh.yaml`.
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
    """An English text with its translations."""

    translations: Mapping[str, str]

    def __new__(cls, english: str, translations: Mapping[str, str] | None = None) -> Self:
        text = super().__new__(cls, english)
        text.translations = translations or {}
        return text

    def of(self, language: str) -> Text:
        """Return the text in a language, or the English text if there is no translation."""
        return Text(self.translations.get(language, self), self.translations)


class Words(list[str]):
    """English words for the search, and the words for readers of other languages."""

    def __init__(self, english: Sequence[str] = (), translations: Mapping[str, Sequence[str]] | None = None):
        super().__init__(english)
        self.translations = translations or {}

    def of(self, language: str) -> Words:
        """Return the words of a language and also the English words, because function names are the same everywhere."""
        return Words([*self.translations.get(language, ()), *self], self.translations)


# Forms of a text in the files: English only, or a mapping of languages -----------------------------------------------


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LineInLanguages(_Model):
    """A line in English, with an optional Chinese translation."""

    en: _Line
    zh: _Line | None = None


class SentencesInLanguages(_Model):
    """Sentences in English, with an optional Chinese translation."""

    en: _Paragraph
    zh: _Paragraph | None = None


class WordsInLanguages(_Model):
    """Words for the search. The Chinese words need not be translations of the English words."""

    en: list[_Line] = []
    zh: list[_Line] = []


def _text(value: str | LineInLanguages | SentencesInLanguages) -> Text:
    if isinstance(value, str):
        return Text(value)
    return Text(value.en, {CHINESE: value.zh} if value.zh is not None else {})


def _words(value: list[str] | WordsInLanguages) -> Words:
    return Words(value) if isinstance(value, list) else Words(value.en, {CHINESE: value.zh})


# The tags keep pydantic from trying, and reporting errors for, both forms.
_English, _Languages = Tag(f"{UNION_TAG}english"), Tag(f"{UNION_TAG}languages")
_Form = Discriminator(lambda value: (_Languages if isinstance(value, dict) else _English).tag)


@dataclass(frozen=True)
class _Written:
    """Annotates a type with its form in a file and with the function that converts this form to the type."""

    form: Any
    convert: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.convert, handler.generate_schema(self.form))


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


# Texts of the program ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def load_texts(language: str) -> Texts:
    """Return the texts of the program in a language. Raises UserError if their file is not valid."""
    if language == ENGLISH:
        return Texts(language)
    return Texts(
        language, read_yaml(INTERFACE_FILE, TypeAdapter(dict[str, str]), "it contains the texts of the program")
    )
