"""The data of `explain`, compiled from the catalog into one file.

Reading and validating hundreds of YAML files takes longer than the answer, so `compile_catalog` does it once. The
command, the live note and the site read the result; a wheel contains it. In a checkout it is in a folder that git
ignores, and is compiled again as soon as a source has changed.

The file has a line of JSON for each part, so that a reader decodes only what it needs:

    1     format, and the state of the sources that it was compiled from
    2     the entries: [id, category, kind, wrapper]
    3     the patterns: [number of the entry, regular expression, its longest literal, weight, assertion]
    4     for guesses: word -> numbers of the entries that it describes
    5     for guesses: what a word counts, by how many entries it describes
    6...  for each language: the texts of the program, of the entries and of the patterns
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, ENTRY_FILE, ENTRY_TEXTS_FILE, PACKAGED, TEXTS_FILE
from torch_errors.languages import ENGLISH, LANGUAGES, Texts

FORMAT = 2
NAME = "explain.json"
_TEXTS_FROM = 5  # index of the line with the texts of the first language
FOLDER = ".compiled"  # of the file, in a checkout
# Seconds after a change during which the time of a file does not tell whether it was changed again (FAT counts in 2 s).
_CLOCK = 2.0
# What decides what is compiled besides the texts: this package's own rules.
_RULES = [*Path(__file__).parent.glob("*.py"), *(Path(__file__).parents[1] / "catalog").glob("*.py")]

State = dict[str, list[int]]  # path -> size, times of the last changes, inode


@dataclass(frozen=True)
class Compiled:
    """The lines of a compiled file."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _part(self, number: int) -> Any:
        return json.loads(self.lines[number])

    @property
    def entries(self) -> list[tuple[str, str, str, bool]]:
        """Id, category, kind, and whether the entry only wraps another error."""
        return self._part(1)

    @property
    def patterns(self) -> list[tuple[int, str, str, int, bool]]:
        """Number of the entry, regular expression, longest literal, weight, whether it is a CUDA assertion."""
        return self._part(2)

    @property
    def words(self) -> dict[str, list[int]]:
        """For guesses: word -> numbers of the entries that are described with it."""
        return self._part(3)

    @property
    def weights(self) -> list[int]:
        """For guesses: what a word counts, by how many entries it describes."""
        return self._part(4)

    def texts(self, language: str) -> dict[str, Any]:
        """`interface`: English -> translation; `entries`: title, summary, fix; `patterns`: cases and fix."""
        return self._part(_TEXTS_FROM + LANGUAGES.index(language))


@lru_cache(maxsize=4)
def load_compiled(root: Path) -> Compiled:
    """The compiled data of the guide at `root`, up to date.

    Raises UserError where the catalog is not valid.
    """
    if root == PACKAGED:
        return _read(root / NAME)
    path, state = root / FOLDER / NAME, _state(root)
    found = _usable(path, state)
    if found is None:
        # The state is older than what is compiled: a change in between makes the next reader compile again.
        found = Compiled((_header(state), *compile_catalog(root)))
        _write(path, found)
    return found


def compiled_text(root: Path) -> str:
    """The content of the compiled file of the guide at `root`. Raises UserError where the catalog is not valid."""
    return Compiled((_header(_state(root)), *compile_catalog(root))).text


def interface(root: Path, language: str) -> Texts:
    """The texts of the program in a language. Raises UserError where the catalog is not valid."""
    if language == ENGLISH:
        return Texts(language)
    return Texts(language, load_compiled(root).texts(language)["interface"])


def compile_catalog(root: Path) -> list[str]:
    """The lines of the file after the first. Raises UserError where the catalog is not valid."""
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.catalog.texts import load_texts
    from torch_errors.explaining.guessing import described, word_weights
    from torch_errors.explaining.literals import literals

    catalog = load_catalog(root)
    entries: list[list[Any]] = []
    patterns: list[list[Any]] = []
    using: dict[str, list[int]] = {}
    texts: dict[str, dict[str, Any]] = {}
    for language in LANGUAGES:
        load_texts.cache_clear()
        known = load_texts(root, language)
        texts[language] = {"interface": dict(known.interface), "entries": [], "patterns": []}
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
            known = load_texts(root, language)

            def told(text: str | None, id: str = entry.id, known: Texts = known) -> str | None:
                return known.of_entry(id, text) if text else None

            texts[language]["entries"].append([told(entry.title), told(entry.summary), told(fields.fix)])
            for row in rows:
                says = [(row.says, None)] if isinstance(row.says, str) else [(case.say, case.when) for case in row.says]
                cases = [[told(say), when] for say, when in says]
                texts[language]["patterns"].append([cases, told(row.fix)])
    weights = word_weights(len(entries), max(map(len, using.values()), default=0))
    parts = [entries, patterns, using, weights, *(texts[language] for language in LANGUAGES)]
    return [json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts]


# Up to date ---------------------------------------------------------------------------------------------------------


def _sources(root: Path) -> Iterator[Path]:
    """Every file that the compiled one is made from."""
    yield from (root / CATALOG_FILE, root / TEXTS_FILE, *_RULES)
    for category in _folders(root / ENTRIES_FOLDER):
        for entry in _folders(category):
            yield Path(entry, ENTRY_FILE)
            yield Path(entry, ENTRY_TEXTS_FILE)


def _folders(path: Path | str) -> list[str]:
    with suppress(OSError), os.scandir(path) as found:
        return sorted(item.path for item in found if item.is_dir())
    return []


def _state(root: Path) -> State:
    """What tells cheaply that no source has changed; nothing for a file that is not there."""
    state = {}
    for path in map(str, _sources(root)):
        with suppress(OSError):
            found = os.stat(path)
            state[path] = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    return state


def _header(state: State) -> str:
    header = {"format": FORMAT, "at": time.time_ns(), "hash": _hash(state), "state": state}
    return json.dumps(header, separators=(",", ":"))


def _hash(state: State) -> str:
    """A hash of which sources there are and what they contain."""
    import hashlib

    total = hashlib.sha256()
    for path in state:
        with suppress(OSError):
            content = Path(path).read_bytes()
            total.update(f"{path}\0{len(content)}\0".encode())
            total.update(content)
    return total.hexdigest()


def _usable(path: Path, state: State) -> Compiled | None:
    """What is in the file, None where that was compiled from other sources."""
    try:
        found = _read(path)
        header = json.loads(found.lines[0])
        if header["format"] != FORMAT or len(found.lines) != _TEXTS_FROM + len(LANGUAGES):
            return None
        newest = max((max(times) for _, *times, _ in state.values()), default=0)
        if header["state"] == state and newest < header["at"] - _CLOCK * 1e9:
            return found
        if header["hash"] != _hash(state):
            return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    found = Compiled((_header(state), *found.lines[1:]))
    if header["state"] != state or time.time_ns() > newest + _CLOCK * 1e9:
        _write(path, found)  # the same texts in other files, as after a checkout: next time their times decide
    return found


def _read(path: Path) -> Compiled:
    # Not splitlines: JSON escapes line feeds, and leaves other line ends of Unicode as they are.
    return Compiled(tuple(path.read_text(encoding="utf-8").rstrip("\n").split("\n")))


def _write(path: Path, compiled: Compiled) -> None:
    """Replace the file at once, so that no reader sees half of one; where that is forbidden, do without it."""
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=NAME)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(compiled.text)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise
