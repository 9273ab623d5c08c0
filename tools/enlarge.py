"""Makes a larger guide from copies of every entry, to measure what grows with the catalog.

The copies are complete (folder, row of the index, rows on the category pages, translations) and differ only in id and
title. They match the same messages as their originals, so tests that expect a single match for an error fail.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import yaml

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, ENTRY_FILE
from torch_errors.errors import UserError
from torch_errors.languages import LANGUAGES, translation_path
from torch_errors.reading import read_text
from torch_errors.verifying.translations import stamp

# Files that are built or downloaded, and the history, are not copied.
NOT_COPIED = (".git", ".venv", "site", "dist", ".compiled", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")


def enlarge(catalog: Catalog, target: Path, copies: int) -> Catalog:
    """Copy the guide to `target`, with every entry `copies` times. Returns the enlarged catalog.

    Raises UserError if `target` exists.
    """
    if target.exists():
        raise UserError(f"{target}: exists; name a folder that does not")
    shutil.copytree(catalog.root, target, ignore=shutil.ignore_patterns(*NOT_COPIED))
    index = yaml.safe_load(read_text(target / CATALOG_FILE, "it is the index of the guide"))
    for category in catalog.categories:
        rows = index["categories"][category.id]["entries"]
        enlarged: dict[str, Any] = {}
        for entry in category.entries:
            enlarged[entry.id] = rows[entry.id]
            for number in range(2, copies + 1):
                id = f"{entry.id}-{number}"
                enlarged[id] = rows[entry.id] | {"title": _title(entry, number)}
                _copy(entry, target / ENTRIES_FOLDER / category.id / id, number)
        index["categories"][category.id]["entries"] = enlarged
        for page in _pages(target / ENTRIES_FOLDER / category.id):
            page.write_text(_with_rows(page.read_text(encoding="utf-8"), copies), encoding="utf-8")
    (target / CATALOG_FILE).write_text(_yaml(index), encoding="utf-8")
    larger = load_catalog(target)
    pages = [translation_path(entry.page) for entry in larger]
    pages += [translation_path(target / ENTRIES_FOLDER / category.id / "README.md") for category in larger.categories]
    stamp(larger, [str(page) for page in pages if page.is_file()])
    return larger


def _title(entry: Entry, number: int) -> dict[str, str]:
    return {language: f"{entry.title.of(language)} ({number})" for language in LANGUAGES}


def _copy(entry: Entry, folder: Path, number: int) -> None:
    """Copy the folder of an entry, with a different title on its page."""
    shutil.copytree(entry.folder, folder)
    details = yaml.safe_load(read_text(folder / ENTRY_FILE, "the entry needs it"))
    details.pop("formerly", None)  # a former address can lead to one entry only
    (folder / ENTRY_FILE).write_text(_yaml(details), encoding="utf-8")
    for page in _pages(folder):
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"(?m)^(# .*)$", rf"\1 ({number})", text, count=1), encoding="utf-8")


def _pages(folder: Path) -> list[Path]:
    """Return the page of an entry or a category, and its translation, if they exist."""
    page = folder / "README.md"
    return [path for path in (page, translation_path(page)) if path.is_file()]


def _with_rows(text: str, copies: int) -> str:
    """Return the page of a category with a row for each copy below the row of the original entry."""

    def rows(match: re.Match[str]) -> str:
        row, id = match[0], match[1]
        return row + "".join(row.replace(f"({id}/", f"({id}-{number}/") for number in range(2, copies + 1))

    return re.sub(r"(?m)^\|.*\]\(([a-z0-9-]+)/README(?:\.zh)?\.md\).*\n", rows, text)


def _yaml(document: Any) -> str:
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000)
