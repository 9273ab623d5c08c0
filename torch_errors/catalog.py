"""The index of the guide: `catalog.yaml`, read, validated and turned into data classes.

Everything else (the runner, the verification, the command line, the site) asks this module what exists and what it
promises. torch is not imported here.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from torch_errors.errors import UserError
from torch_errors.languages import IN_ENGLISH, Texts, load_texts
from torch_errors.locate import CATALOG_FILE, ENTRIES_FOLDER, find_root
from torch_errors.reading import read_text

VARIANTS = ("broken", "fixed", "wrong_fix")
# How far apart the healthy and the broken range of a measure must lie, as a factor.
WIDE_MARGIN = 2.0

Variant = Literal["broken", "fixed", "wrong_fix"]
Requirement = Literal["cuda", "mps", "posix"]
Kind = Literal["exception", "warning", "silent"]


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_compiles)]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
# `id` or `category/id`.
FormerId = Annotated[
    str, Field(pattern=r"^([a-z][a-z0-9]*(-[a-z0-9]+)*/)?[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=121)
]
OneLine = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\n]+$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SaysCase(_Model):
    """One way of saying what a message means."""

    say: Annotated[str, Field(min_length=1, max_length=400)]
    when: str | None = Field(None, description="Condition on the named groups; without one the case always holds.")


# The tags only keep pydantic from trying every member of the union, and from reporting on each.
Says = Annotated[
    Annotated[Annotated[str, Field(min_length=1, max_length=400)], Tag("text")]
    | Annotated[list[SaysCase], Tag("cases")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "cases"),
]


class MessagePattern(_Model):
    """One wording of an error message, and what its numbers mean.

    `says` and `fix` may hold expressions in braces, see `torch_errors.explaining.decode`.
    """

    match: Pattern = Field(description="Regular expression searched for in the message, with named groups.")
    says: Says = Field(
        [], description="What happened, with the numbers of the message; of a list, the first case that holds."
    )
    fix: OneLine | None = Field(None, description="The smallest change, with the numbers that decide it.")
    assertion: bool = Field(False, description="A line that CUDA prints before the exception that it causes.")

    @model_validator(mode="after")
    def _names_only_its_groups(self) -> MessagePattern:
        from torch_errors.explaining.decode import names_in, names_in_condition

        groups = set(re.compile(self.match).groupindex)
        cases = [SaysCase(say=self.says, when=None)] if isinstance(self.says, str) else self.says
        used = set().union(*(names_in(case.say) for case in cases), *[names_in(self.fix)] if self.fix else [])
        used |= set().union(*(names_in_condition(case.when) for case in cases if case.when))
        if used - groups:
            raise ValueError(f"says or fix names {', '.join(sorted(used - groups))}, which match does not capture")
        return self


class Range(_Model):
    """A closed interval of numbers, open at the end that is not given."""

    min: float | None = Field(None, description="Smallest number that belongs to the range.")
    max: float | None = Field(None, description="Largest number that belongs to the range.")
    nan: bool = Field(False, description="Whether NaN counts as inside.")

    @model_validator(mode="after")
    def _has_an_end(self) -> Range:
        if self.min is None and self.max is None and not self.nan:
            raise ValueError("needs min, max or nan")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max")
        return self

    def __contains__(self, value: float) -> bool:
        if value != value:
            return self.nan
        if self.min is None and self.max is None:
            return False
        return (self.min is None or value >= self.min) and (self.max is None or value <= self.max)

    def __str__(self) -> str:
        ends = [f">= {self.min:g}"] if self.min is not None else []
        ends += [f"<= {self.max:g}"] if self.max is not None else []
        return " and ".join(ends) + (" or nan" if ends and self.nan else "nan" if self.nan else "")


class Measure(_Model):
    """The number by which a silent failure shows itself, printed by the script as `name=value`."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    healthy: Range = Field(description="Where the number lies when the fix is in place.")
    broken: Range = Field(description="Where it lies in broken.py: beyond the healthy range by a wide margin.")
    unit: str | None = Field(None, description="Unit of the number, for people.")

    @model_validator(mode="after")
    def _ranges_are_far_apart(self) -> Measure:
        """Broken and healthy must not touch: a factor of WIDE_MARGIN has to lie between them."""
        if self.healthy.nan:
            raise ValueError("healthy: NaN is never healthy")
        low, high = self.healthy.min, self.healthy.max
        above = (
            self.broken.min is not None
            and high is not None
            and self.broken.min >= (high * WIDE_MARGIN if high > 0 else high + 1e-9)
        )
        below = self.broken.max is not None and low is not None and low > 0 and self.broken.max * WIDE_MARGIN <= low
        only_nan = self.broken.nan and self.broken.min is None and self.broken.max is None
        if not (above or below or only_nan):
            raise ValueError(
                f"the broken range ({self.broken}) must lie outside the healthy one ({self.healthy}) by a factor "
                f"of {WIDE_MARGIN:g} or more"
            )
        return self


