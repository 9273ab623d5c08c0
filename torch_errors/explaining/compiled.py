"""The data of `explain`, compiled from the catalog into one file.

Reading and validating hundreds of YAML files takes longer than finding the answer, so `compile_catalog` does it once.
The command, the notes on exceptions and the site read the result. A wheel contains the file; in a checkout it is in a
folder that git ignores, and it is compiled again when a source has changed.

Each part of the file is one line of JSON, so that a reader decodes only the parts that it needs:

    1     version of the format, and a fingerprint of the sources
    2     entries: [id, category, kind, wrapper]
    3     patterns: [number of the entry, regular expression, its longest literal, weight, assertion, common, picture,
          code]
    4     for what is nearest by words: term -> entries and symptoms with it, as words.py packs them
    5     for the same: weight of a term, indexed by the number of entries and symptoms with it, and the synonyms
    6     symptoms: [id, workflow, numbers of the entries that cause it, the most frequent first]
    7     recorded messages of each entry, as lower-case words (torch_errors/explaining/wordings.py)

Then follow, for each language:

    1     texts of the program, [title, summary, fix, [[circumstance, say, fix], ...]] of each entry, and
          [title, summary] of each symptom
    2...  texts of each pattern: [[[say, when, fix], ...], fix, [[circumstance, say, fix], ...]], with expressions as
          trees and a circumstance as the list of its parts

The JavaScript engine of the site gets the same parts (website/engine.py).
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from torch_errors.catalog.locate import (
    CATALOG_FILE,
    ENTRIES_FOLDER,
    ENTRY_FILE,
    INTERFACE_FILE,
    PACKAGED,
    RECORDED_FOLDER,
)
from torch_errors.languages import ENGLISH, LANGUAGES, Texts

if TYPE_CHECKING:
    from torch_errors.catalog.circumstances import Part
    from torch_errors.catalog.expressions import TextTree, Tree
    from torch_errors.catalog.fields import Circumstances
    from torch_errors.catalog.texts import Text, Words

    # A list of cases [say, when, fix], the fix, and a list of variants [circumstance, say, fix].
    PatternTexts: TypeAlias = tuple[
        list[tuple[TextTree, Tree | None, TextTree | None]],
        TextTree | None,
        list[tuple[list[Part], TextTree | None, TextTree | None]],
    ]

FORMAT = 10
NAME = "explain.jsonl"
_TEXTS_FROM = 7  # index of the line with the texts of the first language
FOLDER = ".compiled"  # folder of the file in a checkout
# The modules that do the compiling, and the synonyms: a change to one of them also requires a new file.
_RULES = [
    *Path(__file__).parent.glob("*.py"),
    *Path(__file__).parent.glob("*.yaml"),
    *(Path(__file__).parents[1] / "catalog").glob("*.py"),
]

# Id, category, kind, and whether the entry only wraps a different error.
EntryRow: TypeAlias = tuple[str, str, str, bool | str]
# Number of the entry, regular expression, longest literal, weight, whether it matches a CUDA assertion, whether other
# programs print these words, too, the shapes, and the regular expression for the code above the message.
PatternRow: TypeAlias = "tuple[int, str, str, int, bool, bool, TextTree | None, str | None]"


@dataclass(frozen=True)
class Compiled:
    """The lines of a compiled file."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def is_whole(self) -> bool:
        """Whether the file has all of its lines."""
        return len(self.lines) == _TEXTS_FROM + len(LANGUAGES) * (1 + len(self.patterns))

    def _part(self, number: int) -> Any:
        return json.loads(self.lines[number])

    @cached_property
    def entries(self) -> list[EntryRow]:
        """All entries, in the order of the catalog."""
        return self._part(1)

    @cached_property
    def patterns(self) -> list[PatternRow]:
        """The patterns of all entries."""
        return self._part(2)

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """Term -> the entries and symptoms with it, as `indexed` packs them."""
        return self._part(3)

    @cached_property
    def _nearness(self) -> dict[str, Any]:
        return self._part(4)

    @property
    def weights(self) -> list[int]:
        """Weight of a term, indexed by the number of entries and symptoms with it."""
        return self._nearness["weights"]

    @property
    def synonyms(self) -> dict[str, str]:
        """The tokens of a synonym -> the term that stands for it."""
        return self._nearness["synonyms"]

    @cached_property
    def symptoms(self) -> list[tuple[str, str | None, list[int]]]:
        """Id, workflow, and numbers of the causes of each symptom, the most frequent cause first."""
        return self._part(5)

    @cached_property
    def recorded(self) -> list[list[str]]:
        """The recorded messages of each entry, as lower-case words."""
        return self._part(6)

    def texts(self, language: str) -> dict[str, Any]:
        """Return `interface` (English text -> translation) and `entries` (title, summary, fix, variants of each)."""
        return self._part(self._texts_from(language))

    def pattern_texts(self, language: str, number: int) -> PatternTexts:
        """Return the cases, the fix, and the variants of the pattern with this number."""
        return self._part(self._texts_from(language) + 1 + number)

    def _texts_from(self, language: str) -> int:
        lines = (len(self.lines) - _TEXTS_FROM) // len(LANGUAGES)
        return _TEXTS_FROM + LANGUAGES.index(language) * lines


