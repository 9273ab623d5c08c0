"""`torch-errors new`: writes the first version of an entry.

It has all files that verification asks for, with the texts of `skeletons.py`. `TODO:` marks what is to be filled in.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.fields import EntryKind
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER
from torch_errors.errors import UserError
from torch_errors.verifying import skeletons


def new_entry(catalog: Catalog, category_id: str, id: str, kind: EntryKind = "exception") -> list[Path]:
    """Write the folder of a new entry and its row in `catalog.yaml`. Returns the files written, the index first.

    The row is inserted as text, so that the rest of `catalog.yaml` keeps its form and comments. Raises UserError if the
    category is unknown, or the id is taken or malformed.
    """
    catalog.category(category_id)  # raises UserError if it does not exist
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", id) or len(id) > 60 or yaml.safe_load(id) != id:
        raise UserError(
            f"the id {id!r} must be lower-case words joined by hyphens, 60 characters at most, such as "
            "matmul-shape-mismatch"
        )
    if id in catalog.by_id:
        raise UserError(f"the id {id} is taken by {catalog.entry(id).folder}")
    if id in catalog.by_former_id:
        raise UserError(
            f"the id {id} is what {catalog.by_former_id[id].id} was called; links to it lead there, so take another"
        )
    folder = catalog.root / ENTRIES_FOLDER / category_id / id
    if folder.exists():
        raise UserError(f"{folder} exists, and {CATALOG_FILE} does not list it; add its row by hand or remove it")

    title = id.replace("-", " ").capitalize()
    path = catalog.root / CATALOG_FILE
    folder.mkdir(parents=True)
    symptom = catalog.symptoms[0].id if catalog.symptoms else None
    files = skeletons.files(kind, title, symptom)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    _insert(path, category_id, skeletons.row(kind, id, title))  # last, so that the index never lists missing files
    load_catalog(catalog.root)  # the file must still be valid
    return [path, *(folder / name for name in files)]


def _insert(path: Path, category_id: str, row: str) -> None:
    """Put a row at the end of a category, and leave every other byte of the file as it is."""
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    line_end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in ("categories", category_id, "entries"):
        node = next(value for name, value in node.value if name.value == key)
    if node.flow_style:  # `entries: {}`
        at = node.start_mark.line
        lines[at] = lines[at].partition("{")[0].rstrip() + line_end
        at += 1
    else:
        at = _last_line(node, lines) + 1
    if not lines[at - 1].endswith("\n"):
        lines[at - 1] += line_end
    lines.insert(at, row.replace("\n", line_end))
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("".join(lines))


def _last_line(node: Any, lines: list[str]) -> int:
    """Index of the last line of a block mapping, without the blank lines and comments that follow it."""
    while isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = node.end_mark.line
    if node.end_mark.column == 0:  # a block scalar ends where the next thing begins
        end -= 1
        while not lines[end].strip() or lines[end].lstrip().startswith("#"):
            end -= 1
    return int(end)