class Curve(_Model):
    """The series that a silent entry's scripts print, one `x=1 y=0.5` line a point."""

    x: str = Field(description="Name printed for the horizontal axis, such as step.")
    y: list[str] = Field(min_length=1, description="Names printed for the curves.")
    log: bool = Field(False, description="Logarithmic vertical axis.")


class ExceptionPromise(_Model):
    """The script ends with this exception."""

    kind: Literal["exception"]
    exception: str = Field(description="Type name of the exception, such as RuntimeError.")
    patterns: list[MessagePattern] = Field(min_length=1, description="Wordings; one of them must match.")


class WarningPromise(_Model):
    """The script runs to its end and emits this warning."""

    kind: Literal["warning"]
    warning: str = Field(description="Category of the warning, such as UserWarning.")
    patterns: list[MessagePattern] = Field(min_length=1, description="Wordings; one of them must match.")


class SilentPromise(_Model):
    """The script runs to its end, and a number that it prints is wrong."""

    kind: Literal["silent"]
    measure: Measure
    curve: Curve | None = None


def _tag_of_wrong_fix(value: Any) -> Any:
    if isinstance(value, dict):
        return value.get("kind")
    return "same" if isinstance(value, str) else getattr(value, "kind", None)


WrongFix = Annotated[
    Annotated[Literal["same"], Tag("same")]
    | Annotated[ExceptionPromise, Tag("exception")]
    | Annotated[WarningPromise, Tag("warning")]
    | Annotated[SilentPromise, Tag("silent")],
    Discriminator(_tag_of_wrong_fix),
]


class _EntryFields(_Model):
    """What an entry says beside its promise."""

    title: OneLine = Field(description="What went wrong, in plain words.")
    summary: OneLine = Field(description="One sentence: the statement of the page.")
    requires: list[Requirement] = Field([], description="Hardware or system without which the scripts cannot run.")
    keywords: list[OneLine] = Field([], description="Symptoms in people's words, for the search.")
    fix: Annotated[OneLine, Field(max_length=300)] | None = Field(
        None, description="The smallest fix, in one sentence."
    )
    wrapper: bool = Field(False, description="Only wraps another error, which is then the answer.")
    wrong_fix: WrongFix | None = Field(
        None,
        description="How wrong_fix.py fails: `same` as broken.py, or a promise of its own. Needed with wrong_fix.py.",
    )
    formerly: list[FormerId] = Field(
        [],
        description="What the entry was called: an id, or `category/id` where it stood in another category. "
        "The site leads from there to the entry, and commands accept it.",
    )
    timeout: float = Field(60.0, gt=0, le=600, description="Seconds that one script may take.")


class ExceptionEntry(_EntryFields, ExceptionPromise):
    pass


class WarningEntry(_EntryFields, WarningPromise):
    pass


class SilentEntry(_EntryFields, SilentPromise):
    pass


class CategoryFields(_Model):
    title: OneLine
    summary: OneLine
    entries: dict[Identifier, Annotated[ExceptionEntry | WarningEntry | SilentEntry, Field(discriminator="kind")]]


