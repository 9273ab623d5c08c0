"""Remembers the entries that held on this machine, until something that this depends on has changed."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.locate import DETECTOR_FILE, ENTRIES_FOLDER, ENTRY_FILE
from torch_errors.errors import UserError

PACKAGE = Path(__file__).resolve().parent.parent


class HeldEntries:
    """The results of the entries that held, in a JSON file: digest of everything that a result depends on -> row."""

    def __init__(self, path: Path, catalog: Catalog, options: str) -> None:
        """`options`: options that affect the results, such as the number of seeds.

        A missing file counts as empty. Raises UserError if `path` is a different kind of file.
        """
        self.path = path
        self._rows: dict[str, dict[str, Any]] = {}
        self._common = _digest(
            _what_all_depend_on(catalog.root), [platform.node(), platform.platform(), options, *_versions()]
        )
        if path.exists():
            try:
                rows = dict(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError) as error:
                raise UserError(f"{path}: is not what verification wrote ({error}); remove it") from None
            current = {self._key(entry) for entry in catalog}
            self._rows = {key: row for key, row in rows.items() if key in current}

    def row(self, entry: Entry) -> dict[str, Any] | None:
        """The result of the entry; None if it did not hold or something has changed since."""
        return self._rows.get(self._key(entry))

    def write(self, results: Iterable[tuple[Entry, Mapping[str, Any]]]) -> None:
        """Write the file with the rows of the entries that held added, and outdated rows removed."""
        self._rows |= {self._key(entry): dict(row) for entry, row in results if row["state"] == "held"}
        self.path.write_text(json.dumps(self._rows), encoding="utf-8")

    def _key(self, entry: Entry) -> str:
        translated = f"{entry.title.translations}{entry.summary.translations}"  # str(fields) is English only
        return _digest(_files(entry.folder), [self._common, entry.id, str(entry.fields), translated])


def _what_all_depend_on(root: Path) -> list[Path]:
    """The program, and the patterns and detectors of all entries, which may match the script of any entry."""
    program = [path for path in _files(PACKAGE) if path.suffix in (".py", ".js", ".toml")]
    return [
        *program,
        *(path for name in (ENTRY_FILE, DETECTOR_FILE) for path in sorted((root / ENTRIES_FOLDER).glob(f"*/*/{name}"))),
    ]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _versions() -> list[str]:
    found = [platform.python_version()]
    for package in ("torch", "torchvision", "numpy"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return found


def _digest(files: Iterable[Path], texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()
