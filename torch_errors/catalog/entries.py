"""The catalog in memory: categories and entries, with the paths of their files."""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from torch_errors.catalog.fields import (
    RARE,
    EntryFields,
    EntryKind,
    ExceptionPromise,
    Requirement,
    SilentPromise,
    SymptomCurve,
    Variant,
    WarningPromise,
)
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, RECORDED_FOLDER, WORKFLOWS
from torch_errors.catalog.texts import Text, Words, load_texts
from torch_errors.errors import UserError
from torch_errors.languages import IN_ENGLISH, Texts
from torch_errors.reading import read_text

# The comment that marks the line of a script that causes the error.
_MARKER = re.compile(r"#\s*error\s*$")


def marked_lines(source: str) -> list[int]:
    """Return the numbers (from 1) of the lines that end with `# error`."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.start[0] for token in tokens if token.type == tokenize.COMMENT and _MARKER.match(token.string)]


def recording_name(variant: Variant) -> str:
    """Return the path of the recorded output of a script, relative to the folder of its entry."""
    return f"{RECORDED_FOLDER}/{variant}.out"


def former_address(category: str, former: str) -> str:
    """Return the former address `category/id` for an item of `formerly` in an entry of this category."""
    return former if "/" in former else f"{category}/{former}"


@dataclass(frozen=True)
class Entry:
    """One error of the catalog, with the paths of its files."""

    id: str
    category: str
    fields: EntryFields
    root: Path
    texts: Texts = field(default=IN_ENGLISH, repr=False, compare=False)  # the program's texts in the entry's language
    category_title: Text = field(default=Text(""), repr=False, compare=False)

    @property
    def title(self) -> Text:
        return self.fields.title

    @property
    def summary(self) -> Text:
        return self.fields.summary

    @property
    def kind(self) -> EntryKind:
        return self.fields.kind

    @property
    def requires(self) -> list[Requirement]:
        return self.fields.requires

    @property
    def rare(self) -> bool:
        """Whether the scripts need something that most machines lack, so that recordings may be missing."""
        return not RARE.isdisjoint(self.requires)

    @property
    def former_addresses(self) -> list[str]:
        """The former addresses of the entry, each as `category/id`."""
        return [former_address(self.category, former) for former in self.fields.formerly]

    @property
    def folder(self) -> Path:
        return self.root / ENTRIES_FOLDER / self.category / self.id

    @property
    def page(self) -> Path:
        return self.folder / "README.md"

    def script(self, variant: Variant) -> Path:
        return self.folder / f"{variant}.py"

    def recording(self, variant: Variant) -> Path:
        return self.folder / recording_name(variant)

    def diff(self, after: Variant = "fixed") -> str:
        """Return the unified diff from broken.py to a different variant. Raises UserError if a script is missing."""
        sources: list[list[str]] = []
        variants: tuple[Variant, Variant] = ("broken", after)
        for variant in variants:
            source = read_text(self.script(variant), f"the entry {self.id} needs it")
            sources.append(source.splitlines(keepends=True))
        return "".join(difflib.unified_diff(sources[0], sources[1], "broken.py", f"{after}.py"))

    @property
    def variants(self) -> list[Variant]:
        """The variants of the script that the entry must have."""
        return ["broken", "fixed", "wrong_fix"] if self.fields.wrong_fix else ["broken", "fixed"]

    def promise(self, variant: Variant) -> ExceptionPromise | WarningPromise | SilentPromise:
        """Return the failure that `variant` must show; for `fixed`, the failure that it must not show."""
        other = self.fields.wrong_fix
        return self.fields if variant != "wrong_fix" or other is None or other == "same" else other

    @property
    def is_measured(self) -> bool:
        """Whether one of the scripts prints a number that decides whether it fails."""
        return any(isinstance(self.promise(variant), SilentPromise) for variant in self.variants)


@dataclass(frozen=True)
class Category:
    """A category of errors, which is a folder of `common-errors/`."""

    id: str
    title: Text
    summary: Text
    prompt: str
    entries: tuple[Entry, ...]
    texts: Texts = field(default=IN_ENGLISH, repr=False, compare=False)


@dataclass(frozen=True)
class Symptom:
    """A symptom of failures that print no message."""

    id: str
    title: Text
    summary: Text
    keywords: Words
    workflow: str | None  # name of the workflow page to continue with, without `.md`
    curves: tuple[SymptomCurve, ...] = ()


@dataclass(frozen=True)
class Catalog:
    """All categories and entries, in the order of `catalog.yaml`."""

    root: Path
    categories: tuple[Category, ...]
    symptoms: tuple[Symptom, ...] = ()

    def page_of(self, category: Category) -> Path:
        return self.root / ENTRIES_FOLDER / category.id / "README.md"

    @cached_property
    def workflows(self) -> dict[str, Path]:
        """The English pages of the workflows: name -> path."""
        paths = sorted((self.root / WORKFLOWS).glob("*.md"))
        return {path.stem: path for path in paths if ".zh" not in path.suffixes and path.stem != "README"}

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self}

    @cached_property
    def by_former_id(self) -> dict[str, Entry]:
        """The former names of entries, both as `id` and as `category/id`: name -> entry."""
        addresses = [(address, entry) for entry in self for address in entry.former_addresses]
        return {name: entry for address, entry in addresses for name in (address, address.partition("/")[2])}

    def __iter__(self) -> Iterator[Entry]:
        for category in self.categories:
            yield from category.entries

    def __len__(self) -> int:
        return len(self.by_id)

    def in_language(self, language: str) -> Catalog:
        """Return the catalog in a language. Texts without a translation stay in English."""
        texts = load_texts(language)
        categories = tuple(
            replace(
                category,
                title=category.title.of(language),
                summary=category.summary.of(language),
                entries=tuple(_in_language(entry, texts) for entry in category.entries),
                texts=texts,
            )
            for category in self.categories
        )
        symptoms = tuple(
            replace(
                symptom,
                title=symptom.title.of(language),
                summary=symptom.summary.of(language),
                keywords=symptom.keywords.of(language),
                curves=tuple(c.model_copy(update={"title": c.title.of(language)}) for c in symptom.curves),
            )
            for symptom in self.symptoms
        )
        return Catalog(self.root, categories, symptoms)

    def causes(self, symptom: Symptom) -> list[tuple[Entry, int]]:
        """Return the entries that cause a symptom, each with its weight, the most frequent cause first."""
        causes = [(entry, entry.fields.symptoms[symptom.id]) for entry in self if symptom.id in entry.fields.symptoms]
        return sorted(causes, key=lambda cause: -cause[1])

    def entry(self, id: str) -> Entry:
        """Return the entry with this present or former id. Raises UserError, which lists similar ids."""
        entry = self.by_id.get(id) or self.by_former_id.get(id)
        if entry is None:
            raise UserError(f"no entry {id!r} in {CATALOG_FILE}{_nearest(id, list(self.by_id))}")
        return entry

    def category(self, id: str) -> Category:
        """Return the category with this id. Raises UserError, which lists similar ids."""
        for category in self.categories:
            if category.id == id:
                return category
        raise UserError(f"no category {id!r} in {CATALOG_FILE}{_nearest(id, [c.id for c in self.categories])}")


def _in_language(entry: Entry, texts: Texts) -> Entry:
    fields, language = entry.fields, texts.language
    translated = {
        "title": fields.title.of(language),
        "summary": fields.summary.of(language),
        "fix": fields.fix and fields.fix.of(language),
        "keywords": fields.keywords.of(language),
    }
    return replace(
        entry,
        fields=fields.model_copy(update=translated),
        texts=texts,
        category_title=entry.category_title.of(language),
    )


def _nearest(id: str, ids: list[str]) -> str:
    near = difflib.get_close_matches(id, ids, n=3, cutoff=0.4)
    near += [other for other in ids if id and id in other and other not in near][: 3 - len(near)]
    return f"; did you mean {', '.join(near)}?" if near else "; `torch-errors list` shows them all"