@lru_cache(maxsize=4)
def load_compiled(root: Path) -> Compiled:
    """Return the compiled data of the guide at `root`, compiled again if a source has changed.

    Raises UserError if the catalog is not valid.
    """
    if root == PACKAGED:
        return _read(root / NAME)
    path, header = root / FOLDER / NAME, _header(_fingerprint(root))
    compiled = _usable(path, header)
    if compiled is None:
        # The fingerprint was taken before compiling, so the next reader compiles again if a source changes meanwhile.
        compiled = Compiled((header, *compile_catalog(root)))
        _write(path, compiled)
    return compiled


def compiled_text(root: Path) -> str:
    """Return the content of the compiled file for the guide at `root`. Raises UserError if the catalog is not valid."""
    return Compiled((_header(_fingerprint(root)), *compile_catalog(root))).text


def interface(root: Path, language: str) -> Texts:
    """Return the texts of the program in a language. Raises UserError if the catalog is not valid."""
    if language == ENGLISH:
        return Texts(language)
    return Texts(language, load_compiled(root).texts(language)["interface"])


def compile_catalog(root: Path) -> list[str]:
    """Return all lines of the file except the first. Raises UserError if the catalog is not valid."""
    from torch_errors.catalog.circumstances import compile_circumstance
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.catalog.texts import load_texts
    from torch_errors.explaining.literals import literals
    from torch_errors.explaining.wordings import recorded
    from torch_errors.explaining.words import ID, WORDING, described, indexed, load_synonyms, rarities

    catalog = load_catalog(root)
    entries: list[list[Any]] = []
    patterns: list[list[Any]] = []
    messages: list[list[str]] = []
    documents: list[Counter[str]] = []  # how much each term counts in each entry, and then in each symptom
    texts: dict[str, dict[str, Any]] = {}
    load_texts.cache_clear()
    for language in LANGUAGES:
        texts[language] = {"interface": dict(load_texts(language).interface), "entries": [], "patterns": []}
        titles = [[symptom.title.of(language), symptom.summary.of(language)] for symptom in catalog.symptoms]
        texts[language]["symptoms"] = titles
    for number, entry in enumerate(catalog):
        fields = entry.fields
        rows = getattr(fields, "patterns", [])
        wordings = [literals(row.match) for row in rows]
        entries.append([entry.id, entry.category, entry.kind, fields.wrapper])
        for row, fixed in zip(rows, wordings, strict=True):
            longest = max(fixed, key=len, default="")
            strength, drawn = sum(map(len, fixed)), _text(row.picture)
            patterns.append([number, row.match, longest, strength, row.assertion, row.common, drawn, row.code])
        longest_texts = (max(fixed, key=len, default="") for fixed in wordings)
        messages.append(
            recorded(_recorded_messages(entry.folder), longest_texts) if rows and fields.wrapper is not True else []
        )
        named = [(ID, [entry.id.replace("-", " ")]), (WORDING, [" ".join(chain(*wordings))])]
        documents.append(described([*_searched(entry.title, entry.summary, fields.keywords), *named]))
        for language in LANGUAGES:

            def translated(text: Text | None, language: str = language) -> str | None:
                return text.of(language) if text else None

            def variants(given: Circumstances, language: str = language) -> list[list[Any]]:
                return [
                    [compile_circumstance(name), *(_text(translated(text, language)) for text in (one.say, one.fix))]
                    for name, one in given.items()
                ]

            entry_row = [translated(entry.title), translated(entry.summary), translated(fields.fix)]
            texts[language]["entries"].append([*entry_row, variants(fields.circumstances)])
            for row in rows:
                cases = [[translated(case.say), case.when, translated(case.fix)] for case in row.cases]
                texts[language]["patterns"].append([cases, translated(row.fix), variants(row.circumstances)])
    numbers = {entry.id: number for number, entry in enumerate(catalog)}
    symptoms = [
        [symptom.id, symptom.workflow, [numbers[entry.id] for entry, _ in catalog.causes(symptom)]]
        for symptom in catalog.symptoms
    ]
    documents += [described(_searched(one.title, one.summary, one.keywords)) for one in catalog.symptoms]
    index = indexed(documents)
    nearness = {
        "weights": rarities(len(documents), max(map(len, index.values()), default=0)),
        "synonyms": load_synonyms(),
    }
    parts: list[Any] = [entries, patterns, index, nearness, symptoms, messages]
    for language in LANGUAGES:
        pattern_texts = texts[language].pop("patterns")
        parts += [texts[language], *(_with_trees(*row) for row in pattern_texts)]
    return [json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts]


