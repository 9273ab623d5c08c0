"""The fields of `catalog.yaml` and of each `entry.yaml`, as pydantic models.

`catalog.yaml` contains the INDEX_FIELDS of each entry; the other fields are in `entry.yaml` in the folder of the entry.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from torch_errors.catalog.circumstances import NAMES, compile_circumstance
from torch_errors.catalog.expressions import OF_THE_LINE
from torch_errors.catalog.texts import Keywords, OneLine, Sentences, Text, Words
from torch_errors.catalog.yaml_files import UNION_TAG

# The fields of an entry that are in `catalog.yaml`.
INDEX_FIELDS = ("title", "summary", "kind", "exception", "warning", "requires")
# The healthy range and the broken range of a measure must differ by at least this factor.
WIDE_MARGIN = 2.0

Variant = Literal["broken", "fixed", "wrong_fix"]
# Hardware and systems that scripts may need. Any other requirement is the name of a package, as in `import`.
System = Literal["cuda", "mps", "xpu", "posix", "linux", "windows", "namespaces", "compiler", "multicore"]
SYSTEMS: tuple[System, ...] = get_args(System)
# Requirements that most machines do not meet: such entries may lack recordings until somebody can make them.
RARE: frozenset[System] = frozenset({"cuda", "mps", "xpu", "windows"})
EntryKind = Literal["exception", "warning", "silent"]


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _is_circumstance(condition: str) -> str:
    compile_circumstance(condition)
    return condition


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_compiles)]
Circumstance = Annotated[str, AfterValidator(_is_circumstance)]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
# Either `id` or `category/id`.
FormerId = Annotated[
    str, Field(pattern=r"^([a-z][a-z0-9]*(-[a-z0-9]+)*/)?[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=121)
]
Requirement = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
_Line = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\n]+$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SaysCase(_Model):
    """An explanation of a message, with the condition under which it applies."""

    say: Sentences
    when: str | None = Field(None, description="Condition on the named groups. Without it, the case always applies.")
    fix: OneLine | None = Field(None, description="The smallest change in this case. Default: the fix of the pattern.")
    seen: str | None = Field(
        None, description="The version and the public report with such a message, if cases.py cannot raise it."
    )


# The tags keep pydantic from trying, and reporting errors for, every member of the union.
Says = Annotated[
    Annotated[Sentences, Tag(f"{UNION_TAG}text")] | Annotated[list[SaysCase], Tag(f"{UNION_TAG}cases")],
    Discriminator(lambda value: f"{UNION_TAG}{'cases' if isinstance(value, list) else 'text'}"),
]


class CircumstanceAdvice(_Model):
    """Advice for readers in a certain circumstance."""

    say: Sentences | None = None
    fix: OneLine | None = None
    source: str | None = Field(None, pattern="^https://", description="Address of the page that the advice follows.")

    @model_validator(mode="after")
    def _says_something(self) -> CircumstanceAdvice:
        if self.say is None and self.fix is None:
            raise ValueError("needs say or fix")
        return self


_CIRCUMSTANCES = (
    "Texts to use instead in a circumstance of the reader, such as `ComfyUI`, `ROCm + Windows` or `torch < 2.5`. Of "
    "those that apply, the one with the most parts counts, then programs, the outermost framework, and the order of: "
    f"{', '.join(NAMES)}."
)
Circumstances = dict[Circumstance, CircumstanceAdvice]


class MessagePattern(_Model):
    """One wording of an error message, and what its numbers mean.

    `says` and `fix` may contain expressions in braces (see `torch_errors.catalog.expressions`).
    """

    match: Pattern = Field(description="Regular expression searched for in the message, with named groups.")
    code: Pattern | None = Field(
        None,
        description="Regular expression that must be found in the reader's code right above the message, if the "
        "message alone does not show that it belongs to the entry.",
    )
    says: Says = Field(
        [], description="What happened, with the numbers from the message. From a list, the first case that applies."
    )
    fix: OneLine | None = Field(None, description="The smallest change, with the numbers from the message.")
    circumstances: Circumstances = Field({}, description=_CIRCUMSTANCES)
    picture: str | None = Field(
        None,
        description="The shapes that do not fit, for a drawing: `[{rows} x *{columns}*] @ [*{other}* x 10]`. Sizes in "
        "brackets, `?` for an unknown one, the ones that disagree between asterisks, and operators between shapes.",
    )
    assertion: bool = Field(False, description="Whether CUDA prints this line before the exception that it causes.")
    common: bool = Field(
        False, description="Whether other programs print these words, too: a traceback without PyTorch is not answered."
    )

    @property
    def cases(self) -> list[SaysCase]:
        """`says` as a list."""
        return self.says if isinstance(self.says, list) else [SaysCase.model_construct(say=self.says)]

    @property
    def texts(self) -> list[Text]:
        """All texts of the pattern, in which its named groups may occur."""
        parts: list[SaysCase | CircumstanceAdvice] = [*self.cases, *self.circumstances.values()]
        texts = [text for part in parts for text in (part.say, part.fix)]
        return [text for text in [*texts, self.fix] if text]

    @model_validator(mode="after")
    def _names_only_its_groups(self) -> MessagePattern:
        from torch_errors.catalog.expressions import names_in, names_in_condition

        groups = {*re.compile(self.match).groupindex, *OF_THE_LINE}
        used = set().union(*map(names_in, self.texts))
        used |= set().union(*(names_in_condition(case.when) for case in self.cases if case.when))
        used |= names_in(self.picture or "")
        if used - groups:
            raise ValueError(
                f"says, fix or picture uses {', '.join(sorted(used - groups))}, which match does not capture"
            )
        return self


class Range(_Model):
    """An interval that contains its ends. Without `min` or `max`, it is unbounded on that side."""

    min: float | None = Field(None, description="Smallest number in the range.")
    max: float | None = Field(None, description="Largest number in the range.")
    nan: bool = Field(False, description="Whether NaN is in the range.")

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
    """The number that reveals a silent failure, which the script prints as `name=value`."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    healthy: Range = Field(description="The values of the number with the fix.")
    broken: Range = Field(description="The values in broken.py, outside the healthy range by a wide margin.")
    unit: str | None = Field(None, description="Unit of the number, as readers see it.")

    @model_validator(mode="after")
    def _ranges_are_far_apart(self) -> Measure:
        """Require a factor of at least WIDE_MARGIN between the healthy and the broken range."""
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
    """The curves that the scripts of a silent failure print, with one line such as `x=1 y=0.5` per point."""

    x: str = Field(description="Printed name of the horizontal axis, such as step.")
    y: list[str] = Field(min_length=1, description="Printed names of the curves.")
    log: bool = Field(False, description="Whether the vertical axis is logarithmic.")


