"""Every entry and every page of the guide keeps its promises.

`torch-errors verify` runs once for all tests in this file; `EXTENTS` has its options in each suite.
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
    """The result of verifying each entry, by id."""
    return {row["id"]: row for row in verification["entries"]}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_entry_keeps_its_promise(entry: Entry, results: dict[str, dict[str, Any]], suite: Suite) -> None:
    """Scripts judged by a number run with all seeds of the suite."""
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
def test_page_keeps_its_promise(name: str, verification: dict[str, Any], shared: Shared) -> None:
    """Quoted messages were recorded, links have targets, and blocks print the texts below (but for `make test`)."""
    (result,) = [page for page in verification["pages"] if page["path"] == name]
    if result["findings"]:
        # Some pages measure times, which other tests disturb: verify again, with no other scripts running.
        again = shared.result(verification_task(1, name))
        (result,) = json.loads(again.output)["pages"]
    _must_have_no_findings(result)


def _must_have_no_findings(result: dict[str, Any]) -> None:
    if result["findings"]:
        found = [f"{finding['where']}: {finding['problem']}" for finding in result["findings"]]
        pytest.fail("\n".join(found), pytrace=False)
