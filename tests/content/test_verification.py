"""The guide keeps its promises: every entry, and the blocks of every page.

`torch-errors verify` runs once for all tests here; `EXTENTS` says how much it does in each suite.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import EXTENTS, ROOT, Suite
from tests.guide import CATALOG
from tests.sharing import Shared, verification_task
from torch_errors.catalog.entries import Entry
from torch_errors.verifying.pages import find_documents

ENTRIES = list(CATALOG)

NAMES = [path.relative_to(ROOT).as_posix() for path in find_documents(CATALOG)]


@pytest.fixture(scope="module")
def results(verification: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What verification says of every entry."""
    return {row["id"]: row for row in verification["entries"]}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_entry_keeps_its_promise(entry: Entry, results: dict[str, dict[str, Any]], suite: Suite) -> None:
    """Scripts that a number judges run with as many seeds as the suite asks for."""
    seeds, _ = EXTENTS[suite]
    result = results[entry.id]
    _must_have_no_findings(result)
    if result["skipped"]:
        pytest.skip(f"{entry.id} {result['skipped']}")
    assert result["state"] == "held"
    assert suite == "test" or result["cases"] > 0
    assert result["scripts"] == len(entry.variants) * (seeds if result["values"] else 1)
    if entry.kind == "silent":
        assert {variant: len(values) for variant, values in result["values"].items()} == dict.fromkeys(
            entry.variants, seeds
        )


@pytest.mark.parametrize("name", NAMES)
def test_page_holds(name: str, verification: dict[str, Any], shared: Shared) -> None:
    """Its blocks run and print what it says, what it quotes was recorded, its links lead somewhere."""
    (result,) = [page for page in verification["pages"] if page["path"] == name]
    if result["findings"]:
        # Some pages time something, which the other tests disturb: once more, without other scripts beside it.
        again = shared.result(verification_task(1, name))
        (result,) = json.loads(again.output)["pages"]
    _must_have_no_findings(result)


def _must_have_no_findings(result: dict[str, Any]) -> None:
    if result["findings"]:
        found = [f"{finding['where']}: {finding['problem']}" for finding in result["findings"]]
        pytest.fail("\n".join(found), pytrace=False)