class ExceptionPromise(_Model):
    """The script ends with this exception."""

    kind: Literal["exception"]
    exception: str = Field(description="Class name of the exception, such as RuntimeError.")
    patterns: list[MessagePattern] = Field(min_length=1, description="Wordings; one of them must match.")


class WarningPromise(_Model):
    """The script runs to its end and emits this warning."""

    kind: Literal["warning"]
    warning: str = Field(description="Class name of the warning, such as UserWarning.")
    patterns: list[MessagePattern] = Field(min_length=1, description="Wordings; one of them must match.")


class SilentPromise(_Model):
    """The script runs to its end, and a number that it prints is wrong."""

    kind: Literal["silent"]
    measure: Measure = Field(description="The number that reveals the failure.")
    curve: Curve | None = Field(None, description="The curves that the scripts print, for the figure on the page.")


def _kind(value: Any) -> str | None:
    """Return the tag of a promise or an entry (its kind), or the tag of the text `same`."""
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


# How often an entry is the cause of a symptom: 1 for rarely, 2 for sometimes, 3 for often.
Weight = Annotated[int, Field(ge=1, le=3)]


class AlsoNamed(_Model):
    """Findings that `--watch` correctly reports for a script of this entry besides, or instead of, this entry."""

    entries: list[Identifier] = Field(min_length=1, description="Ids of the reported entries.")
    why: _Line = Field(description="Why the findings are correct for the script.")


