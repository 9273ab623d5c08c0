"""What holds for every snippet: it stands alone, says what is healthy, and its example is true."""

from __future__ import annotations

import ast
import doctest
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.snippets import SNIPPETS

FILES = sorted(SNIPPETS.glob("*.py"))
EVERY_FILE = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstring_of(path: Path) -> str:
    return ast.get_docstring(tree_of(path), clean=False) or ""


def imported(nodes: Sequence[ast.AST]) -> set[str]:
    """Top-level names of the packages that these nodes import."""
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


@EVERY_FILE
def test_the_example_prints_what_it_says(path, tmp_path, monkeypatch):
    """As for a reader who saved the snippet beside the script: in an empty folder, with nothing else imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(SNIPPETS))
    docstring = docstring_of(path)
    test = doctest.DocTestParser().get_doctest(docstring, {"__name__": "__main__"}, path.stem, str(path), 0)
    assert f"from {path.stem} import" in docstring
    assert any(example.want or example.exc_msg for example in test.examples), "the example prints nothing"
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not failed, "".join(report)


@EVERY_FILE
def test_the_docstring_is_a_page_that_says_what_is_healthy(path):
    title, blank, *lines = docstring_of(path).splitlines()
    assert title.endswith((".", "?")) and not blank and "**Healthy:**" in docstring_of(path)
    # By four spaces, the example is a code block; with fewer it would become a quotation.
    assert not [line for line in lines if re.match(r" {0,3}>>>", line)]


@EVERY_FILE
def test_it_imports_torch_and_the_standard_library_only(path):
    tree = tree_of(path)
    everything = imported(list(ast.walk(tree)))
    assert everything <= {"torch", "matplotlib"} | set(sys.stdlib_module_names)
    # matplotlib where something is drawn: the rest of the file works without it.
    assert "matplotlib" not in imported(tree.body)


def test_the_index_lists_every_file_and_no_other():
    index = (SNIPPETS / "README.md").read_text(encoding="utf-8")
    rows = [line for line in index.splitlines() if line.startswith("|")]
    linked = re.findall(r"\]\(([^)]+\.py)\)", "\n".join(rows))
    assert sorted(linked) == [path.name for path in FILES] != []
