"""The data of `explain`, compiled from the catalog into one file.

Reading and validating hundreds of YAML files takes longer than the answer, so `compile_catalog` does it once. The
command, the live note and the site read the result; a wheel contains it. In a checkout it is in a folder that git
ignores, and is compiled again as soon as a source has changed.

The file has a line of JSON for each part, so that a reader decodes only what it needs:

    1     format, and a fingerprint of the sources that it was compiled from
    2     the entries: [id, category, kind, wrapper]
    3     the patterns: [number of the entry, regular expression, its longest literal, weight, assertion]
    4     for guesses: word -> numbers of the entries that it describes
    5     for guesses: what a word counts, by how many entries it describes

and for each language

    1     texts of the program, and of each entry: [title, summary, fix]
    2...  texts of each pattern: [[[say, when, fix], ...], fix, {framework: [say, fix]}], with expressions as trees

The site's engine gets the same parts (website/engine.py).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, ENTRY_FILE, INTERFACE_FILE, PACKAGED
from torch_errors.languages import ENGLISH, LANGUAGES, Texts

if TYPE_CHECKING:
    from torch_errors.catalog.expressions import TextTree, Tree
    from torch_errors.catalog.texts import Text

    # Cases [say, when, fix], fix, and {framework: [say, fix]}.
    PatternTexts: TypeAlias = tuple[
        list[tuple[TextTree, Tree | None, TextTree | None]],
        TextTree | None,
        dict[str, tuple[TextTree | None, TextTree | None]],
    ]

FORMAT = 4
NAME = "explain.jsonl"
_TEXTS_FROM = 5  # index of the line with the texts of the first language
FOLDER = ".compiled"  # of the file, in a checkout
# What decides what is compiled besides the texts: this package's own rules.
_RULES = [*Path(__file__).parent.glob("*.py"), *(Path(__file__).parents[1] / "catalog").glob("*.py")]

# Id, category, kind, and whether the entry only wraps another error.
EntryRow: TypeAlias = tuple[str, str, str, bool]
# Number of the entry, regular expression, longest literal, weight, whether it is a CUDA assertion.
PatternRow: TypeAlias = tuple[int, str, str, int, bool]


@dataclass(frozen=True)
class Compiled:
    """The lines of a compiled file."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def is_whole(self) -> bool:
        """Whether there are as many lines as there are parts."""
        return len(self.lines) == _TEXTS_FROM + len(LANGUAGES) * (1 + len(self.patterns))

    def _part(self, number: int) -> Any:
        return json.loads(self.lines[number])

    @cached_property
    def entries(self) -> list[EntryRow]:
        """The entries, in the order of the catalog."""
        return self._part(1)

    @cached_property
    def patterns(self) -> list[PatternRow]:
        """The patterns of all entries."""
        return self._part(2)

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """For guesses: word -> numbers of the entries that are described with it."""
        return self._part(3)

    @cached_property
    def weights(self) -> list[int]:
        """For guesses: what a word counts, by how many entries it describes."""
        return self._part(4)

    def texts(self, language: str) -> dict[str, Any]:
        """`interface`: English -> translation; `entries`: title, summary and fix of each entry."""
        return self._part(self._texts_from(language))

    def pattern_texts(self, language: str, number: int) -> PatternTexts:
        """Cases, fix, and advice by framework, of the pattern with this number."""
        return self._part(self._texts_from(language) + 1 + number)

    def _texts_from(self, language: str) -> int:
        lines = (len(self.lines) - _TEXTS_FROM) // len(LANGUAGES)
        return _TEXTS_FROM + LANGUAGES.index(language) * lines


@lru_cache(maxsize=4)
def load_compiled(root: Path) -> Compiled:
    """The compiled data of the guide at `root`, up to date.

    Raises UserError where the catalog is not valid.
    """
    if root == PACKAGED:
        return _read(root / NAME)
    path, header = root / FOLDER / NAME, _header(_fingerprint(root))
    found = _usable(path, header)
    if found is None:
        # The fingerprint is older than what is compiled: a change in between makes the next reader compile again.
        found = Compiled((header, *compile_catalog(root)))
        _write(path, found)
    return found


def compiled_text(root: Path) -> str:
    """The content of the compiled file of the guide at `root`. Raises UserError where the catalog is not valid."""
    return Compiled((_header(_fingerprint(root)), *compile_catalog(root))).text


def interface(root: Path, language: str) -> Texts:
    """The texts of the program in a language. Raises UserError where the catalog is not valid."""
    if language == ENGLISH:
        return Texts(language)
    return Texts(language, load_compiled(root).texts(language)["interface"])