class _Entry(_Model):
    """The fields that entries of every kind have."""

    title: OneLine = Field(description="The message or symptom, as people search for it.")
    summary: OneLine = Field(description="What went wrong, in one sentence, as on the page.")
    requires: list[Requirement] = Field(
        [],
        description=f"Requirements of the scripts: {', '.join(SYSTEMS)}, or the name of a package, as in `import`.",
    )
    fix: OneLine | None = Field(None, description="The smallest fix, in one sentence.")
    circumstances: Circumstances = Field(
        {}, description=f"Used where the `fix` of the entry would be, without the message's numbers. {_CIRCUMSTANCES}"
    )
    keywords: Keywords = Field(
        default_factory=Words,
        description="Symptoms and related messages in the words of readers, for the search and for guesses.",
    )
    symptoms: dict[Identifier, Weight] = Field(
        {},
        description="The symptoms (ids in catalog.yaml) that this entry causes, and how often it is their cause: 1 for "
        "rarely, 2 for sometimes, 3 for often. A silent failure needs at least one symptom.",
    )
    also_named: dict[_Line, AlsoNamed] = Field(
        {},
        description="Findings that `--watch` correctly reports besides, or instead of, this entry. The key is broken, "
        "fixed, wrong_fix or the title of a cell of cases.py.",
    )
    wrapper: bool | Literal["job"] = Field(
        False,
        description="Whether it only wraps a different error, which is then the answer. `job`: it follows when any "
        "other process of the job fails.",
    )
    wrong_fix: WrongFix | None = Field(
        None,
        description="How wrong_fix.py fails: `same` (like broken.py), or its own failure. Required with wrong_fix.py.",
    )
    formerly: list[FormerId] = Field(
        [],
        description="Former names of the entry: an id, or `category/id` if it was in a different category. "
        "The site redirects these addresses to the entry, and commands accept the names.",
    )
    timeout: float = Field(120.0, gt=0, le=600, description="Time limit for each script, in seconds.")

    @model_validator(mode="after")
    def _circumstances_need_no_groups(self) -> Self:
        from torch_errors.catalog.expressions import names_in

        texts = [text for one in self.circumstances.values() for text in (one.say, one.fix) if text]
        used = set().union(*map(names_in, texts)) - {*OF_THE_LINE}
        if used:
            raise ValueError(f"circumstances of an entry use {', '.join(sorted(used))}, which only a pattern captures")
        return self


class ExceptionEntry(_Entry, ExceptionPromise):
    """An exception that ends the script."""


class WarningEntry(_Entry, WarningPromise):
    """A warning. The script runs to its end."""


class SilentEntry(_Entry, SilentPromise):
    """A failure without a message: a number is wrong."""


EntryFields = ExceptionEntry | WarningEntry | SilentEntry
# The same union for pydantic, which selects the member by the kind of the entry.
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
        description="Prompt for a language model about these errors: a file in debug-templates/prompts/, without .md.",
    )
    entries: dict[Identifier, dict[str, Any]] = Field(
        description="The entries by id. The other fields are in entry.yaml."
    )


class SymptomCurve(_Model):
    """A small picture of the symptom: what broken.py of one of its causes printed, for readers who have a curve."""

    entry: Identifier = Field(description="The entry whose recorded run is drawn. It must have a `curve`.")
    title: OneLine = Field(description="What the curve does, in a few words.")
    y: list[str] = Field([], description="The names of its `curve` that are drawn. Default: all of them.")
    log: bool | None = Field(None, description="Whether the vertical axis is logarithmic. Default: as on its page.")
    classes: int | None = Field(None, ge=2, description="Draws a line at ln(classes), the loss of a random guess.")
    stairs: bool = Field(False, description="Whether a value is drawn as lasting until the next one.")


class SymptomFields(_Model):
    """A symptom of failures that print no message. Its page lists the entries that cause it."""

    title: OneLine = Field(description="The symptom, as people search for it.")
    summary: OneLine = Field(description="How the symptom differs from similar symptoms, and what to check first.")
    keywords: Annotated[Keywords, AfterValidator(_not_empty)] = Field(
        description="How readers describe the symptom, for the search."
    )
    workflow: Identifier | None = Field(
        None, description="The page of troubleshooting-workflows/ to continue with, without `.md`."
    )
    curves: list[SymptomCurve] = Field([], description="Pictures of the symptom, for the grid of curves.")


class CatalogFile(_Model):
    """PyTorch debugging guide: the index of its errors."""

    symptoms: dict[Identifier, SymptomFields] = Field({}, max_length=20)
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
