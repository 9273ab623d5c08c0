"""What `catalog.yaml` and the `entry.yaml` of each folder may hold, as pydantic models.

`catalog.yaml` has a short row for each entry, with its INDEX_FIELDS; the others are in `entry.yaml` in its folder.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from torch_errors.catalog.texts import Keywords, OneLine, Sentences, Text, Words
from torch_errors.catalog.yaml_files import UNION_TAG

# What `catalog.yaml` says of an entry.
INDEX_FIELDS = ("title", "summary", "kind", "exception", "warning", "requires")
# How far apart the healthy and the broken range of a measure must lie, as a factor.
WIDE_MARGIN = 2.0

Variant = Literal["broken", "fixed", "wrong_fix"]
# Hardware and systems that scripts may need. Any other requirement is the name of a package, as `import` takes it.
System = Literal["cuda", "mps", "posix", "linux", "windows", "namespaces", "compiler"]
SYSTEMS: tuple[System, ...] = get_args(System)
# What most machines lack: entries that need it may be without recordings until somebody who has it makes them.
RARE: frozenset[System] = frozenset({"cuda", "mps", "windows"})
EntryKind = Literal["exception", "warning", "silent"]
# Packages whose users meet PyTorch's errors in code that is not theirs, by the name of their folder.
Framework = Literal[
    "accelerate", "ComfyUI", "deepspeed", "diffusers", "lightning", "peft", "timm", "torch_geometric", "transformers",
    "trl", "ultralytics",
]  # fmt: skip


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
Requirement = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
_Line = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\n]+$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SaysCase(_Model):
    """One way of saying what a message means."""

    say: Sentences
    when: str | None = Field(None, description="Condition on the named groups; without one the case always holds.")
    fix: OneLine | None = Field(None, description="The smallest change in this case; without one, that of the pattern.")
    seen: str | None = Field(
        None, description="Where such a message was seen, if cases.py cannot raise one: version, public report."
    )


# The tags only keep pydantic from trying every member of the union, and from reporting on each.
Says = Annotated[
    Annotated[Sentences, Tag(f"{UNION_TAG}text")] | Annotated[list[SaysCase], Tag(f"{UNION_TAG}cases")],
    Discriminator(lambda value: f"{UNION_TAG}{'cases' if isinstance(value, list) else 'text'}"),
]


class FrameworkAdvice(_Model):
    """What to say to readers whose code calls a framework, which calls PyTorch."""

    say: Sentences | None = None
    fix: OneLine | None = None

    @model_validator(mode="after")
    def _says_something(self) -> FrameworkAdvice:
        if self.say is None and self.fix is None:
            raise ValueError("needs say or fix")
        return self


class MessagePattern(_Model):
    """One wording of an error message, and what its numbers mean.

    `says` and `fix` may hold expressions in braces, see `torch_errors.catalog.expressions`.
    """

    match: Pattern = Field(description="Regular expression searched for in the message, with named groups.")
    says: Says = Field(
        [], description="What happened, with the numbers of the message; of a list, the first case that holds."
    )
    fix: OneLine | None = Field(None, description="The smallest change, with the numbers that decide it.")
    frameworks: dict[Framework, FrameworkAdvice] = Field(
        {},
        description="What to say instead where the traceback passes through a framework; of several, the outermost.",
    )
    assertion: bool = Field(False, description="A line that CUDA prints before the exception that it causes.")

    @property
    def cases(self) -> list[SaysCase]:
        """`says` as a list."""
        return self.says if isinstance(self.says, list) else [SaysCase.model_construct(say=self.says)]

    @property
    def texts(self) -> list[Text]:
        """Everything that `explain` may say of such a message."""
        parts: list[SaysCase | FrameworkAdvice] = [*self.cases, *self.frameworks.values()]
        said = [text for part in parts for text in (part.say, part.fix)]
        return [text for text in [*said, self.fix] if text]

    @model_validator(mode="after")
    def _names_only_its_groups(self) -> MessagePattern:
        from torch_errors.catalog.expressions import names_in, names_in_condition

        groups = set(re.compile(self.match).groupindex)
        used = set().union(*map(names_in, self.texts))
        used |= set().union(*(names_in_condition(case.when) for case in self.cases if case.when))
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
    measure: Measure = Field(description="The number by which the failure shows itself.")
    curve: Curve | None = Field(None, description="The series that the scripts print, for the figure of the page.")


def _kind(value: Any) -> str | None:
    """The tag of a promise or an entry: its kind; of `same`, the text itself."""
    if isinstance(value, str):
        return f"{UNION_TAG}same"
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return f"{UNION_TAG}{kind}" if kind else None


WrongFix = Annotated[
    Annotated[Literal["same"], Tag(f"{UNION_TAG}same")]
    | Annotated[ExceptionPromise, Tag(f"{UNION_TAG}exception")]
    | Annotated[WarningPromise, Tag(f"{UNION_TAG}warning")]
    | Annotated[SilentPromise, Tag(f"{UNION_TAG}silent")],
    Discriminator(_kind),
]


# How often an entry is the cause of a symptom: 1 rarely, 2 sometimes, 3 often.
Weight = Annotated[int, Field(ge=1, le=3)]


class AlsoNamed(_Model):
    """What `--watch` truly names beside, or instead of, the entry whose script it watches."""

    entries: list[Identifier] = Field(min_length=1, description="The ids.")
    why: _Line = Field(description="Why that is true of the script.")


class _Entry(_Model):
    """What is said of an entry of any kind."""

    title: OneLine = Field(description="The message or symptom, as people search for it.")
    summary: OneLine = Field(description="One sentence: the statement of the page.")
    requires: list[Requirement] = Field(
        [],
        description=f"What scripts need: {', '.join(SYSTEMS)}, or a package, as `import` names it.",
    )
    fix: OneLine | None = Field(None, description="The smallest fix, in one sentence.")
    keywords: Keywords = Field(
        default_factory=Words,
        description="Symptoms and related messages in people's words, for the search and for guesses.",
    )
    symptoms: dict[Identifier, Weight] = Field(
        {},
        description="The symptoms of catalog.yaml that it causes, with how often it is the cause: 1 rarely, 2 "
        "sometimes, 3 often. A silent failure has at least one.",
    )
    also_named: dict[_Line, AlsoNamed] = Field(
        {},
        description="What `--watch` truly names beside this entry: broken, fixed, wrong_fix, or the title of a cell of "
        "cases.py -> ids of other entries, and why.",
    )
    wrapper: bool = Field(False, description="Only wraps another error, which is then the answer.")
    wrong_fix: WrongFix | None = Field(
        None,
        description="How wrong_fix.py fails: `same` as broken.py, or a promise of its own. Needed with wrong_fix.py.",
    )
    formerly: list[FormerId] = Field(
        [],
        description="What the entry was called: an id, or `category/id` where it was in another category. "
        "The site leads from there to the entry, and commands accept it.",
    )
    timeout: float = Field(120.0, gt=0, le=600, description="Seconds that one script may take.")


class ExceptionEntry(_Entry, ExceptionPromise):
    """An error that ends the script."""


class WarningEntry(_Entry, WarningPromise):
    """A warning; the script runs to its end."""


class SilentEntry(_Entry, SilentPromise):
    """No message; a number is wrong."""


EntryFields = ExceptionEntry | WarningEntry | SilentEntry
# The same for pydantic, which takes the member that the kind asks for.
AnyEntry = Annotated[
    Annotated[ExceptionEntry, Tag(f"{UNION_TAG}exception")]
    | Annotated[WarningEntry, Tag(f"{UNION_TAG}warning")]
    | Annotated[SilentEntry, Tag(f"{UNION_TAG}silent")],
    Discriminator(_kind),
]


def _not_empty(words: Words) -> Words:
    if not words:
        raise ValueError("needs at least one in English")
    return words


class CategoryFields(_Model):
    title: OneLine
    summary: OneLine
    prompt: Identifier = Field(
        default="error-analysis",
        description="the file of debug-templates/prompts/ that asks a language model about these errors",
    )
    entries: dict[Identifier, dict[str, Any]] = Field(description="INDEX_FIELDS of each entry.")


class SymptomFields(_Model):
    """What people see of a failure that prints no message; its page lists the entries that cause it."""

    title: OneLine = Field(description="The symptom, as people search for it.")
    summary: OneLine = Field(description="What tells it apart from its neighbors, and what to look at first.")
    keywords: Annotated[Keywords, AfterValidator(_not_empty)] = Field(
        description="How people describe it, for the search."
    )
    workflow: Identifier | None = Field(
        None, description="The page of troubleshooting-workflows/ that goes on, without `.md`."
    )


class CatalogFile(_Model):
    """PyTorch debugging guide: the index of its errors."""

    symptoms: dict[Identifier, SymptomFields] = Field({}, max_length=15)
    categories: dict[Identifier, CategoryFields]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> CatalogFile:
        seen: dict[str, str] = {}
        for category, fields in self.categories.items():
            for entry in fields.entries:
                if entry in seen:
                    raise ValueError(f"the id {entry} is in {seen[entry]} and in {category}")
                seen[entry] = category
        return self
