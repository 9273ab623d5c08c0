"""Verifies that entries keep their promises: checks their files and runs their scripts.

`files.py` checks the files, `judging.py` judges the runs; cases, confirmations, blocks of pages and detectors have
modules of these names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import SilentPromise, Variant
from torch_errors.catalog.locate import DETECTOR_FILE
from torch_errors.errors import UserError, Violation
from torch_errors.explaining.compiled import load_compiled
from torch_errors.markdown.parsing import Page, parse_page
from torch_errors.running.pool import SYSTEMS, Machine, Runner
from torch_errors.running.recordings import Recording, from_report, shorten_paths
from torch_errors.running.report import Job, Limits, Observer, Report
from torch_errors.verifying import blocks, cases, confirming
from torch_errors.verifying.cases import Case, Ran
from torch_errors.verifying.detectors import WATCHING, WatchedRun, judge_watched, watched_jobs, watched_right
from torch_errors.verifying.files import check_files, check_seeds
from torch_errors.verifying.judging import as_number, compare_recording, judge, judge_confirmation

# Folders whose files may change while scripts run, without a script writing to them.
NOT_COMPARED = {".git", ".venv", "site", "node_modules", "__pycache__", ".compiled", ".hypothesis"}
NOT_COMPARED |= {".pytest_cache", ".ruff_cache", ".mypy_cache"}

State = Literal["held", "not held", "skipped"]
Only = Literal["scripts", "numbers"]  # the part that is verified, see `verify`


@dataclass
class Result:
    """The result of verifying one entry."""

    entry: Entry
    findings: list[Violation] = field(default_factory=list)
    skipped: str | None = None  # why the scripts were not run
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    scripts: int = 0
    cases: int = 0
    message: str | None = None  # message of broken.py, with the type of the exception
    values: dict[str, list[float]] = field(default_factory=dict)  # variant -> measured numbers, one per run

    @property
    def state(self) -> State:
        return "not held" if self.findings else "skipped" if self.skipped else "held"

    def add_runs(self, other: Result) -> None:
        """Add the scripts and the numbers of runs with further seeds."""
        self.scripts += other.scripts
        for variant, values in other.values.items():
            self.values.setdefault(variant, []).extend(values)


def verify(
    entries: Sequence[Entry],
    runner: Runner,
    seeds: Sequence[int] = (0,),
    progress: Callable[[int, int], None] = lambda done, all: None,
    only: Only | None = None,
) -> list[Result]:
    """Check the files of `entries` and run their scripts; scripts judged by a number run with each of `seeds`.

    `seeds`: offsets added to the seeds in the scripts. 0 is the recorded run, which is compared with the recordings.

    `only`: "scripts" leaves out cases, detectors and the blocks of pages; "numbers" leaves out what does not depend on
    a processor's arithmetic: the detectors, and the cases of exceptions and warnings, whose messages give shapes,
    dtypes and devices.
    `progress` is called with the number of finished runs and of all runs. Results are in the order of `entries`.
    """
    results = {entry.id: Result(entry) for entry in entries}
    roots = {entry.root for entry in entries}
    for root in roots:
        load_compiled(root)  # writes the file that watched scripts read, which must not write it
    before = {root: snapshot(root) for root in roots}
    jobs: dict[Job, tuple[Entry, Variant | Page | Case | WatchedRun, int]] = {}
    ran: dict[str, dict[Case, Ran]] = {entry.id: {} for entry in entries}
    verdicts: dict[str, dict[str, str | None]] = {entry.id: {} for entry in entries}
    for entry in entries:  # while the runner imports torch
        results[entry.id].findings += check_files(entry)
        if set(seeds) != {0}:
            results[entry.id].findings += check_seeds(entry)
    machine = runner.machine()
    with ExitStack() as stack:
        for entry in entries:
            result = results[entry.id]
            if not all(entry.script(variant).is_file() for variant in entry.variants):
                continue
            lacking = machine.lacks(entry.requires)
            if lacking:
                result.skipped = f"needs {', '.join(lacking)}"
            else:
                try:
                    watched = {} if only else watched_jobs(entry, stack, seeds, then_source(entry))
                except UserError as error:
                    result.findings.append(Violation(DETECTOR_FILE, str(error)))
                    watched = {}
                # A run that is watched with a further seed is also judged by its number, so it need not run twice.
                twice = {(run.variant, run.seed) for run in watched.values() if run.seed}
                jobs |= {job: run for job, run in _jobs(entry, seeds).items() if run[1:] not in twice}
                if only is None or (only == "numbers" and entry.kind == "silent"):
                    runs = case_jobs(entry, stack, watch=bool(watched))
                    jobs |= {job: (entry, case, 0) for job, case in runs.items()}
                jobs |= {job: (entry, run, 0) for job, run in watched.items()}
            page = _readable_page(entry)
            if page and page.blocks() and only != "scripts" and set(lacking) <= set(SYSTEMS):
                # On another system or without the GPU, the blocks run without fixed.py; without a package, not at all.
                fixed = None if lacking else entry.script("fixed")
                script = stack.enter_context(blocks.page_script(page, fixed))
                jobs[Job(script, limits=Limits(seconds=entry.fields.timeout))] = (entry, page, 0)
        reports = runner.run_all(list(jobs))
        for done, (job, report) in enumerate(reports, 1):
            entry, what, seed = jobs[job]
            result = results[entry.id]
            result.seconds += report.seconds
            result.cpu_seconds += report.cpu_seconds
            if isinstance(what, Page):
                result.findings += blocks.judge_blocks(what, report, entry.id, compare=_recorded_here(machine, entry))
            elif isinstance(what, Case):
                ran[entry.id][what] = cases.ran(what, report, entry, job.script.parent)
                if job.observer:
                    result.findings += judge_watched(entry, watched_right(entry, what), report)
            elif isinstance(what, WatchedRun):
                result.findings += judge_watched(entry, what, report)
                if what.variant and what.seed and entry.is_measured:
                    _judge_script(result, what.variant, what.seed, job, report, machine)
            else:
                _judge_script(result, what, seed, job, report, machine)
                if job.then and not seed:
                    verdicts[entry.id][what] = confirming.verdict_of(shorten_paths(report.then_output, entry.folder))
            progress(done, len(jobs))
    for entry in entries:
        if not results[entry.id].skipped:
            compare = 0 in _seeds_of(entry, seeds) and _recorded_here(machine, entry)
            numbers = _has_device_of(machine, entry)
            _judge_together(results[entry.id], ran[entry.id], verdicts[entry.id], compare, numbers)
    for root in roots:
        for path in sorted(changed(before[root], snapshot(root))):
            owner = next((r for r in results.values() if path.is_relative_to(r.entry.folder)), None)
            for result in [owner] if owner else results.values():
                result.findings.append(Violation(str(path.relative_to(root)), "was written while the scripts ran"))
    for result in results.values():
        result.findings.sort(key=lambda finding: finding.where)
    return list(results.values())


def _judge_script(result: Result, variant: Variant, seed: int, job: Job, report: Report, machine: Machine) -> None:
    """Judge one run of a script, and add the findings to the result."""
    entry = result.entry
    promise = entry.promise(variant)
    where = f"{variant}.py" + (f", seed +{seed}" if seed else "")
    problems = judge(entry, variant, report) + judge_confirmation(variant, job, report)
    result.scripts += 1
    result.findings += [Violation(where, problem) for problem in problems]
    if not seed:
        result.findings += compare_recording(entry, variant, report, machine)
    if variant == "broken" and not seed:
        result.message = _message(entry, report, machine)
    if isinstance(promise, SilentPromise):
        numbers = map(as_number, report.values(promise.measure.name))
        result.values.setdefault(variant, []).extend(number for number in numbers if number is not None)


def _judge_together(
    result: Result, ran: Mapping[Case, Ran], verdicts: Mapping[str, str | None], compare: bool, numbers: bool
) -> None:
    """Judge the cases of the entry and, with `compare`, the verdicts on its page; add the findings to the result."""
    entry = result.entry
    result.cases = len(ran)
    result.findings += judge_cases(entry, sorted(ran.values(), key=lambda run: run.case.line), compare, numbers)
    page = _readable_page(entry)
    if page and page.confirmation and compare:
        ordered: dict[str, str | None] = {variant: verdicts.get(variant) for variant in entry.variants}
        result.findings += confirming.check_verdicts(page, ordered, entry.id)


def _seeds_of(entry: Entry, seeds: Sequence[int]) -> Sequence[int]:
    return seeds if entry.is_measured else (0,)


def _jobs(entry: Entry, seeds: Sequence[int]) -> dict[Job, tuple[Entry, Variant | Page | Case | WatchedRun, int]]:
    """The runs of an entry's scripts, each followed by the confirmation; one per seed if a number judges them."""
    limits = Limits(seconds=entry.fields.timeout)
    then = then_source(entry)
    jobs: dict[Job, tuple[Entry, Variant | Page | Case | WatchedRun, int]] = {}
    for variant in entry.variants:
        for seed in _seeds_of(entry, seeds):
            jobs[Job(entry.script(variant), seed, limits, then)] = (entry, variant, seed)
    return jobs


