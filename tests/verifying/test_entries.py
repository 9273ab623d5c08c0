"""What can be said of the entries without running them."""

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
# What a script may import beside the standard library and the packages that its entry requires: it runs with nothing of
# this repository installed.
ALLOWED = {"torch", "torchvision", "numpy"}
# Whose confirmation cannot be run: it reads another machine's log, or a fault that no script survives.
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
def test_category_page_names_its_entries(category: Category) -> None:
    """In the order of the catalog, each with what the reader sees, a message or the symptom, and a link."""
    page = parse_page(ROOT / "common-errors" / category.id / "README.md")
    assert page.headings == [(1, category.title)]
    assert page.statement == category.summary
    assert with_rows(page.text, category.entries, IN_ENGLISH) == page.text, "`torch-errors record` adds the row"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_recordings_tell_nothing_of_the_machine(entry: Entry) -> None:
    """Paths begin at the script's folder or at a package; what stays is torch's own build and temporary folders."""
    for path in map(entry.recording, entry.variants):
        if path.is_file():
            paths = re.findall(r"(?<![\w.:/])/[\w.-]+/[^\s\"',)]*", path.read_text(encoding="utf-8"))
            assert [found for found in paths if not found.startswith(("/tmp/", "/__w/", "/pytorch/", "/dev/"))] == []


def test_another_gpu_may_answer_with_other_numbers(sample: Sample) -> None:
    entry = sample.entry(SHAPES)

    def problems(says: str, numbers: bool) -> list[Violation]:
        return check_answers(entry, [{"case": "a", "says": says}], numbers)

    (entry.folder / ANSWERS_FILE).write_text(answers_text([{"case": "a", "says": "GPU 0 has 139.80 GiB"}]))
    assert not problems("GPU 0 has 79.18 GiB", numbers=False) and problems("GPU 0 has 79.18 GiB", numbers=True)
    assert problems("GPU 0 holds 139.80 GiB", numbers=False)
