"""The wordings that the catalog knows, ready to be searched for.

`catalog.yaml` is read here without validation, which would take longer than the search: what is malformed is said by
`torch_errors.catalog`, to which this module turns as soon as something is not as expected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import yaml

from torch_errors.languages import ENGLISH, Texts, load_texts

# How far around its fixed words a pattern is tried, in characters: a message is not longer, and no paste makes it so.
BEFORE, AFTER = 300, 1500
# How many places of one pattern's fixed words are tried in one paste: the last ones, where the deciding error stands.
PLACES = 12


@dataclass(frozen=True)
class Case:
    """One way of saying what a message means, for when `when` holds (or always)."""

    say: str
    when: str | None = None


@dataclass(frozen=True)
class Pattern:
    """One wording of one entry."""

    entry: str
    source: str
    says: tuple[Case, ...] = ()
    fix: str | None = None
    assertion: bool = False  # a line that CUDA prints before the exception that it leads to

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.source, re.ASCII)  # as JavaScript reads \d and \w

    @cached_property
    def literal(self) -> str:
        """The longest text that every match contains."""
        return max(literals(self.source), key=len, default="")

    @cached_property
    def weight(self) -> int:
        """How much fixed text a match contains: the more, the more specific."""
        return sum(map(len, literals(self.source)))

    def find(self, text: str) -> list[re.Match[str]]:
        """Matches in `text`, at most PLACES. Time is linear in the length of the text."""
        found: list[re.Match[str]] = []
        end = len(text)
        for _ in range(PLACES):
            at = text.rfind(self.literal, 0, end)
            if at < 0:
                break
            match = self.regex.search(text, max(0, at - BEFORE), at + AFTER)
            if match and match.end() > at and (not found or match.start() != found[-1].start()):
                found.append(match)
            end = at + len(self.literal) - 1
        return found


@dataclass(frozen=True)
class KnownEntry:
    """What `explain` needs to know of an entry."""

    id: str
    category: str
    title: str
    summary: str
    kind: str
    fix: str | None
    wrapper: bool
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Patterns:
    """All entries with their wordings."""

    root: Path
    entries: dict[str, KnownEntry]

    @cached_property
    def all(self) -> tuple[Pattern, ...]:
        return tuple(pattern for entry in self.entries.values() for pattern in entry.patterns)


def literals(source: str) -> list[str]:
    """Texts that every match of a regular expression contains, in order, one after another."""
    found: list[str] = []
    _collect(_parser.parse(source), found, [])
    return found


def _collect(tree: Any, found: list[str], run: list[str]) -> None:
    """Walk the parsed expression; `run` is the text since the last thing that is not fixed."""

    def flush() -> None:
        if run:
            found.append("".join(run))
            run.clear()

    for code, argument in tree:
        if code is _constants.LITERAL:
            run.append(chr(argument))
        elif code is _constants.SUBPATTERN:
            _collect(argument[3], found, run)
        elif code is _constants.MAX_REPEAT and argument[0] >= 1:
            flush()
            _collect(argument[2], found, run)
            flush()
        elif code is not _constants.AT:
            flush()
    flush()


@lru_cache(maxsize=8)
def load_patterns(root: Path, language: str = ENGLISH) -> Patterns:
    """Read the patterns of the catalog below `root`, with what they say in a language.

    Raises UserError where `catalog.yaml` is not valid.
    """
    if language == ENGLISH:
        return _read(root)
    texts = load_texts(root, language)
    return Patterns(root, {id: _told(entry, texts) for id, entry in _read(root).entries.items()})


@lru_cache(maxsize=4)
def _read(root: Path) -> Patterns:
    path = root / "catalog.yaml"
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        return Patterns(root, {entry.id: entry for entry in _entries(document)})
    except Exception:
        from torch_errors.catalog import load_catalog

        load_catalog(root)  # says what is wrong
        raise


def _told(entry: KnownEntry, texts: Texts) -> KnownEntry:
    """The entry in another language, text by text as far as it is translated."""

    def told(text: str) -> str:
        return texts.of_entry(entry.id, text)

    patterns = tuple(
        replace(
            pattern,
            says=tuple(replace(case, say=told(case.say)) for case in pattern.says),
            fix=told(pattern.fix) if pattern.fix else None,
        )
        for pattern in entry.patterns
    )
    fix = told(entry.fix) if entry.fix else None
    return replace(entry, title=told(entry.title), summary=told(entry.summary), fix=fix, patterns=patterns)


def _entries(document: Any) -> list[KnownEntry]:
    return [
        KnownEntry(
            id=id,
            category=category,
            title=row["title"],
            summary=row["summary"],
            kind=row["kind"],
            fix=row.get("fix"),
            wrapper=row.get("wrapper", False),
            patterns=tuple(_patterns(id, row.get("patterns", ()))),
        )
        for category, fields in document["categories"].items()
        for id, row in fields["entries"].items()
    ]


def _patterns(entry: str, rows: Sequence[dict[str, Any]]) -> list[Pattern]:
    found = []
    for row in rows:
        says = row.get("says", ())
        cases = [Case(says)] if isinstance(says, str) else [Case(case["say"], case.get("when")) for case in says]
        found.append(Pattern(entry, row["match"], tuple(cases), row.get("fix"), row.get("assertion", False)))
    return found