# A message in `recorded/answers.yaml`, in which long texts continue on indented lines.
_MESSAGE = re.compile(r"^  message: (.*\n(?:    .*\n)*)", re.MULTILINE)


def _recorded_messages(folder: Path) -> Iterator[str]:
    """The messages that the script and the cases of an entry were recorded to print."""
    from torch_errors.paste.facts import read

    with suppress(OSError):
        output = (folder / RECORDED_FOLDER / "broken.out").read_text(encoding="utf-8", errors="replace")
        yield read(output.rpartition("\n# exit")[0]).message
    with suppress(OSError):
        answers = (folder / RECORDED_FOLDER / "answers.yaml").read_text(encoding="utf-8", errors="replace")
        yield from (re.sub(r"\\.", " ", message) for message in _MESSAGE.findall(answers))


def _searched(title: Text, summary: Text, keywords: Words) -> list[tuple[float, list[str]]]:
    """Return the texts by which an entry or a symptom is found, in all languages, and how much a word counts."""
    from torch_errors.explaining.words import KEYWORD, SUMMARY, TITLE

    others = [keywords.translations.get(language, ()) for language in LANGUAGES]
    titles = dict.fromkeys([title, *title.translations.values()])
    return [(TITLE, [*titles]), (SUMMARY, [summary]), (KEYWORD, [*keywords, *chain(*others)])]


def _with_trees(cases: list[list[str | None]], fix: str | None, variants: list[list[Any]]) -> list[object]:
    """Return the texts of a pattern with their expressions compiled; those of the variants are."""
    from torch_errors.catalog.expressions import compile_expression

    compiled = [[_text(say), when and compile_expression(when), _text(fix)] for say, when, fix in cases]
    return [compiled, _text(fix), variants]


def _text(text: str | None) -> TextTree | None:
    """Compile a text. An invalid one, which can only be a translation, is returned unchanged."""
    from torch_errors.catalog.expressions import compile_text

    try:
        return compile_text(text) if text else None
    except ValueError:
        return text


# Detecting changed sources ------------------------------------------------------------------------------------------


def _fingerprint(root: Path) -> str:
    """Return a hash of the sizes and modification times of all sources: a cheap way to detect a change."""
    import hashlib

    total = hashlib.sha256()
    for path in _sources(root):
        with suppress(OSError):
            status = os.stat(path)
            total.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    return total.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    """All files from which the compiled file is made."""
    yield from (root / CATALOG_FILE, INTERFACE_FILE, *_RULES)
    for folder in sorted(os.scandir(root / ENTRIES_FOLDER), key=lambda item: item.name):
        for entry in sorted(os.scandir(folder), key=lambda item: item.name) if folder.is_dir() else ():
            recorded = Path(entry.path, RECORDED_FOLDER)
            yield from (Path(entry.path, ENTRY_FILE), recorded / "broken.out", recorded / "answers.yaml")


def _header(fingerprint: str) -> str:
    return json.dumps({"format": FORMAT, "sources": fingerprint}, separators=(",", ":"))


def _usable(path: Path, header: str) -> Compiled | None:
    """Return the content of the file, or None if it is missing, incomplete or out of date."""
    with suppress(OSError, ValueError):
        compiled = _read(path)
        if compiled.lines[0] == header and compiled.is_whole:
            return compiled
    return None


def _read(path: Path) -> Compiled:
    # Not `splitlines`: it also splits at line separators of Unicode, which JSON does not escape.
    return Compiled(tuple(path.read_text(encoding="utf-8").rstrip("\n").split("\n")))


def _write(path: Path, compiled: Compiled) -> None:
    """Replace the file atomically. If it cannot be written, the next reader compiles again."""
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=NAME)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(compiled.text)
        os.chmod(name, 0o644)
        os.replace(name, path)
