"""Writes down what the scripts print: the `.out` files, and the texts that the pages quote from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch_errors.catalog.entries import Entry
from torch_errors.errors import UserError
from torch_errors.maintaining import blocks
from torch_errors.maintaining.recordings import from_report
from torch_errors.maintaining.verify import judge
from torch_errors.markdown.pages import parse_page, with_fence_texts
from torch_errors.running.report import Job, Limits
from torch_errors.running.runner import Machine, Runner


@dataclass
class Recorded:
    """What recording one entry did."""

    entry: Entry
    written: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    skipped: str | None = None


def record(
    entries: Sequence[Entry], runner: Runner, progress: Callable[[int, int], None] = lambda done, all: None
) -> list[Recorded]:
    """Run the scripts of `entries` and write down what they print.

    A run that does not keep its promise is not written down. Raises UserError where a script is missing.
    """
    machine = runner.machine()
    results = {entry.id: _ready(entry, machine) for entry in entries}
    jobs = {
        Job(entry.script(variant), limits=Limits(seconds=entry.fields.timeout)): (entry, variant)
        for entry in entries
        if not results[entry.id].skipped
        for variant in entry.variants
    }
    for done, (job, report) in enumerate(runner.run_all(list(jobs)), 1):
        entry, variant = jobs[job]
        problems = judge(entry, variant, report)
        results[entry.id].problems += [f"{variant}.py: {problem}" for problem in problems]
        if not problems:
            _write(results[entry.id], entry.recording(variant), from_report(entry, variant, report, machine).to_text())
        progress(done, len(jobs))
    for result in results.values():
        if not result.problems and result.entry.page.is_file():
            _fill_page(result, runner)
    return list(results.values())


def _ready(entry: Entry, machine: Machine) -> Recorded:
    lacking = machine.lacks(entry.requires)
    if lacking:
        return Recorded(entry, skipped=f"needs {', '.join(lacking)}")
    for variant in entry.variants:
        if not entry.script(variant).is_file():
            raise UserError(f"{entry.script(variant)}: is missing; the entry {entry.id} needs it")
    return Recorded(entry)


def _fill_page(result: Recorded, runner: Runner) -> None:
    """Put recorded and printed texts into the fences of the entry's page."""
    entry = result.entry
    page = parse_page(entry.page)
    texts = {}
    for fence in page.fences:
        if "recorded" in fence.attributes and not result.skipped:
            try:
                texts[fence.first_line] = blocks.quoted_text(entry, fence)
            except UserError as error:
                result.problems.append(str(error))
    if any("printed" in fence.attributes for fence in page.fences):
        before = None if result.skipped else entry.script("fixed")
        with blocks.page_script(page, before) as script:
            report = runner.run(Job(script, limits=Limits(seconds=entry.fields.timeout)))
        problems = [
            f"{finding.where}: {finding.problem}"
            for finding in blocks.judge_blocks(page, report, entry.id, compare=False)
        ]
        if problems:
            result.problems += problems
            return
        texts |= blocks.printed_texts(page, blocks.block_runs(report, page))
    _write(result, entry.page, with_fence_texts(page, texts))


def _write(result: Recorded, path: Path, text: str) -> None:
    """Write only what differs, so that a recording that repeats the old one touches nothing."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        result.written.append(path)
