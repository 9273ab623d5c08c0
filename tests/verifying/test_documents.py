"""Verifying the pages outside entries: their blocks, quotations and links."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import data
from tests.conftest import ROOT
from tests.guide import CATALOG
from tests.samples import SHAPES, Sample, edit, lines
from torch_errors.catalog.loading import load_catalog
from torch_errors.errors import UserError
from torch_errors.markdown.parsing import heading_anchors, parse_page
from torch_errors.running.pool import Runner
from torch_errors.verifying.pages import document, find_documents, run_documents

PROGRAMS = data("programs.yaml")["documents"]

NAMES = [path.relative_to(ROOT).as_posix() for path in find_documents(CATALOG)]


def test_every_markdown_file_outside_entries_is_found() -> None:
    skipped = {"site", "tests", "website"}
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in skipped and path.name[0] != "."]
    there = {path.relative_to(ROOT) for folder in folders for path in folder.rglob("*.md")}
    there |= {path.relative_to(ROOT) for path in ROOT.glob("*.md")}
    entries = {entry.page.relative_to(ROOT) for entry in CATALOG}
    translations = {path for path in there if ".zh." in path.name}
    assert {path.as_posix() for path in there - entries - translations} == set(NAMES)


@pytest.fixture
def page(sample: Sample, runner: Runner) -> Path:
    """A page that keeps its promise, with its blocks filled in."""
    path = sample.root / "troubleshooting-workflows" / "page.md"
    path.parent.mkdir()
    path.write_text(PROGRAMS["good"])
    snippets = sample.root / "debug-templates" / "snippets"
    snippets.mkdir(parents=True)
    (snippets / "ruler.py").write_text("def length(text):\n    return len(text)\n")
    result = run_documents([path], sample.catalog(), runner, write=True)[0]
    assert result.findings == [] and result.written
    return path


def _verified(path: Path, runner: Runner) -> list[str]:
    catalog = load_catalog(path.parent.parent)
    return lines(run_documents([path], catalog, runner)[0].findings)


def test_recording_fills_in_texts_that_verify(page: Path, runner: Runner) -> None:
    texts = [fence.text.strip() for fence in parse_page(page).fences if fence.language == "text"]
    assert texts == [
        "RuntimeError: mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "4",
        "in the shell",
        "in the shell\n 4",
    ]
    assert _verified(page, runner) == []


# Old text, new text, part of the expected finding.
PLANTED = {
    "python raises": ('length("four")', "length(4)", "should raise nothing, raised TypeError"),
    "printed text differs": ("```text printed\n4\n", "```text printed\n5\n", "not what the block before it prints"),
    "shell fails": ("cat note.txt", "cat other.txt", "should raise nothing, raised exit 1"),
    "shell fails in the middle": ("cat note.txt", "cat other.txt; echo done", "should raise nothing, raised exit 1"),
    "shell prints otherwise": ("cat note.txt", "cat note.txt note.txt", "not what the block before it prints"),
    "block ends the page": ("size = length", "import os; os._exit(0)\nsize = length", "the blocks stop at this one"),
    "message changed": ("be multiplied (2x3 and 4x5)", "be multiplied (2x3 and 9x5)", "is not what was recorded"),
    "message invented": ("In short: `mat1", "In short: `Trying to reuse a freed graph` `mat1", "is in no recording"),
    "gap in the wrong order": ("`mat1 and mat2 … be", "`be multiplied and so on … mat1 be", "is in no recording"),
    "block without fence": ("## A heading", "    indented = True\n\n## A heading", "a block must be fenced"),
    "entry unknown": ("shapes-disagree/broken.out", "shapes-agree/broken.out", "shapes-agree"),
    "entry not named": ("shapes-disagree/broken.out", "broken.out", "name the entry"),
    "no reason": ("needs two machines", "no", "must say why"),
    "link to no file": ("samples/shapes-disagree/README.md", "samples/nowhere/README.md", "leads nowhere"),
    "link to no heading": ("#a-heading-of-two-words", "#a-heading", "leads nowhere"),
    "link out of the repository": ("../common-errors", "../../guide/../common-errors", "leads nowhere"),
    "snippet missing": ("from ruler", "from rule", "raised ModuleNotFoundError"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_fault_is_found(name: str, page: Path, runner: Runner) -> None:
    old, new, expected = PLANTED[name]
    edit(page, old, new)
    found = _verified(page, runner)
    assert any(expected in finding for finding in found), found
    assert all(finding.startswith("page.md") for finding in found)


def test_without_running_fences_and_links_are_still_checked(page: Path, runner: Runner, sample: Sample) -> None:
    edit(page, 'length("four")', "length(4)")
    assert run_documents([page], sample.catalog(), runner, run=False)[0].findings == []
    edit(page, "samples/shapes-disagree/README.md", "samples/nowhere/README.md")
    (finding,) = run_documents([page], sample.catalog(), runner, run=False)[0].findings
    assert "leads nowhere" in finding.problem


def test_a_page_with_a_failing_block_is_not_written(page: Path, runner: Runner, sample: Sample) -> None:
    edit(page, 'length("four")', "length(4)")
    text = page.read_text()
    result = run_documents([page], sample.catalog(), runner, write=True)[0]
    assert result.findings and not result.written and page.read_text() == text


def test_shell_blocks_run_only_where_they_are_copied_from(page: Path, sample: Sample, runner: Runner) -> None:
    """In the README, for example, `make test` would run the tests within the tests."""
    readme = sample.root / "README.md"
    readme.write_text("# Guide\n\n```sh\nexit 3\n```\n")
    assert run_documents([readme], sample.catalog(), runner)[0].findings == []


def test_a_process_that_a_page_starts_does_not_run_the_page_again(page: Path, runner: Runner) -> None:
    page.write_text(PROGRAMS["starts a process"])
    assert _verified(page, runner) == []


def test_a_page_is_found_by_its_path(page: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = sample.catalog()
    assert document(catalog, "troubleshooting-workflows/page.md") == page
    monkeypatch.chdir(page.parent)
    assert document(catalog, "page.md") == page
    with pytest.raises(UserError, match="no page of the guide"):
        document(catalog, "other.md")
    with pytest.raises(UserError, match="no page of the guide"):
        document(catalog, str(sample.folder(SHAPES) / "README.md"))


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("What you see", "what-you-see"),
        ("1. Is the loss NaN at step 0?", "1-is-the-loss-nan-at-step-0"),
        ("`torch.compile` & friends", "torchcompile--friends"),
        ("See [the page](other.md)", "see-the-page"),
        ("梯度爆炸：怎么办", "梯度爆炸怎么办"),
    ],
)
def test_anchor_of_a_heading(heading: str, anchor: str) -> None:
    assert heading_anchors(parse_page(Path("page.md"), f"# {heading}\n\n# {heading}\n")) == [anchor, f"{anchor}-1"]
