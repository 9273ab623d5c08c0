"""The rows that `torch-errors record` writes into the page of a category, in both languages."""

import pytest

from tests.site.small_guide import build_small_guide
from torch_errors.catalog.loading import load_catalog
from torch_errors.verifying.category_pages import add_rows
from torch_errors.verifying.skeletons import SUMMARY
from torch_errors.verifying.translations import CURRENT, source, stamp, state

ROW = "(matmul-shape-mismatch/README.md)"


@pytest.fixture
def guide(tmp_path):
    build_small_guide(tmp_path / "guide")
    return tmp_path / "guide"


@pytest.fixture
def folder(guide):
    return guide / "common-errors/dimension-mismatch"


def without_row(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if "(matmul-" not in line]
    path.write_text("".join(lines), encoding="utf-8")


def add(guide):
    catalog = load_catalog(guide)
    return [path.name for path in add_rows(catalog, catalog.category("dimension-mismatch"))]


def test_missing_rows_are_written_in_both_languages_and_the_translation_stays_current(guide, folder):
    add(guide)
    for name in ("README.md", "README.zh.md"):
        without_row(folder / name)
    stamp(load_catalog(guide), ["common-errors/dimension-mismatch/README.md"])
    assert sorted(add(guide)) == ["README.md", "README.zh.md"]
    message = "addmm: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)"
    assert f"| `{message}` | [" in (folder / "README.md").read_text(encoding="utf-8")
    assert "](matmul-shape-mismatch/README.zh.md) |" in (folder / "README.zh.md").read_text(encoding="utf-8")
    assert state(source(guide, folder / "README.md")) == CURRENT
    assert add(guide) == []


def test_a_translation_that_was_out_of_date_stays_so(guide, folder):
    add(guide)
    page = folder / "README.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    without_row(page)
    add(guide)
    assert state(source(guide, page)) != CURRENT


def test_a_first_cell_written_by_hand_is_kept_and_the_title_is_updated(guide, folder):
    add(guide)
    page = folder / "README.md"
    text = page.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if ROW in line)
    page.write_text(text.replace(row, f"| `my words` | [An old title]{ROW} |"), encoding="utf-8")
    add(guide)
    assert f"| `my words` | [mat1 and mat2 shapes cannot be multiplied]{ROW} |" in page.read_text(encoding="utf-8")


def test_a_missing_page_is_written_without_a_translation(guide, folder):
    for name in ("README.md", "README.zh.md"):
        (folder / name).unlink()
    assert add(guide) == ["README.md"]
    assert (folder / "README.md").read_text(encoding="utf-8").startswith("# Dimension mismatch\n\nThe shapes of two ")


def test_a_cell_that_is_to_be_filled_in_is_replaced(guide, folder):
    add(guide)
    page = folder / "README.md"
    row = next(line for line in page.read_text(encoding="utf-8").splitlines() if ROW in line)
    new = f"| {SUMMARY} |{row.partition(' |')[2]}"
    page.write_text(page.read_text(encoding="utf-8").replace(row, new), encoding="utf-8")
    assert SUMMARY in page.read_text(encoding="utf-8")
    add(guide)
    assert SUMMARY not in page.read_text(encoding="utf-8") and row in page.read_text(encoding="utf-8")
