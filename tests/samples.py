"""The small catalog of `data/samples.yaml`, in which tests plant violations."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests import data
from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import ENTRY_FILE
from torch_errors.errors import Violation
from torch_errors.running.pool import Runner
from torch_errors.verifying.verify import verify

CATEGORY = "samples"
INDEX_FIELDS = {"title", "summary", "kind", "exception", "warning", "requires"}
SHAPES, BROADCAST, DIVERGE, GRAPH = "shapes-disagree", "loss-broadcasts", "weights-diverge", "graph-reused"
# The only entry whose confirmation depends on the scripts and which has cases of its own.
VIEWED = "viewed-with-gaps"
_DATA = data("samples.yaml")
ROWS: dict[str, dict[str, Any]] = {id: entry["row"] for id, entry in _DATA["entries"].items()}


class Sample:
    """A catalog in a folder of its own, which tests read, change and verify."""

    def __init__(self, root: Path):
        self.root = root

    @staticmethod
    def build(root: Path) -> Sample:
        """The five entries, without recordings."""
        root.mkdir(parents=True)
        sample = Sample(root)
        sample.write_rows(ROWS)
        for id, entry in _DATA["entries"].items():
            row = entry["row"]
            parts = {"seen": "", "fix": "", "confirm": _DATA["confirm"]} | entry.get("page", {})
            parts["wrong"] = _DATA["wrong"] if "wrong_fix" in row else ""
            page = _DATA["page"].format(title=row["title"], summary=row["summary"], **parts)
            for name, text in {"cases.py": _DATA["cases.py"], **entry["files"], "README.md": page}.items():
                (sample.folder(id) / name).write_text(text, encoding="utf-8")
        page_of_category = sample.root / "common-errors" / CATEGORY / "README.md"
        page_of_category.write_text("# Samples\n\nEntries of the tests.\n", encoding="utf-8")
        return sample

    def copy(self, root: Path) -> Sample:
        shutil.copytree(self.root, root)
        return Sample(root)

    @property
    def index(self) -> Path:
        return self.root / "catalog.yaml"

    def folder(self, id: str) -> Path:
        return self.root / "common-errors" / CATEGORY / id

    def rows(self) -> dict[str, dict[str, Any]]:
        """The fields of each entry, from the index and the file of the entry together."""
        listed = yaml.safe_load(self.index.read_text(encoding="utf-8"))["categories"][CATEGORY]["entries"]
        files = {id: self.folder(id) / ENTRY_FILE for id in listed}
        details = {id: yaml.safe_load(path.read_text(encoding="utf-8")) or {} for id, path in files.items()}
        return {id: row | details[id] for id, row in listed.items()}

    def write_rows(self, rows: dict[str, dict[str, Any]]) -> None:
        """Replace the index and the entry files; fields that do not belong into the index go into the entry's file."""
        listed = {id: {name: row[name] for name in row if name in INDEX_FIELDS} for id, row in rows.items()}
        category = {"title": "Samples", "summary": "Entries of the tests.", "entries": listed}
        self.index.write_text(_yaml({"categories": {CATEGORY: category}}), encoding="utf-8")
        for id, row in rows.items():
            self.folder(id).mkdir(parents=True, exist_ok=True)
            details = {name: row[name] for name in row if name not in INDEX_FIELDS}
            (self.folder(id) / ENTRY_FILE).write_text(_yaml(details), encoding="utf-8")

    def change_row(self, id: str, **fields: Any) -> None:
        """Set fields of an entry's row; None removes one."""
        rows = self.rows()
        rows[id] = {name: value for name, value in (rows[id] | fields).items() if value is not None}
        self.write_rows(rows)

    def edit(self, id: str, file: str, old: str, new: str) -> None:
        edit(self.folder(id) / file, old, new)

    def catalog(self) -> Catalog:
        return load_catalog(self.root)

    def entry(self, id: str) -> Entry:
        return self.catalog().entry(id)

    def verify(
        self, runner: Runner, *ids: str, seeds: int = 1, choose: Callable[[Entry], bool] = lambda entry: True
    ) -> dict[str, list[str]]:
        """The findings of verification as lines, by entry."""
        entries = [entry for entry in self.catalog() if choose(entry) and (not ids or entry.id in ids)]
        results = verify(entries, runner, range(seeds))
        return {result.entry.id: lines(result.findings) for result in results}


def edit(path: Path, old: str, new: str) -> None:
    """Replace all occurrences of `old` in a file. There must be at least one."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} does not contain {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def _yaml(document: Any) -> str:
    return yaml.safe_dump(document, sort_keys=False, width=1000)


def lines(findings: Sequence[Violation]) -> list[str]:
    return [f"{finding.where}: {finding.problem}" for finding in findings]