class CatalogFile(_Model):
    """PyTorch debugging guide: the index of its errors."""

    categories: dict[Identifier, CategoryFields]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> CatalogFile:
        seen: dict[str, str] = {}
        for category, fields in self.categories.items():
            for entry in fields.entries:
                if entry in seen:
                    raise ValueError(f"the id {entry} stands in {seen[entry]} and in {category}")
                seen[entry] = category
        return self

    @model_validator(mode="after")
    def _former_ids_lead_to_one_entry(self) -> CatalogFile:
        """A former id is nobody's id now, and no other entry's former id; a former address is given once."""
        category_of = {entry: category for category, fields in self.categories.items() for entry in fields.entries}
        led: dict[str, str] = {}  # former id -> the entry that it leads to
        problems = []
        for category, fields in self.categories.items():
            for entry, entry_fields in fields.entries.items():
                addresses: set[str] = set()
                for number, former in enumerate(entry_fields.formerly):
                    address = _address(category, former)
                    id = address.partition("/")[2]
                    problem = None
                    if address == f"{category}/{entry}":
                        problem = f"the entry is at {address} now; leave it out"
                    elif id != entry and id in category_of:
                        problem = f"{id} is an entry of {category_of[id]}; leave it out, or give that entry a new id"
                    elif address in addresses:
                        problem = f"{address} stands here a second time; leave it out"
                    elif led.get(id, entry) != entry:
                        problem = f"{id} leads to {led[id]} already; name it with one of the two only"
                    addresses.add(address)
                    led.setdefault(id, entry)
                    if problem:
                        # The braces keep pydantic from reading the text as a template.
                        error = PydanticCustomError("former_id", "{problem}", {"problem": problem})
                        where = ("categories", category, "entries", entry, entry_fields.kind, "formerly", number)
                        problems.append(InitErrorDetails(type=error, loc=where, input=former))
        if problems:
            raise ValidationError.from_exception_data("catalog", problems)
        return self


def _address(category: str, former: str) -> str:
    """`category/id` of what an entry of a category says under `formerly`."""
    return former if "/" in former else f"{category}/{former}"


@dataclass(frozen=True)
class Entry:
    """One error of the catalog, with its place on disk."""

    id: str
    category: str
    fields: ExceptionEntry | WarningEntry | SilentEntry
    root: Path
    texts: Texts = field(default=IN_ENGLISH, repr=False, compare=False)  # of the language that it is told in
    category_title: str = field(default="", repr=False, compare=False)

    @property
    def title(self) -> str:
        return self.fields.title

    @property
    def summary(self) -> str:
        return self.fields.summary

    @property
    def kind(self) -> Kind:
        return self.fields.kind

    @property
    def requires(self) -> list[Requirement]:
        return self.fields.requires

    @property
    def former_addresses(self) -> list[str]:
        """Where the entry stood before it was renamed: `category/id` each."""
        return [_address(self.category, former) for former in self.fields.formerly]

    @property
    def folder(self) -> Path:
        return self.root / ENTRIES_FOLDER / self.category / self.id

    @property
    def page(self) -> Path:
        return self.folder / "README.md"

    def script(self, variant: Variant) -> Path:
        return self.folder / f"{variant}.py"

    def recording(self, variant: Variant) -> Path:
        return self.folder / f"{variant}.out"

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


@dataclass(frozen=True)
class Category:
    """A folder of `common-errors/`."""

    id: str
    title: str
    summary: str
    entries: tuple[Entry, ...]
    texts: Texts = field(default=IN_ENGLISH, repr=False, compare=False)


@dataclass(frozen=True)
class Catalog:
    """All categories and entries, in the order of `catalog.yaml`."""

    root: Path
    categories: tuple[Category, ...]

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
        """The catalog told in another language, as far as it is translated."""
        texts = load_texts(self.root, language)
        categories = tuple(
            replace(
                category,
                title=texts.of_category(category.id, category.title),
                summary=texts.of_category(category.id, category.summary),
                entries=tuple(_told(entry, texts) for entry in category.entries),
                texts=texts,
            )
            for category in self.categories
        )
        return Catalog(self.root, categories)

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


