"""Records the output of scripts: writes the `.out` files, and the texts that pages quote from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import Variant
from torch_errors.errors import UserError
from torch_errors.markdown.parsing import parse_page, with_fence_texts
from torch_errors.running.pool import Machine, Runner
from torch_errors.running.recordings import from_report, shorten_paths
from torch_errors.running.report import Job, Limits, Report
from torch_errors.verifying import blocks, cases
from torch_errors.verifying.cases import Case, Ran
from torch_errors.verifying.confirming import verdict_of, verdicts_text
from torch_errors.verifying.judging import judge
from torch_errors.verifying.verify import case_jobs, then_source


@dataclass
class Recorded:
    """The result of recording one entry."""

    entry: Entry
    written: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    skipped: str | None = None


def record(
    entries: Sequence[Entry], runner: Runner, progress: Callable[[int, int], None] = lambda done, all: None
) -> list[Recorded]:
    """Run the scripts of `entries` and record their output.

    A run that breaks its promise is not recorded. Raises UserError if a script is missing.
    """
    machine = runner.machine()
    results = {entry.id: _ready(entry, machine) for entry in entries}
    verdicts: dict[str, dict[str, str | None]] = {entry.id: dict.fromkeys(entry.variants) for entry in entries}
    runs: dict[str, list[Ran]] = {entry.id: [] for entry in entries}
    with ExitStack() as stack:
        jobs: dict[Job, tuple[Entry, Variant | Case]] = {}
        for entry in entries:
            if not results[entry.id].skipped:
                limits, then = Limits(seconds=entry.fields.timeout), then_source(entry)
                jobs |= {Job(entry.script(variant), 0, limits, then): (entry, variant) for variant in entry.variants}
                jobs |= {job: (entry, case) for job, case in case_jobs(entry, stack).items()}
        for done, (job, report) in enumerate(runner.run_all(list(jobs)), 1):
            entry, what = jobs[job]
            if isinstance(what, Case):
                runs[entry.id].append(cases.ran(what, report, entry, job.script.parent))
            else:
                _take(results[entry.id], what, report, machine)
                verdicts[entry.id][what] = verdict_of(shorten_paths(report.then_output, entry.folder))
            progress(done, len(jobs))
    for result in results.values():
        if not result.problems and result.entry.page.is_file():
            _fill_page(result, runner, verdicts[result.entry.id])
        if runs[result.entry.id] and not result.problems:
            _write_answers(result, sorted(runs[result.entry.id], key=lambda run: run.case.line))
    return list(results.values())


def _take(result: Recorded, variant: Variant, report: Report, machine: Machine) -> None:
    """Record a run if it keeps its promise."""
    entry = result.entry
    problems = judge(entry, variant, report)
    result.problems += [f"{variant}.py: {problem}" for problem in problems]
    if not problems:
        _write(result, entry.recording(variant), from_report(entry, variant, report, machine).to_text())


def _write_answers(result: Recorded, runs: list[Ran]) -> None:
    entry = result.entry
    problems = [finding for run in runs for finding in cases.judge_case(entry, run, then_source(entry) is not None)]
    result.problems += [f"{finding.where}: {finding.problem}" for finding in problems]
    if not problems:
        _write(result, entry.folder / cases.ANSWERS_FILE, cases.answers_text(cases.answers(entry, runs)))


def _ready(entry: Entry, machine: Machine) -> Recorded:
    lacking = machine.lacks(entry.requires)
    if lacking:
        return Recorded(entry, skipped=f"needs {', '.join(lacking)}")
    for variant in entry.variants:
        if not entry.script(variant).is_file():
            raise UserError(f"{entry.script(variant)}: is missing; the entry {entry.id} needs it")
    return Recorded(entry)


def _fill_page(result: Recorded, runner: Runner, verdicts: dict[str, str | None]) -> None:
    """Fill in the fences of the entry's page: recorded and printed texts, and the verdicts of the confirmation."""
    entry = result.entry
    page = parse_page(entry.page)
    texts = {}
    for fence in page.fences:
        if "verdicts" in fence.attributes and not result.skipped:
            texts[fence.first_line] = verdicts_text(verdicts)
        if fence.attributes.keys() & {"recorded", "version"} and not result.skipped:
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
    """Write the text and list the file as written, unless the file already has this text."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        result.written.append(path)
