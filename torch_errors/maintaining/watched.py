"""That the detector of an entry names its fault in a run, with three seeds, and is silent about right programs."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.locate import DETECTOR_FILE
from torch_errors.errors import Finding, UserError
from torch_errors.maintaining import cases
from torch_errors.running.report import Job, Limits, Report
from torch_errors.watching.watch import load_detector

SEEDS = 3


@dataclass(frozen=True)
class Watched:
    """One watched run: of a script of the entry or of a case."""

    where: str
    what: str
    shows: bool  # whether the detector must name the entry


def watched_jobs(entry: Entry, stack: ExitStack, seeds: int) -> dict[Job, Watched]:
    """The watched runs of an entry, none where it has no detector. Scripts run with `seeds` seeds, at most three.

    Raises UserError where the detector cannot be loaded.
    """
    path = entry.folder / DETECTOR_FILE
    if not path.is_file():
        return {}
    limits = Limits(seconds=entry.fields.timeout)
    unseen = load_detector(path).unseen
    jobs = {
        Job(entry.script(variant), seed, limits, None, entry.root): Watched(
            f"{variant}.py" + (f", seed +{seed}" if seed else ""), "", variant != "fixed"
        )
        for variant in entry.variants
        if variant not in unseen
        for seed in range(min(seeds, SEEDS))
    }
    try:
        cells = cases.read_cases(entry).cells
    except UserError:
        return jobs  # said by check_files
    for case in cells:
        if case.kind in ("watched", "right"):
            job = Job(stack.enter_context(cases.case_script(case)), 0, limits, None, entry.root)
            jobs[job] = Watched(f"{cases.CASES_FILE}:{case.line}", f"{case.title}: ", case.kind == "watched")
    return jobs


def judge_watched(entry: Entry, watched: Watched, report: Report) -> list[Finding]:
    """What of the detector's promise a run does not keep."""
    if report.limit:
        problems = [report.limit]
    elif watched.shows and watched.what and report.exit_status:
        problems = ["it ends with an exception; a watched case shows the fault without one"]
    else:
        problems = [failure for failure in report.watch_failures if failure.startswith(f"{entry.id}:")]
        if watched.shows != (entry.id in report.found):
            found = ", ".join(report.found) or "nothing"
            problems.append(f"should {'' if watched.shows else 'not '}name {entry.id}; it names {found}")
    return [Finding(watched.where, f"{watched.what}--watch: {problem}") for problem in problems]
