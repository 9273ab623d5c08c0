"""Verifies and fills in the pages of the guide outside entries: README, categories, templates, workflows.

The rules are those of an entry's page: blocks run and print the texts below them, and quoted messages come from
recordings. Shell blocks of templates and workflows run as well, since readers copy them.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.locate import SNIPPETS, TEMPLATES, WORKFLOWS
from torch_errors.errors import UserError, Violation
from torch_errors.explaining.compiled import load_compiled
from torch_errors.markdown.parsing import Fence, Page, parse_page, with_fence_texts
from torch_errors.running.recordings import Recording
from torch_errors.running.report import Job, Limits
from torch_errors.verifying import blocks

# The runner needs psutil; finding a page does not.
if TYPE_CHECKING:
    from torch_errors.running.pool import Machine, Runner

# Attributes of the fences of prompts; `torch_errors.prompting` reads them, and its tests check them.
PROMPT_FENCES = ("prompt", "filled")
# Folders below the root that contain no pages of the guide.
NOT_PAGES = {".git", ".venv", "site", "tests", "website", "node_modules"}
SECONDS = 60


@dataclass
class DocumentResult:
    """The result of verifying or recording one page."""

    path: Path
    name: str  # path below the root, with `/`
    findings: list[Violation] = field(default_factory=list)
    written: bool = False
    seconds: float = 0.0


def find_documents(catalog: Catalog) -> list[Path]:
    """Every Markdown file of the repository except the pages of entries and translations."""
    entries = {entry.folder for entry in catalog}
    found = []
    for folder, folders, files in os.walk(catalog.root):
        folders[:] = sorted(name for name in folders if name not in NOT_PAGES and not name.startswith("."))
        if Path(folder) not in entries:
            found += [Path(folder, name) for name in sorted(files) if name.endswith(".md") and ".zh." not in name]
    return found


def document(catalog: Catalog, name: str) -> Path:
    """The page with this path, below the root or the working directory. Raises UserError if there is none."""
    for path in (catalog.root / name, Path(name)):
        if path.resolve() in find_documents(catalog):
            return path.resolve()
    raise UserError(f"{name}: no page of the guide outside the entries has this path")


def parse_document(path: Path, root: Path) -> Page:
    """The parsed page. Its shell blocks run if readers copy them, in templates and workflows."""
    copied_from = path.relative_to(root).parts[0] in (TEMPLATES, WORKFLOWS)
    return dataclasses.replace(parse_page(path), runs_shell=copied_from)


def run_documents(
    paths: Sequence[Path],
    catalog: Catalog,
    runner: Runner,
    progress: Callable[[int, int], None] = lambda done, all: None,
    write: bool = False,
    run: bool = True,
) -> list[DocumentResult]:
    """Check the fences and quotations of pages, and run their blocks unless `run` is false.

    `write`: instead of checking the fences, fill in recorded and printed texts; a page whose blocks fail is unchanged.
    """
    results: dict[Path, DocumentResult] = {}
    pages: dict[Path, Page] = {}
    jobs: dict[Job, list[Path]] = {}
    same: dict[tuple[tuple[str, str], ...], list[Path]] = {}  # blocks -> pages with exactly these
    messages = list(_recorded_texts(catalog))
    compare = _some_recorded_here(runner.machine(), catalog)
    load_compiled(catalog.root)  # a watched block, which reads it, may not write it
    with ExitStack() as stack:
        for path in paths:
            name = path.relative_to(catalog.root).as_posix()
            results[path] = DocumentResult(path, name)
            try:
                page = pages[path] = parse_document(path, catalog.root)
            except UserError as error:
                results[path].findings.append(Violation(path.name, str(error)))
                continue
            if not write:
                quote = _quote(catalog, path)
                results[path].findings += blocks.check_fences(page, quote, messages, name, PROMPT_FENCES)
                results[path].findings += blocks.check_links(page, catalog.root)
            if run and page.blocks():
                sharing = same.setdefault(tuple((fence.language, fence.text) for fence in page.blocks()), [])
                sharing.append(path)
                if len(sharing) == 1:
                    script = stack.enter_context(blocks.page_script(page, importable=[catalog.root / SNIPPETS]))
                    jobs[Job(script, limits=Limits(seconds=SECONDS))] = sharing
        printed: dict[Path, dict[int, str]] = {}
        for done, (job, report) in enumerate(runner.run_all(list(jobs)), 1):
            for path in jobs[job]:
                result, page = results[path], pages[path]
                result.seconds = report.seconds
                result.findings += blocks.judge_blocks(page, report, result.name, compare=compare and not write)
                printed[path] = blocks.printed_texts(page, blocks.block_runs(report, page))
            progress(done, len(jobs))
    if write:
        for path, page in pages.items():
            if not results[path].findings:
                _fill(results[path], page, catalog, printed.get(path, {}))
    return list(results.values())


def _fill(result: DocumentResult, page: Page, catalog: Catalog, texts: dict[int, str]) -> None:
    for fence in page.fences:
        if "recorded" in fence.attributes:
            try:
                texts[fence.first_line] = _quote(catalog, page.path)(fence)
            except UserError as error:
                result.findings.append(Violation(f"{page.path.name}:{fence.first_line}", str(error)))
    text = with_fence_texts(page, texts)
    if text != page.text:
        page.path.write_text(text, encoding="utf-8")
        result.written = True


def _quote(catalog: Catalog, path: Path) -> Callable[[Fence], str]:
    """A function that returns the text that belongs in a fence `recorded="ENTRY/broken.out"`."""

    def quote(fence: Fence) -> str:
        id, slash, _ = fence.attributes["recorded"].partition("/")
        if not slash:
            raise UserError(f'{path}:{fence.first_line}: name the entry: recorded="ENTRY/broken.out"')
        entry = catalog.entry(id)
        if entry.id != id:  # a former id, which only old links may use
            raise UserError(f"{path}:{fence.first_line}: the entry {id} is now called {entry.id}; use that id")
        return blocks.quoted_text(entry, fence)

    return quote


def _recorded_texts(catalog: Catalog) -> Iterator[str]:
    """The texts that a message may be quoted from: recordings, and wordings of other versions on entries' pages."""
    for entry in catalog:
        for variant in entry.variants:
            if entry.recording(variant).is_file():
                yield entry.recording(variant).read_text(encoding="utf-8", errors="replace")
        if entry.page.is_file():
            yield from (fence.text for fence in parse_page(entry.page).fences if "seen" in fence.attributes)


def _some_recorded_here(machine: Machine, catalog: Catalog) -> bool:
    """Whether any entry was recorded with this machine's torch and Python; otherwise wordings and digits differ."""
    for entry in catalog:
        with suppress(UserError):  # reported when the entry is verified
            if Recording.load(entry.recording("fixed")).is_from(machine):
                return True
    return False
