"""The table of which-finds-what.md says what the snippets find."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.snippets.faults import BATCH, FAULTS, GENERALIZATION, LOADING, MODEL, SEED
from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES
from tests.snippets.table import GIVEN, MISSES, PAGE, ROWS, SEEDS, computed, mark, table, written
from tests.snippets.verdicts import INCONCLUSIVE, available
from torch_errors.catalog.loading import load_catalog

PAGES = [PAGE, PAGE.with_suffix(".zh.md")]
# Take long, or measure time.
SLOW = {"memory_report", "dataloader_benchmark", "lr_range_test", "overfit_one_batch"}
# No snippet finds these; the page says what to do.
NOT_FOUND = {"validation_without_no_grad"}


@pytest.fixture(scope="module")
def first_seed() -> dict[tuple[str, str], list[str]]:
    return computed(SEEDS[:1], leave_out=SLOW)


def test_every_silent_entry_of_the_catalog_is_planted():
    silent = {entry.id for entry in load_catalog(ROOT) if entry.kind == "silent"}
    assert silent and silent <= {fault.page for fault in FAULTS}


def test_every_fault_has_a_row_of_its_own():
    assert [fault.name for fault in FAULTS] == list(ROWS)
    for texts in ([row.english for row in ROWS.values()], [row.chinese for row in ROWS.values()]):
        assert len(set(texts)) == len(texts)


def test_the_page_agrees_with_the_first_seed(first_seed):
    """A cell that promises a find has one, and an empty promise is kept, too; cells with a share are open."""
    cells = dict(zip(ROWS, (line.split(" | ") for line in written(PAGE)[2:]), strict=True))
    head = written(PAGE)[0].split(" | ")
    wrong = []
    for (fault, snippet), (result,) in first_seed.items():
        column = next((number for number, name in enumerate(head) if name.startswith(f"[{snippet}]")), None)
        if column is not None:
            cell = cells[fault][column].strip()
        else:
            listed = [part for part in cells[fault][-1].strip(" |").split(", ") if part.split(" ")[0] == snippet]
            cell = listed[0].partition(" ")[2] if listed else "–"
        if "/" not in cell and (cell in ("–", "?")) != (result in (MISSES, INCONCLUSIVE)):
            wrong.append(f"{fault}, {snippet}: the page has {cell}, seed 0 {result}")
    assert wrong == []


def test_each_fault_is_found_by_a_snippet():
    """By one of them in every seed, as the page says."""
    lost = set()
    for name, line in zip(ROWS, written(PAGE)[2:], strict=True):
        said = [part for cell in line.split(" | ")[1:] for part in cell.split(", ")]
        if not any("✓" in part and "/" not in part for part in said):
            lost.add(name)
    assert lost == NOT_FOUND


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", PAGES, ids=["english", "chinese"])
def test_the_table_is_what_the_snippets_say(path):
    assert written(path) == table(computed(), chinese=path != PAGE), "python -m tests.snippets.table --write"


def test_the_page_knows_how_many_trainings_are_healthy():
    english, chinese = (path.read_text(encoding="utf-8") for path in PAGES)
    assert f"{len(RECIPES)} healthy trainings" in english and f"{len(RECIPES)} 个正常的训练" in chinese
    assert f"{len(FURTHER)} more" in english and f"另外 {len(FURTHER)} 个" in chinese


def test_what_cannot_be_seen_is_not_looked_for():
    assert all(BATCH in GIVEN[name] for name in ("five_minute_check", "overfit_one_batch"))
    assert not any({SEED, LOADING, GENERALIZATION} & GIVEN[name] for name in ("five_minute_check", "nan_guard"))
    assert GIVEN["model_summary"] == {MODEL}
    assert set(GIVEN) <= {*available(), "training_step_check"}


def test_a_cell_says_in_how_many_seeds():
    assert mark(["misses", "misses"]) == "–"
    assert mark(["names", "names"]) == "✓" and mark(["names", "shows"]) == "(✓)"
    assert mark(["names", "misses"]) == "✓ 1/2" and mark(["misses", "inconclusive"]) == "?"