def case_jobs(entry: Entry, stack: ExitStack, watch: bool = False) -> dict[Job, Case]:
    """The runs of an entry's cases, each followed by the confirmation unless only the message is checked.

    `watch`: whether right programs run under all detectors.
    """
    limits = Limits(seconds=entry.fields.timeout)
    then = then_source(entry, of_case=True)
    jobs = {}
    for case in cases.readable_cells(entry):
        if case.kind != "watched":
            script = stack.enter_context(cases.case_script(case))
            observer = Observer(WATCHING, entry.root) if watch and case.kind in ("right", "undecided") else None
            jobs[Job(script, 0, limits, then if case.asked else None, observer)] = case
    return jobs


def then_source(entry: Entry, of_case: bool = False) -> str | None:
    """The confirmation of the entry's page as Python source; None if there is none that can run."""
    page = _readable_page(entry)
    fence = page.confirmation if page else None
    return confirming.confirmation_source(fence, of_case) if fence else None


def judge_cases(entry: Entry, runs: Sequence[Ran], compare: bool, numbers: bool = True) -> list[Violation]:
    """Judge the cases of an entry together.

    `compare`: whether to compare the answers with the recorded ones; other versions word messages differently.
    `numbers`: whether to compare the numbers in the answers; GPUs differ in their memory.
    """
    confirmable = then_source(entry) is not None
    findings = [finding for run in runs for finding in cases.judge_case(entry, run, confirmable)]
    if findings or not runs or not compare:
        return findings
    matches = [match for match in (cases.recorded_match(entry), *(run.match for run in runs)) if match]
    findings = cases.judge_fixes(entry, runs)
    findings += cases.judge_branches(entry, [match for match in matches if match.id == entry.id])
    return findings + cases.check_answers(entry, cases.answers(entry, runs), numbers)