def _told(entry: Entry, texts: Texts) -> Entry:
    told = {
        name: texts.of_entry(entry.id, text)
        for name in ("title", "summary", "fix")
        if (text := getattr(entry.fields, name))
    }
    # What people type in English, such as the name of a function, they type in any language.
    keywords = [*texts.keywords(entry.id), *entry.fields.keywords]
    return replace(
        entry,
        fields=entry.fields.model_copy(update={**told, "keywords": keywords}),
        texts=texts,
        category_title=texts.of_category(entry.category, entry.category_title),
    )


def _nearest(id: str, ids: list[str]) -> str:
    near = difflib.get_close_matches(id, ids, n=3, cutoff=0.4)
    near += [other for other in ids if id and id in other and other not in near][: 3 - len(near)]
    return f"; did you mean {', '.join(near)}?" if near else "; `torch-errors list` shows them all"


def load_catalog(root: Path | None = None) -> Catalog:
    """Read and validate `catalog.yaml` below `root` (default: `find_root()`).

    Raises UserError that names the file, line, entry, field and what was expected.
    """
    root = root or find_root()
    path = root / CATALOG_FILE
    text = read_text(path, "it is the index of the guide")
    try:
        document = yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UserError(f"{path}:{line}: not valid YAML: {error.reason}") from None
    try:
        parsed = CatalogFile.model_validate(document)
    except ValidationError as error:
        raise UserError(_describe(error, path, text)) from None
    categories = tuple(
        Category(
            category_id,
            fields.title,
            fields.summary,
            tuple(
                Entry(entry_id, category_id, entry, root, category_title=fields.title)
                for entry_id, entry in fields.entries.items()
            ),
        )
        for category_id, fields in parsed.categories.items()
    )
    return Catalog(root, categories)


def json_schema() -> dict[str, Any]:
    """JSON Schema of `catalog.yaml`, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | CatalogFile.model_json_schema()


class _UniqueKeyLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Refuses a key given twice: YAML forbids it, and PyYAML would silently let the last one win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a plain text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands here a second time", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _describe(error: ValidationError, path: Path, text: str) -> str:
    """One line a problem: file, line, entry, field, what was expected, what stands there."""
    lines = []
    for problem in error.errors(include_url=False):
        keys = _without_tags(list(problem["loc"]))
        line, found = _locate(text, keys)
        if len(keys) >= 4 and keys[0] == "categories" and keys[2] == "entries":
            field = ".".join(str(key) for key in keys[4:])
            name = f"entry {keys[3]}" + (f", field {field}" if field else "")
        else:
            name = f"field {'.'.join(str(key) for key in keys)}" if keys else "the document"
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "missing":
            message = "is missing"
        elif problem["type"] == "extra_forbidden":
            message = "is not a known field"
        elif problem["type"] == "union_tag_not_found":
            message = "needs a field `kind`: exception, warning or silent"
        value = problem.get("input")
        shown = f" (found {value!r})" if found and isinstance(value, (str, int, float, bool)) else ""
        lines.append(f"{path}:{line}: {name}: {message}{shown}")
    return "\n".join(lines)


def _without_tags(keys: list[Any]) -> list[Any]:
    """The path in the file: pydantic's has one more level, the member of the union, where a union is tagged."""
    keys = [key for key in keys if key != "[key]"]
    if len(keys) > 4 and keys[0] == "categories" and keys[2] == "entries":
        del keys[4]  # the kind of the entry
    for union in ("wrong_fix", "says"):
        if union in keys and keys.index(union) + 1 < len(keys):
            del keys[keys.index(union) + 1]
    return keys


def _locate(text: str, keys: list[Any]) -> tuple[int, bool]:
    """Line (from 1) of the deepest node on the path `keys`, and whether the whole path is there."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line, found = 1, True
    for key in keys:
        child = None
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                if key_node.value == str(key):
                    child, line = value_node, key_node.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            child = node.value[key]
            line = child.start_mark.line + 1
        if child is None:
            found = False
            break
        node = child
    return line, found
