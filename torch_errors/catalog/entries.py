"""The catalog in memory: categories and entries, with their place on disk."""

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
    Variant,
    WarningPromise,
)
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, RECORDED_FOLDER, WORKFLOWS
from torch_errors.catalog.texts import Text, Words, load_texts
from torch_errors.errors import UserError
from torch_errors.languages import IN_ENGLISH, Texts
from torch_errors.reading import read_text

# Ends the line of a script that is to blame.
_MARKER = re.compile(r"#\s*error\s*$")


def marked_lines(source: str) -> list[int]:
    """Lines (from 1) that end in `# error`."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.start[0] for token in tokens if token.type == tokenize.COMMENT and _MARKER.match(token.string)]


def recording_name(variant: Variant) -> str:
    """The recording of a script, relative to the folder of its entry."""
    return f"{RECORDED_FOLDER}/{variant}.out"


def former_address(category: str, former: str) -> str:
    """`category/id` of what an entry of a category says under `formerly`."""
    return former if "/" in former else f"{category}/{former}"


@dataclass(frozen=True)
class Entry:
    """One error of the catalog, with its place on disk."""

    id: str
    category: str
    fields: EntryFields
    root: Path
    texts: Texts = field(default=IN_ENGLISH, repr=False, compare=False)  # what the program says in the same language
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
        """Whether most machines lack what the scripts need, so that nobody may have recorded them yet."""
        return not RARE.isdisjoint(self.requires)

    @property
    def former_addresses(self) -> list[str]:
        """Where the entry stood before it was renamed: `category/id` each."""
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
        """Unified diff from broken.py to another variant. Raises UserError where a script is missing."""
        texts: list[list[str]] = []
        variants: tuple[Variant, Variant] = ("broken", after)
        for variant in variants:
            text = read_text(self.script(variant), f"the entry {self.id} needs it")
            texts.append(text.splitlines(keepends=True))
        return "".join(difflib.unified_diff(texts[0], texts[1], "broken.py", f"{after}.py"))

    @property
    def variants(self) -> list[Variant]:
        """The scripts that the entry must have."""
        return ["broken", "fixed", "wrong_fix"] if self.fields.wrong_fix else ["broken", "fixed"]

    def promise(self, variant: Variant) -> ExceptionPromise | WarningPromise | SilentPromise:
        """What `variant` must show; for `fixed` it is what must not show."""
        other = self.fields.wrong_fix
        return self.fields if variant != "wrong_fix" or other is None or other == "same" else other

    @property
    def is_measured(self) -> bool:
        """Whether a number judges one of its scripts."""
        return any(isinstance(self.promise(variant), SilentPromise) for variant in self.variants)


@dataclass(frozen=True)
class Category:
    """A folder of `common-errors/`."""

    id: str
    title: Text
    summary: Text
    prompt: str
    entries: tuple[Entry, ...]
    texts: Texts = field(default=IN_ENGLISH, repr=False, compare=False)


@dataclass(frozen=True)
class Symptom:
    """What people see of failures that print no message."""

    id: str
    title: Text
    summary: Text
    keywords: Words
    workflow: str | None  # name of the page that goes on, without `.md`


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
        """The English pages of the workflows, by name."""
        paths = sorted((self.root / WORKFLOWS).glob("*.md"))
        return {path.stem: path for path in paths if ".zh" not in path.suffixes and path.stem != "README"}

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self}

    @cached_property
    def by_former_id(self) -> dict[str, Entry]:
        """What entries were called, as `id` and as `category/id`."""
        addresses = [(address, entry) for entry in self for address in entry.former_addresses]
        return {name: entry for address, entry in addresses for name in (address, address.partition("/")[2])}

    def __iter__(self) -> Iterator[Entry]:
        for category in self.categories:
            yield from category.entries

    def __len__(self) -> int:
        return len(self.by_id)

    def in_language(self, language: str) -> Catalog:
        """The catalog in another language, as far as it is translated."""
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
            )
            for symptom in self.symptoms
        )
        return Catalog(self.root, categories, symptoms)

    def causes(self, symptom: Symptom) -> list[tuple[Entry, int]]:
        """The entries that cause a symptom, each with its weight, the most frequent first."""
        found = [(entry, entry.fields.symptoms[symptom.id]) for entry in self if symptom.id in entry.fields.symptoms]
        return sorted(found, key=lambda cause: -cause[1])

    def entry(self, id: str) -> Entry:
        """The entry that has this id, or had it; raises UserError that names the nearest ids."""
        found = self.by_id.get(id) or self.by_former_id.get(id)
        if found is None:
            raise UserError(f"no entry {id!r} in {CATALOG_FILE}{_nearest(id, list(self.by_id))}")
        return found

    def category(self, id: str) -> Category:
        """The category with this id; raises UserError that names the nearest ids."""
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
