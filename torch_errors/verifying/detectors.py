"""Checks that `--watch` reports the faults of an entry's scripts, and nothing else.

A detector must report its entry on the entry's broken scripts, with three seeds. All detectors watch the scripts and
right programs of all entries; they must report nothing else, unless `also_named` in `entry.yaml` says why that is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import Variant
from torch_errors.catalog.locate import DETECTOR_FILE, ENTRY_FILE
from torch_errors.errors import Violation
from torch_errors.running.report import Job, Limits, Observer, Report
from torch_errors.verifying import cases
from torch_errors.verifying.cases import Case
from torch_errors.watching.loading import load_detector

SEEDS = 3
WATCHING = "torch_errors.watching.in_sandbox"  # the module that observes scripts while they run


@dataclass(frozen=True)
class WatchedRun:
    """One watched run of a script or of a case."""

    where: str  # script or line of cases.py, for messages
    title: str  # title of a case, for messages; empty for a script
    shows: bool  # whether the entry must be reported
    also: frozenset[str] | None = None  # other entries that must be reported; None if any may be
    variant: Variant | None = None  # None for a case
    seed: int = 0


def watched_jobs(entry: Entry, stack: ExitStack, seeds: Sequence[int], then: str | None) -> dict[Job, WatchedRun]:
    """The watched runs of an entry's scripts and of its watched cases.

    If the entry has a detector, its scripts run with the first three of `seeds`, after the first one followed by the
    confirmation `then`. Raises UserError if the detector cannot be loaded.
    """
    path = entry.folder / DETECTOR_FILE
    has_detector = path.is_file()
    unseen = load_detector(path).unseen if has_detector else {}
    watched_job = partial(Job, limits=Limits(seconds=entry.fields.timeout), observer=Observer(WATCHING, entry.root))
    jobs: dict[Job, WatchedRun] = {}
    for variant in entry.variants:
        shows = has_detector and variant != "fixed" and variant not in unseen
        run = WatchedRun(f"{variant}.py", "", shows, _also(entry, variant), variant)
        jobs[watched_job(entry.script(variant))] = run
        if has_detector and variant not in unseen:
            for seed in seeds[1:SEEDS]:
                run = WatchedRun(f"{variant}.py, seed +{seed}", "", shows, None, variant, seed)
                jobs[watched_job(entry.script(variant), seed, then=then)] = run
    for case in cases.readable_cells(entry) if has_detector else ():
        if case.kind == "watched":
            jobs[watched_job(stack.enter_context(cases.case_script(case)))] = _watched_case(case, None)
    return jobs


def watched_right(entry: Entry, case: Case) -> WatchedRun:
    """The watched run of a right program: only the entries that `also_named` declares may be reported."""
    return _watched_case(case, _also(entry, case.title))


def _watched_case(case: Case, also: frozenset[str] | None) -> WatchedRun:
    return WatchedRun(f"{cases.CASES_FILE}:{case.line}", case.title, case.kind == "watched", also)


def _also(entry: Entry, what: str) -> frozenset[str]:
    named = entry.fields.also_named.get(what)
    return frozenset(named.entries if named else ())


def check_also_named(entry: Entry, right: list[str]) -> list[Violation]:
    """Check that the keys of `also_named` are scripts of the entry or titles of right programs, which `right` lists."""
    unknown = entry.fields.also_named.keys() - {*entry.variants, *right}
    problem = "is neither a script of the entry nor the title of a right program in cases.py"
    return [Violation(ENTRY_FILE, f"also_named: {what!r} {problem}") for what in sorted(unknown)]


def judge_watched(entry: Entry, watched: WatchedRun, report: Report) -> list[Violation]:
    """The ways in which a watched run breaks the promises of the detectors."""
    found = set(report.found) if watched.also is not None else {entry.id} & set(report.found)
    wanted = (watched.also or frozenset()) | ({entry.id} if watched.shows else set())
    if report.limit:
        problems = [report.limit]
    elif watched.shows and watched.title and report.exit_status:
        problems = ["ends with an exception; a watched case must show the fault without one"]
    else:
        problems = [*report.watch_failures]
        if found != wanted:
            names = ", ".join(report.found) or "nothing"
            problems += [f"should report {id}, reports {names}" for id in sorted(wanted - found)]
            problems += [
                f"should not report {id}, reports {names}"
                + ("" if id == entry.id else "; if the program has this fault as well, declare it in `also_named`")
                for id in sorted(found - wanted)
            ]
    title = f"{watched.title}: " if watched.title else ""
    return [Violation(watched.where, f"{title}--watch: {problem}") for problem in problems]
