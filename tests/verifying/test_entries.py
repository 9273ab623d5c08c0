"""Checks of all entries that run nothing."""

from __future__ import annotations

import ast
import re
import sys

import pytest

from tests.conftest import ROOT
from tests.guide import CATALOG
from tests.samples import SHAPES, Sample
from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.errors import Violation
from torch_errors.languages import IN_ENGLISH
from torch_errors.markdown.parsing import parse_page
from torch_errors.verifying.cases import ANSWERS_FILE, answers_text, check_answers
from torch_errors.verifying.category_pages import with_rows
from torch_errors.verifying.files import check_folders

ENTRIES = list(CATALOG)
# Packages that a script may import, beside the standard library and what its entry requires. Scripts run without this
# repository.
ALLOWED = {"torch", "torchvision", "numpy"}
# Entries whose confirmation cannot run, since no script survives the fault.
NOT_CONFIRMED = {"cuda-launch-failure"}


def test_every_entry_folder_is_in_the_catalog(catalog: Catalog) -> None:
    assert check_folders(catalog) == []


def test_every_category_has_entries(catalog: Catalog) -> None:
    assert catalog.categories
    assert [category.id for category in catalog.categories if not category.entries] == []


def test_confirmations_that_cannot_run_are_known() -> None:
    pages = {entry.id: parse_page(entry.page) for entry in ENTRIES}
    assert {id for id, page in pages.items() if page.confirmation is None} == NOT_CONFIRMED


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_scripts_import_only_torch_and_the_standard_library(entry: Entry) -> None:
    imported = set()
    for variant in entry.variants:
        for node in ast.walk(ast.parse(entry.script(variant).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0 and node.module
                imported.add(node.module.partition(".")[0])
    assert imported - ALLOWED - set(entry.requires) - sys.stdlib_module_names == set()


@pytest.mark.parametrize("category", CATALOG.categories, ids=lambda category: category.id)
def test_category_page_lists_its_entries(category: Category) -> None:
    """It has a row for each entry, in the order of the catalog, with the message or summary and a link."""
    page = parse_page(ROOT / "common-errors" / category.id / "README.md")
    assert page.headings == [(1, category.title)]
    assert page.statement == category.summary
    assert with_rows(page.text, category.entries, IN_ENGLISH) == page.text, "`torch-errors record` adds the row"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_recordings_contain_no_private_paths(entry: Entry) -> None:
    """Paths start at the script's folder or at a package, except for temporary folders and those of torch's build."""
    for path in map(entry.recording, entry.variants):
        if path.is_file():
            paths = re.findall(r"(?<![\w.:/])/[\w.-]+/[^\s\"',)]*", path.read_text(encoding="utf-8"))
            assert [found for found in paths if not found.startswith(("/tmp/", "/__w/", "/pytorch/", "/dev/"))] == []


def test_numbers_of_answers_may_differ_on_a_different_gpu(sample: Sample) -> None:
    entry = sample.entry(SHAPES)

    def problems(says: str, numbers: bool) -> list[Violation]:
        return check_answers(entry, [{"case": "a", "says": says}], numbers)

    (entry.folder / ANSWERS_FILE).write_text(answers_text([{"case": "a", "says": "GPU 0 has 139.80 GiB"}]))
    assert not problems("GPU 0 has 79.18 GiB", numbers=False) and problems("GPU 0 has 79.18 GiB", numbers=True)
    assert problems("GPU 0 holds 139.80 GiB", numbers=False)