def _message(entry: Entry, report: Report, machine: Machine) -> str | None:
    """The exception or the warning that broken.py printed; None for a silent failure, or if it printed none."""
    if entry.kind == "silent":
        return None
    try:
        return from_report(entry, "broken", report, machine).message(entry.promise("broken"))
    except UserError:
        return None


def _readable_page(entry: Entry) -> Page | None:
    """The entry's page; None if it cannot be read, which `check_files` reports."""
    try:
        return parse_page(entry.page)
    except UserError:
        return None


def _recorded_here(machine: Machine, entry: Entry) -> bool:
    """Whether the entry was recorded with this machine's torch and Python; True if that is unknown."""
    try:
        return Recording.load(entry.recording("fixed")).is_from(machine)
    except UserError:
        return True


def _has_device_of(machine: Machine, entry: Entry) -> bool:
    """Whether the entry needs no GPU or was recorded on this model of GPU; True if that is unknown."""
    try:
        return "cuda" not in entry.requires or Recording.load(entry.recording("fixed")).device == machine.device
    except UserError:
        return True


def snapshot(root: Path) -> dict[Path, tuple[int, int]]:
    """Size and modification time of every file below `root` that belongs to the repository."""
    found: dict[Path, tuple[int, int]] = {}
    folders = [root]
    while folders:
        for path in folders.pop().iterdir():
            if path.name in NOT_COMPARED or path.is_symlink():
                continue
            if path.is_dir():
                folders.append(path)
            else:
                stat = path.stat()
                found[path] = (stat.st_size, stat.st_mtime_ns)
    return found


def changed(before: dict[Path, tuple[int, int]], after: dict[Path, tuple[int, int]]) -> set[Path]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