def compile_catalog(root: Path) -> list[str]:
    """The lines of the file after the first. Raises UserError where the catalog is not valid."""
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.catalog.texts import load_texts
    from torch_errors.explaining.literals import literals
    from torch_errors.explaining.words import described, word_weights

    catalog = load_catalog(root)
    entries: list[list[Any]] = []
    patterns: list[list[Any]] = []
    using: dict[str, list[int]] = {}
    texts: dict[str, dict[str, Any]] = {}
    load_texts.cache_clear()
    for language in LANGUAGES:
        texts[language] = {"interface": dict(load_texts(language).interface), "entries": [], "patterns": []}
    for number, entry in enumerate(catalog):
        fields = entry.fields
        rows = getattr(fields, "patterns", [])
        wordings = [literals(row.match) for row in rows]
        entries.append([entry.id, entry.category, entry.kind, fields.wrapper])
        for row, fixed in zip(rows, wordings, strict=True):
            longest = max(fixed, key=len, default="")
            patterns.append([number, row.match, longest, sum(map(len, fixed)), row.assertion])
        told_of = (entry.id.replace("-", " "), entry.title, entry.summary, *fields.keywords)
        for word in sorted(described(told_of, wordings)):
            using.setdefault(word, []).append(number)
        for language in LANGUAGES:

            def told(text: Text | None, language: str = language) -> str | None:
                return text.of(language) if text else None

            texts[language]["entries"].append([told(entry.title), told(entry.summary), told(fields.fix)])
            for row in rows:
                cases = [[told(case.say), case.when, told(case.fix)] for case in row.cases]
                frameworks = {name: [told(one.say), told(one.fix)] for name, one in row.frameworks.items()}
                texts[language]["patterns"].append([cases, told(row.fix), frameworks])
    weights = word_weights(len(entries), max(map(len, using.values()), default=0))
    parts: list[Any] = [entries, patterns, using, weights]
    for language in LANGUAGES:
        said = texts[language].pop("patterns")
        parts += [texts[language], *(_with_trees(*row) for row in said)]
    return [json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts]


def _with_trees(
    cases: list[list[str | None]], fix: str | None, frameworks: dict[str, list[str | None]]
) -> list[object]:
    """The texts of a pattern with their expressions compiled."""
    from torch_errors.catalog.expressions import compile_expression

    return [
        [[_text(say), when and compile_expression(when), _text(fix)] for say, when, fix in cases],
        _text(fix),
        {name: [_text(text) for text in advice] for name, advice in frameworks.items()},
    ]


def _text(text: str | None) -> TextTree | None:
    """A compiled text. One that is not valid stays as it is written: only translations can be, which is reported."""
    from torch_errors.catalog.expressions import compile_text

    try:
        return compile_text(text) if text else None
    except ValueError:
        return text


# Up to date ---------------------------------------------------------------------------------------------------------


def _fingerprint(root: Path) -> str:
    """Tells cheaply whether a source has changed: a hash of the sizes and times of all files that are compiled."""
    import hashlib

    total = hashlib.sha256()
    for path in _sources(root):
        with suppress(OSError):
            found = os.stat(path)
            total.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0".encode())
    return total.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    """Every file that the compiled one is made from."""
    yield from (root / CATALOG_FILE, INTERFACE_FILE, *_RULES)
    for folder in sorted(os.scandir(root / ENTRIES_FOLDER), key=lambda item: item.name):
        for entry in sorted(os.scandir(folder), key=lambda item: item.name) if folder.is_dir() else ():
            yield Path(entry.path, ENTRY_FILE)


def _header(fingerprint: str) -> str:
    return json.dumps({"format": FORMAT, "sources": fingerprint}, separators=(",", ":"))


def _usable(path: Path, header: str) -> Compiled | None:
    """What is in the file, None where that was compiled from other sources."""
    with suppress(OSError, ValueError):
        found = _read(path)
        if found.lines[0] == header and found.is_whole:
            return found
    return None


def _read(path: Path) -> Compiled:
    # Not splitlines: JSON escapes line feeds, and leaves other line ends of Unicode as they are.
    return Compiled(tuple(path.read_text(encoding="utf-8").rstrip("\n").split("\n")))


def _write(path: Path, compiled: Compiled) -> None:
    """Replace the file atomically; if it cannot be written, do without it."""
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=NAME)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(compiled.text)
        os.chmod(name, 0o644)
        os.replace(name, path)
