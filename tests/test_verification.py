"""The guide keeps its promises: every entry, and the blocks of every page. `torch-errors verify` looks, once a run.

Where all tests run, verification includes what other processors compute.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import ALL_SEEDS, ROOT
from tests.sharing import Shared, verification_task
from torch_errors.catalog.entries import Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.verifying.pages import find_documents

CATALOG = load_catalog(ROOT)
ENTRIES = list(CATALOG)
SILENT = [entry for entry in ENTRIES if entry.kind == "silent"]


NAMES = [path.relative_to(ROOT).as_posix() for path in find_documents(CATALOG)]


@pytest.fixture(scope="module")
def results(verification: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What verification says of every entry."""
    return {row["id"]: row for row in verification["entries"]}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_entry_keeps_its_promise(entry: Entry, results: dict[str, dict[str, Any]], seeds: int) -> None:
    """Where a number decides, with several seeds; where all tests run, as other processors compute, too."""
    result = results[entry.id]
    _must_have_no_findings(result)
    if result["skipped"]:
        pytest.skip(f"{entry.id} {result['skipped']}")
    assert result["state"] == "held"
    assert result["scripts"] == len(entry.variants) * (seeds if result["values"] else 1)
    if entry.kind == "silent":
        assert {variant: len(values) for variant, values in result["values"].items()} == dict.fromkeys(
            entry.variants, seeds
        )


@pytest.mark.exhaustive
@pytest.mark.parametrize("entry", SILENT, ids=lambda entry: entry.id)
def test_promise_is_kept_with_ten_seeds(entry: Entry, results: dict[str, dict[str, Any]], all_seeds: int) -> None:
    if results[entry.id]["skipped"]:
        pytest.skip(f"{entry.id} {results[entry.id]['skipped']}")
    assert {len(values) for values in results[entry.id]["values"].values()} == {all_seeds} == {ALL_SEEDS}


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
