"""Loading the catalog: what is accepted, and the messages about what is not."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests import data
from tests.conftest import ROOT
from tests.guide import CATALOG
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.fields import Measure, Range
from torch_errors.catalog.loading import load_catalog
from torch_errors.errors import UserError

GUIDE: dict[str, str] = data("small_catalog.yaml")
INDEX = GUIDE["catalog.yaml"]
ONE = "common-errors/shapes/one-error/entry.yaml"
SILENT = "common-errors/numbers/silent-error/entry.yaml"
WARNED = "common-errors/numbers/warned-error/entry.yaml"


def _load(root: Path, **changed: str | bytes | None) -> Catalog:
    """Write GUIDE, with `changed` in place of some files, and load it; None leaves a file out."""
    files: dict[str, str | bytes | None] = {**GUIDE, **changed}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_catalog(root)


def _change(old: str, new: str) -> dict[str, str]:
    """The name and changed text of the file of GUIDE that contains `old`, for `_load`."""
    [(name, text)] = [(name, text) for name, text in GUIDE.items() if old in text]
    return {name: text.replace(old, new, 1)}


def test_entries_and_categories_in_the_order_of_the_file(tmp_path: Path) -> None:
    catalog = _load(tmp_path)
    assert [category.id for category in catalog.categories] == ["shapes", "numbers"]
    assert [entry.id for entry in catalog] == ["one-error", "silent-error", "warned-error"]
    assert len(catalog) == 3
    entry = catalog.entry("warned-error")
    assert (entry.kind, entry.category, entry.requires) == ("warning", "numbers", [])
    assert entry.variants == ["broken", "fixed", "wrong_fix"]
    assert entry.promise("wrong_fix") == entry.promise("broken")
    assert entry.folder == tmp_path / "common-errors" / "numbers" / "warned-error"


# By mistake: the change to GUIDE, the line that the message must give, and the message.
WRONG = data("wrong_catalogs.yaml")
FILES = {"index": "catalog.yaml", "one": ONE, "silent": SILENT, "warned": WARNED}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_reported_in_one_line(name: str, tmp_path: Path) -> None:
    row = WRONG[name]
    changed = _change(row["change"], row["to"]) if "change" in row else {}
    changed |= {FILES[file]: text for file, text in row.get("write", {}).items()}
    changed |= {FILES[file]: GUIDE[FILES[file]] + text for file, text in row.get("append", {}).items()}
    with pytest.raises(UserError) as caught:
        _load(tmp_path, **changed)
    file = next(iter(changed))
    found = re.fullmatch(rf"{re.escape(str(tmp_path / file))}:(\d+)(?::\d+)?: (.*)", str(caught.value))
    assert found, caught.value
    assert re.match(row["says"], found[2])
    line = (changed[file].splitlines() or [""])[int(found[1]) - 1]
    assert row["line"] in line if "line" in row else int(found[1]) <= 2


def test_mistakes_in_several_files_are_all_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        _load(tmp_path, **_change("min: 100", "min: 0.15"), **{ONE: "patern: []\n"})
    messages = [line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()]
    assert [line.partition(":")[0] for line in messages] == [ONE, ONE, SILENT]
    found = re.findall(r"entry (\S+), field (\S+):", "\n".join(messages))
    assert found == [("one-error", "patterns"), ("one-error", "patern"), ("silent-error", "measure")]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({ONE: None}, r"entry\.yaml: is missing; the entry one-error of catalog\.yaml needs it"),
        ({"catalog.yaml": None}, r"catalog\.yaml: is missing; it is the index"),
        (
            {"catalog.yaml": INDEX.replace("# About", "# About ü").encode("latin-1")},
            r"catalog\.yaml: not UTF-8 \(byte 8\); save the file as UTF-8$",
        ),
    ],
    ids=["no entry file", "no index", "not UTF-8"],
)
def test_a_file_that_cannot_be_read_is_reported(changed: dict, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        _load(tmp_path, **changed)


@pytest.mark.parametrize(
    ("healthy", "broken", "far_apart"),
    [
        ({"max": 1}, {"min": 2}, True),
        ({"max": 1}, {"min": 1.99}, False),
        ({"max": 0}, {"min": 0}, False),
        ({"min": 1}, {"max": 0.5}, True),
        ({"min": 1}, {"max": 0.51}, False),
        ({"max": 1}, {"nan": True}, True),
        ({"max": 1}, {"min": 1, "nan": True}, False),
        ({"max": 1, "nan": True}, {"min": 2}, False),
        ({"min": 0}, {"max": -1}, False),
        ({"max": 1}, {"max": 0}, False),
    ],
)
def test_the_ranges_of_a_measure_lie_far_apart(healthy: dict, broken: dict, far_apart: bool) -> None:
    measure = {"name": "loss", "healthy": healthy, "broken": broken}
    if far_apart:
        Measure.model_validate(measure)
    else:
        with pytest.raises(ValueError, match=r"range|NaN"):
            Measure.model_validate(measure)


@pytest.mark.parametrize(
    ("ends", "inside", "outside"),
    [
        ({"min": 1, "max": 2}, [1, 1.5, 2], [0.9, 2.1, math.nan]),
        ({"max": 2}, [-math.inf, 2], [2.1, math.inf, math.nan]),
        ({"nan": True}, [math.nan], [0, math.inf]),
        ({"min": 1, "nan": True}, [1, math.inf, math.nan], [0]),
    ],
)
def test_a_number_is_in_its_range_with_the_ends(ends: dict, inside: list[float], outside: list[float]) -> None:
    range = Range.model_validate(ends)
    assert [value for value in inside if value not in range] == []
    assert [value for value in outside if value in range] == []


def test_a_part_of_an_id_suggests_the_id(tmp_path: Path) -> None:
    """For other unknown ids, see `test_cli.py`."""
    with pytest.raises(UserError, match=r"no entry 'silent' in catalog\.yaml; did you mean silent-error"):
        _load(tmp_path).entry("silent")


def test_an_entry_is_found_by_its_former_ids(tmp_path: Path) -> None:
    """Also if only its category has changed, or if it was renamed more than once."""
    names = "formerly: [old-error, shapes/older-error, shapes/warned-error]"
    catalog = _load(tmp_path, **_change("wrong_fix: same", names))
    entry = catalog.by_id["warned-error"]
    assert entry.former_addresses == ["numbers/old-error", "shapes/older-error", "shapes/warned-error"]
    for name in ("warned-error", "old-error", "older-error", *entry.former_addresses):
        assert catalog.entry(name) is entry
    assert [other.id for other in catalog] == ["one-error", "silent-error", "warned-error"]
    assert len(catalog) == 3
    with pytest.raises(UserError, match="no entry 'shapes/old-error'"):
        catalog.entry("shapes/old-error")


def test_the_diff_of_an_entry(tmp_path: Path) -> None:
    entry = _load(tmp_path).entry("one-error")
    entry.script("broken").write_text("a\nb\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"fixed\.py: is missing; the entry one-error needs it"):
        entry.diff()
    entry.script("fixed").write_text("a\nc\n", encoding="utf-8")
    assert entry.diff() == "--- broken.py\n+++ fixed.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_a_row_of_the_index_is_short() -> None:
    """The index gives an overview; the details are in the folders of the entries."""
    text = (ROOT / "catalog.yaml").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^      [a-z0-9-]+:\n(?:        .*\n)+", text)
    assert len(rows) == len(CATALOG)
    assert max(row.count("\n") for row in rows) <= 12
