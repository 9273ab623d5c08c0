"""The table on the page "Watch a run": a row for each detector, with what it reports."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.locate import DETECTOR_FILE, WORKFLOWS
from torch_errors.languages import ENGLISH, Texts, in_language
from torch_errors.reading import read_text
from torch_errors.verifying.category_pages import rewrite_page
from torch_errors.watching.loading import load_detector

PAGE = f"{WORKFLOWS}/watch-a-run.md"
# The table, found by its heading in either language.
_TABLE = re.compile(r"(?m)^(\| (?:Entry|条目) \| [^\n]*\n\|[-| ]+\|\n)((?:\|[^\n]*\|\n)*)")
_FIELD = re.compile(r"\{[^{}]*\}")


def write_table(catalog: Catalog) -> list[Path]:
    """Update the table in both languages. Returns the changed files; none if the guide lacks the page."""
    page = catalog.root / PAGE
    if not page.is_file():
        return []
    return rewrite_page(catalog, page, lambda text, texts: with_detectors(text, catalog, texts))


def with_detectors(text: str, catalog: Catalog, texts: Texts) -> str:
    """The text of the page with the rows of all detectors, in the order of the catalog."""
    rows = []
    for entry in catalog:
        path = entry.folder / DETECTOR_FILE
        if path.is_file():
            page = in_language(entry.page, texts.language).relative_to(catalog.root).as_posix()
            saw = load_detector(path).saw
            seen = _FIELD.sub("…", saw.get(texts.language, saw[ENGLISH]))
            title = entry.title.of(texts.language)
            rows.append(f"| [{title}](../{page}) | {texts.word(certainty(path))} | {seen} |\n")
    return _TABLE.sub(lambda table: table[1] + "".join(rows), text)


def certainty(path: Path) -> str:
    """`proof` or `strong evidence`, by the first word of the detector's docstring."""
    docstring = ast.get_docstring(ast.parse(read_text(path, "it is a detector"))) or ""
    return "proof" if docstring.startswith("Proof") else "strong evidence"
