"""What `catalog.yaml` and the `entry.yaml` of each folder may hold, as pydantic models.

`catalog.yaml` has a short row for each entry; everything else about an entry is in its folder.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

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
OneLine = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\n]+$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SaysCase(_Model):
    """One way of saying what a message means."""

    say: Annotated[str, Field(min_length=1, max_length=400)]
    when: str | None = Field(None, description="Condition on the named groups; without one the case always holds.")
    fix: OneLine | None = Field(None, description="The smallest change in this case; without one, that of the pattern.")
    seen: str | None = Field(
        None, description="Where such a message was seen, if cases.py cannot raise one: version, public report."
    )


# The tags only keep pydantic from trying every member of the union, and from reporting on each.
Says = Annotated[
    Annotated[Annotated[str, Field(min_length=1, max_length=400)], Tag("text")]
    | Annotated[list[SaysCase], Tag("cases")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "cases"),
]


class FrameworkAdvice(_Model):
    """What to say to readers whose code calls a framework, which calls PyTorch."""

    say: Annotated[str, Field(min_length=1, max_length=400)] | None = None
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
        return [SaysCase(say=self.says, when=None, fix=None, seen=None)] if isinstance(self.says, str) else self.says

    @property
    def texts(self) -> list[str]:
        """Everything that `explain` may say of such a message."""
        advice = [text for one in self.frameworks.values() for text in (one.say, one.fix)]
        told = [text for case in self.cases for text in (case.say, case.fix)]
        return [text for text in [*told, self.fix, *advice] if text]

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


class _RowFields(_Model):
    """What `catalog.yaml` says of every entry."""

    title: OneLine = Field(description="The message or symptom, as people search for it.")
    summary: OneLine = Field(description="One sentence: the statement of the page.")
    requires: list[Requirement] = Field(
        [],
        description=f"What scripts need: {', '.join(SYSTEMS)}, or a package, as `import` names it.",
    )


class ExceptionRow(_RowFields):
    """An error that ends the script."""

    kind: Literal["exception"]
    exception: str = Field(description="Type name of the exception, such as RuntimeError.")


class WarningRow(_RowFields):
    """A warning; the script runs to its end."""

    kind: Literal["warning"]
    warning: str = Field(description="Category of the warning, such as UserWarning.")


class SilentRow(_RowFields):
    """No message; a number is wrong."""

    kind: Literal["silent"]


Row = ExceptionRow | WarningRow | SilentRow


# How often an entry is the cause of a symptom: 1 rarely, 2 sometimes, 3 often.
Weight = Annotated[int, Field(ge=1, le=3)]


class AlsoNamed(_Model):
    """What `--watch` truly names beside, or instead of, the entry whose script it watches."""

    entries: list[Identifier] = Field(min_length=1, description="The ids.")
    why: OneLine = Field(description="Why that is true of the script.")


class _DetailFields(_Model):
    """What `entry.yaml` may say of an entry of any kind."""

    fix: OneLine | None = Field(None, description="The smallest fix, in one sentence.")
    keywords: list[OneLine] = Field(
        [], description="Symptoms and related messages in people's words, for the search and for guesses."
    )
    symptoms: dict[Identifier, Weight] = Field(
        {},
        description="The symptoms of catalog.yaml that it causes, with how often it is the cause: 1 rarely, 2 "
        "sometimes, 3 often. A silent failure has at least one.",
    )
    also_named: dict[OneLine, AlsoNamed] = Field(
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
    timeout: float = Field(60.0, gt=0, le=600, description="Seconds that one script may take.")


class MessageDetails(_DetailFields):
    """`entry.yaml` of an exception or a warning."""

    patterns: list[MessagePattern] = Field(min_length=1, description="Wordings; one of them must match.")


class SilentDetails(_DetailFields):
    """`entry.yaml` of a silent failure."""

    measure: Measure = Field(description="The number by which the failure shows itself.")
    curve: Curve | None = Field(None, description="The series that the scripts print, for the figure of the page.")


Details = MessageDetails | SilentDetails


class ExceptionEntry(MessageDetails, ExceptionRow, ExceptionPromise):
    """Both files of an entry together."""


class WarningEntry(MessageDetails, WarningRow, WarningPromise):
    """Both files of an entry together."""


class SilentEntry(SilentDetails, SilentRow, SilentPromise):
    """Both files of an entry together."""


EntryFields = ExceptionEntry | WarningEntry | SilentEntry


def details_model(row: Row) -> type[Details]:
    """The model of the `entry.yaml` that belongs to a row."""
    return SilentDetails if isinstance(row, SilentRow) else MessageDetails


def combined(row: Row, details: Details) -> EntryFields:
    """One entry from its row and its details, both validated."""
    models: dict[str, type[EntryFields]] = {
        "exception": ExceptionEntry,
        "warning": WarningEntry,
        "silent": SilentEntry,
    }
    return models[row.kind].model_construct(**dict(row), **dict(details))


class CategoryFields(_Model):
    title: OneLine
    summary: OneLine
    prompt: Identifier = Field(
        default="error-analysis",
        description="the file of debug-templates/prompts/ that asks a language model about these errors",
    )
    entries: dict[Identifier, Annotated[Row, Field(discriminator="kind")]]


class SymptomFields(_Model):
    """What people see of a failure that prints no message; its page lists the entries that cause it."""

    title: OneLine = Field(description="The symptom, as people search for it.")
    summary: OneLine = Field(description="What tells it apart from its neighbors, and what to look at first.")
    keywords: list[OneLine] = Field(min_length=1, description="How people describe it, for the search.")
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
