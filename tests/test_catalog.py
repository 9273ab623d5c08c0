"""The index: what it accepts, and how it says what is wrong with it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.fields import Measure, Range
from torch_errors.catalog.loading import catalog_schema, entry_schema, load_catalog
from torch_errors.errors import UserError

INDEX = """\
# About the index.
categories:
  shapes:
    title: Shapes
    summary: Shapes that disagree.
    entries:
      one-error:
        title: One error
        summary: One sentence.
        kind: exception
        exception: RuntimeError
  numbers:
    title: Numbers
    summary: Numbers that are wrong.
    entries:
      silent-error:
        title: Silent error
        summary: Another sentence.
        kind: silent
      warned-error:
        title: Warned error
        summary: A third sentence.
        kind: warning
        warning: UserWarning
"""
ONE = "common-errors/shapes/one-error/entry.yaml"
SILENT = "common-errors/numbers/silent-error/entry.yaml"
WARNED = "common-errors/numbers/warned-error/entry.yaml"
GUIDE = {
    "catalog.yaml": INDEX,
    ONE: "patterns:\n  - match: 'mat1 and mat2'\n",
    SILENT: "measure: {name: final_loss, healthy: {max: 0.1}, broken: {min: 100}}\n",
    WARNED: "patterns:\n  - match: 'target size'\nwrong_fix: same\n",
}


def _load(root: Path, **changed: str | bytes | None) -> Catalog:
    """The catalog of GUIDE with other texts in some of its files; None leaves a file out."""
    files: dict[str, str | bytes | None] = {**GUIDE, **changed}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_catalog(root)


def _change(old: str, new: str) -> dict[str, str]:
    """The file of GUIDE that contains `old`, with `new` in its place."""
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


# What is wrong -> the changed file, what is in the line that must be named (None: the first), what must be said.
WRONG: dict[str, tuple[dict[str, str], str | None, str]] = {
    "unknown field": (
        _change("kind: exception\n", "kind: exception\n        cause: none\n"),
        "cause:",
        "entry one-error, field cause: is not a known field",
    ),
    "missing field": (
        _change("        exception: RuntimeError\n", ""),
        "one-error:",
        "entry one-error, field exception: is missing",
    ),
    "missing patterns": (
        {ONE: "keywords: [one]\n"},
        None,
        "entry one-error, field patterns: is missing",
    ),
    "no pattern": (
        {ONE: "patterns: []\n"},
        "patterns: []",
        "entry one-error, field patterns: .*at least 1",
    ),
    "wrong kind": (
        _change("kind: exception", "kind: crash"),
        "one-error:",
        "entry one-error: .*'crash'.*'exception', 'warning', 'silent'",
    ),
    "no kind": (
        _change("        kind: exception\n", ""),
        "one-error:",
        "entry one-error: needs a field `kind`: exception, warning or silent",
    ),
    "bad regex": (
        _change("mat1 and mat2", "mat1 ("),
        "mat1 (",
        r"entry one-error, field patterns\.0\.match: not a regular expression: .*\(found 'mat1 \('\)",
    ),
    "regex beyond reason": (
        _change("mat1 and mat2", "a{99999999999999}"),
        "a{9",
        r"entry one-error, field patterns\.0\.match: not a regular expression: .*",
    ),
    "number for a text": (
        _change("title: One error", "title: 3"),
        "title: 3",
        r"entry one-error, field title: .*string.*\(found 3\)",
    ),
    "two lines in a title": (
        _change("title: One error", 'title: "One\\nerror"'),
        'title: "One',
        "entry one-error, field title: .*",
    ),
    "bad id": (_change("one-error:", "One_error:"), "One_error:", r"entry One_error: .*\(found 'One_error'\)"),
    "duplicate key": (
        _change("        summary: One sentence.\n", "        summary: One sentence.\n        title: Again\n"),
        "title: Again",
        "not valid YAML: the key 'title' is given twice",
    ),
    "duplicate id in a category": (
        _change("warned-error:", "silent-error:"),
        "silent-error:",
        "not valid YAML: the key 'silent-error' is given twice",
    ),
    "duplicate id in two categories": (
        _change("warned-error:", "one-error:"),
        None,
        "the document: the id one-error is in shapes and in numbers",
    ),
    "ranges too close": (
        _change("min: 100", "min: 0.15"),
        "measure:",
        "entry silent-error, field measure: the broken range .* must lie outside the healthy .* factor of 2 or more",
    ),
    "ranges overlap": (
        _change("{min: 100}", "{max: 100}"),
        "measure:",
        "entry silent-error, field measure: the broken range .*",
    ),
    "range without end": (
        _change("{min: 100}", "{}"),
        "measure:",
        r"entry silent-error, field measure\.broken: needs min, max or nan",
    ),
    "unknown requirement": (
        _change("warning: UserWarning\n", "warning: UserWarning\n        requires: [tpu]\n"),
        "tpu",
        r"entry warned-error, field requires\.0: .*'cuda'.*\(found 'tpu'\)",
    ),
    "unknown wrong fix": (
        _change("wrong_fix: same", "wrong_fix: other"),
        "wrong_fix:",
        "entry warned-error, field wrong_fix: .*'?same'?.*",
    ),
    "unknown field in a wrong fix": (
        _change("wrong_fix: same", "wrong_fix: {kind: exception, exception: E, patterns: [{match: a}], cause: b}"),
        "wrong_fix:",
        r"entry warned-error, field wrong_fix\.cause: is not a known field.*",
    ),
    "bad regex in a wrong fix": (
        _change("wrong_fix: same", "wrong_fix: {kind: exception, exception: E, patterns: [{match: '('}]}"),
        "wrong_fix:",
        r"entry warned-error, field wrong_fix\.patterns\.0\.match: not a regular expression: .*",
    ),
    "timeout beyond the limit": (
        _change("wrong_fix: same", "timeout: 9999"),
        "timeout:",
        r"entry warned-error, field timeout: .*600.*\(found 9999\)",
    ),
    "former id that is no id": (
        _change("wrong_fix: same", "formerly: [Old_id]"),
        "Old_id",
        r"entry warned-error, field formerly\.0: .*\(found 'Old_id'\)",
    ),
    "former id that is an entry": (
        _change("wrong_fix: same", "formerly: [older-error, shapes/one-error]"),
        "shapes/one-error",
        r"entry warned-error, field formerly\.1: one-error is an entry of shapes; leave it out, or rename that entry",
    ),
    "former id that is the id": (
        _change("wrong_fix: same", "formerly: [warned-error]"),
        "[warned-error]",
        r"entry warned-error, field formerly\.0: the entry is at numbers/warned-error now; leave it out",
    ),
    "former id given twice": (
        _change("wrong_fix: same", "formerly: [old-error, numbers/old-error]"),
        "numbers/old-error",
        r"entry warned-error, field formerly\.1: numbers/old-error is listed twice; leave one out",
    ),
    "former id of two entries": (
        _change("wrong_fix: same", "formerly: [old-error]")
        | {SILENT: f"{GUIDE[SILENT]}formerly: [shapes/old-error]\n"},
        "[old-error]",
        r"entry warned-error, field formerly\.0: old-error leads to silent-error already; list it in one of the two "
        r"only",
    ),
    "details in the index": (
        _change("kind: silent\n", "kind: silent\n        measure: {name: loss}\n"),
        "measure:",
        r"entry silent-error, field measure: belongs in entry\.yaml in the entry's folder",
    ),
    "index field in the details": (
        {ONE: f"{GUIDE[ONE]}title: One error\n"},
        "title:",
        r"entry one-error, field title: belongs in catalog\.yaml",
    ),
    "details of another kind": (
        {SILENT: f"{GUIDE[SILENT]}patterns: [{{match: words}}]\n"},
        "patterns:",
        r"entry silent-error, field patterns: does not go with the entry's kind in catalog\.yaml",
    ),
    "details that are a list": ({ONE: "- patterns\n"}, None, "entry one-error: .*"),
    "details that are not YAML": ({ONE: "patterns: [\n  - a\n"}, None, "not valid YAML: .*"),
    "empty details": ({ONE: ""}, None, "entry one-error, field patterns: is missing"),
    "category without entries": (
        {"catalog.yaml": INDEX.split("    entries:\n")[0]},
        "shapes:",
        r"field categories\.shapes\.entries: is missing",
    ),
    "not YAML": (_change("    title: Shapes", "    title: [Shapes"), "Shapes", "not valid YAML: .*"),
    "unhashable key": (_change("title: One error", "title: {{name}}"), "{{", "not valid YAML: .*"),
    "control character": (_change("Shapes that", "Shapes\x07that"), "Shapes", "not valid YAML: .*"),
    "two documents": ({"catalog.yaml": INDEX + "---\na: b\n"}, "---", "not valid YAML: .*"),
    "empty file": ({"catalog.yaml": ""}, None, "the document: .*"),
    "only a comment": ({"catalog.yaml": "# nothing yet\n"}, None, "the document: .*"),
    "list at the top": ({"catalog.yaml": "- shapes\n"}, None, "the document: .*"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(name: str, tmp_path: Path) -> None:
    changed, there, words = WRONG[name]
    with pytest.raises(UserError) as caught:
        _load(tmp_path, **changed)
    message = str(caught.value)
    assert "\n" not in message
    file = next(iter(changed))
    found = re.fullmatch(rf"{re.escape(str(tmp_path / file))}:(\d+)(?::\d+)?: (.*)", message)
    assert found, message
    assert re.match(words, found[2])
    line = (changed[file].splitlines() or [""])[int(found[1]) - 1]
    assert there in line if there else int(found[1]) <= 2


def test_mistakes_in_several_files_are_all_said(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        _load(tmp_path, **_change("min: 100", "min: 0.15"), **{ONE: "patern: []\n"})
    said = [line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()]
    assert [line.partition(":")[0] for line in said] == [ONE, ONE, SILENT]
    found = re.findall(r"entry (\S+), field (\S+):", "\n".join(said))
    assert found == [("one-error", "patterns"), ("one-error", "patern"), ("silent-error", "measure")]


def test_a_missing_entry_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"entry\.yaml: is missing; the entry one-error of catalog\.yaml needs it"):
        _load(tmp_path, **{ONE: None})


def test_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"catalog\.yaml: not UTF-8 \(byte 8\); save the file as UTF-8$"):
        _load(tmp_path, **{"catalog.yaml": INDEX.replace("# About", "# About ü").encode("latin-1")})


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"catalog\.yaml: is missing; it is the index"):
        load_catalog(tmp_path)


@pytest.mark.parametrize(
    ("healthy", "broken", "far_apart"),
    [
        ({"max": 1}, {"min": 2}, True),
        ({"max": 1}, {"min": 1.99}, False),
        ({"max": 0}, {"min": 0}, False),
        ({"min": 1}, {"max": 0.5}, True),
        ({"min": 1}, {"max": 0.51}, False),
        ({"min": 1, "max": 2}, {"min": 4, "max": 9}, True),
        ({"min": 1, "max": 2}, {"max": 9}, False),
        ({"max": 1}, {"nan": True}, True),
        ({"max": 1}, {"min": 2, "nan": True}, True),
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


def test_unknown_ids_name_near_ones(tmp_path: Path) -> None:
    catalog = _load(tmp_path)
    with pytest.raises(UserError, match=r"no entry 'one-eror' in catalog\.yaml; did you mean one-error"):
        catalog.entry("one-eror")
    with pytest.raises(UserError, match=r"no entry 'silent' .*did you mean silent-error"):
        catalog.entry("silent")
    with pytest.raises(UserError, match=r"no entry 'zzz' in catalog\.yaml; `torch-errors list` shows them all"):
        catalog.entry("zzz")
    with pytest.raises(UserError, match=r"no category 'shape' in catalog\.yaml; did you mean shapes\?"):
        catalog.category("shape")


def test_an_entry_is_found_by_what_it_was_called(tmp_path: Path) -> None:
    """A category alone may change, and an entry may be renamed more than once."""
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


@pytest.mark.parametrize(("name", "schema"), [("catalog", catalog_schema), ("entry", entry_schema)])
def test_the_committed_schema_is_the_programs(name: str, schema: Callable[[], dict]) -> None:
    committed = (ROOT / f"{name}.schema.json").read_text(encoding="utf-8")
    assert committed == json.dumps(schema(), indent=2) + "\n", f"torch-errors schema {name} > {name}.schema.json"


def test_a_row_of_the_index_is_short() -> None:
    """Whoever reads the index sees what there is; the rest is in the entries' folders."""
    text = (ROOT / "catalog.yaml").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^      [a-z0-9-]+:\n(?:        .*\n)+", text)
    assert len(rows) == len(load_catalog(ROOT))
    assert max(row.count("\n") for row in rows) <= 10
