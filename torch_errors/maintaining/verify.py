"""Holds every entry to its promise.

Two halves: what files say (`check_files`) and what running the scripts shows (`judge`). `verify` does both for many
entries at once and gives one result an entry.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from torch_errors.catalog.entries import Catalog, Entry, marked_lines
from torch_errors.catalog.fields import (
    SYSTEMS,
    ExceptionPromise,
    MessagePattern,
    SilentPromise,
    Variant,
    WarningPromise,
)
from torch_errors.catalog.locate import CATALOG_FILE, DETECTOR_FILE, ENTRIES_FOLDER, ENTRY_FILE
from torch_errors.catalog.recordings import Recording, from_report, shorten_paths, without_addresses
from torch_errors.errors import Finding, UserError
from torch_errors.maintaining import blocks, cases, confirming, staging
from torch_errors.maintaining.cases import Case, Ran
from torch_errors.maintaining.watched import Watched, check_also_named, judge_watched, watched_jobs, watched_right
from torch_errors.markdown.parsing import Fence, Page, parse_page
from torch_errors.reading import read_text
from torch_errors.running.report import Job, Limits, Report
from torch_errors.running.runner import Machine, Runner
from torch_errors.running.script import constant_seeds

REQUIRED_SECTIONS = ["What you see", "Fix", "Why it happens", "Other wordings", "How to confirm it", "Related"]
SECTIONS = [
    "What you see",
    "Fix",
    "Why it happens",
    "Other causes",
    "The popular fix that does not work",
    "When this does not apply",
    "Other wordings",
    "How to confirm it",
    "Related",
]
# Folders whose files change without a script having written to the repository.
NOT_COMPARED = {".git", ".venv", "site", "node_modules", "__pycache__", ".compiled", ".hypothesis"}
NOT_COMPARED |= {".pytest_cache", ".ruff_cache", ".mypy_cache"}
# The message of an exception that holds another one.
_CAUGHT = re.compile(r"Caught \w+ in ")
_CPP_WARNING = re.compile(r"^\[W\d* ", re.MULTILINE)
# Warnings that are not about a mistake in the script: of one Python, and of TorchScript, deprecated as a whole.
_ABOUT_NO_SCRIPT = re.compile(
    r"Guards may run slower on Python 3\.13\.0|`torch\.jit\.\w+` is (?:deprecated\.|not supported in Python 3\.14)"
)

State = Literal["held", "not held", "skipped"]
Only = Literal["numbers", "measures"]  # what is verified, see `verify`


@dataclass
class Result:
    """What verification says of one entry."""

    entry: Entry
    findings: list[Finding] = field(default_factory=list)
    skipped: str | None = None  # why the scripts were not run
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    scripts: int = 0
    cases: int = 0
    message: str | None = None  # of broken.py, with its type
    values: dict[str, list[float]] = field(default_factory=dict)  # variant -> measured numbers, one a run

    @property
    def state(self) -> State:
        return "not held" if self.findings else "skipped" if self.skipped else "held"

    def add_runs(self, other: Result) -> None:
        """Count the scripts and the numbers of further seeds."""
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
    """Check the files of `entries` and run their scripts; those that a number judges with each of `seeds`.

    `seeds`: added to the seeds that the scripts name; 0 is what is recorded, and compared with the recordings.

    `only`: "numbers" leaves out what no processor's arithmetic decides: the detectors, and the cases of exceptions and
    warnings, whose messages tell shapes, dtypes and devices; "measures" leaves out all but scripts and confirmations.
    `progress` is called with the number of finished runs and of all runs. Results are in the order of `entries`.
    """
    results = {entry.id: Result(entry) for entry in entries}
    roots = {entry.root for entry in entries}
    before = {root: snapshot(root) for root in roots}
    jobs: dict[Job, tuple[Entry, Variant | Page | Case | Watched, int]] = {}
    ran: dict[str, dict[Case, Ran]] = {entry.id: {} for entry in entries}
    verdicts: dict[str, dict[str, str | None]] = {entry.id: {} for entry in entries}
    for entry in entries:  # while the runner imports torch
        results[entry.id].findings += check_files(entry)
        if set(seeds) != {0}:
            results[entry.id].findings += _check_seeds(entry)
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
                jobs |= _jobs(entry, seeds)
                try:
                    watched = {} if only else watched_jobs(entry, stack, seeds)
                except UserError as error:
                    result.findings.append(Finding(DETECTOR_FILE, str(error)))
                    watched = {}
                if only is None or (only == "numbers" and entry.kind == "silent"):
                    runs = case_jobs(entry, stack, watch=bool(watched))
                    jobs |= {job: (entry, case, 0) for job, case in runs.items()}
                jobs |= {job: (entry, one, 0) for job, one in watched.items()}
            page = _readable_page(entry)
            if page and page.blocks() and only != "measures":
                # Where fixed.py cannot run, the blocks of the page must do without it.
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
                result.findings += blocks.judge_blocks(what, report, entry.id, compare=_is_from(machine, entry))
            elif isinstance(what, Case):
                ran[entry.id][what] = cases.ran(what, report, entry, job.script.parent)
                if job.watch:
                    result.findings += judge_watched(entry, watched_right(entry, what), report)
            elif isinstance(what, Watched):
                result.findings += judge_watched(entry, what, report)
            else:
                _judge_script(result, what, seed, job, report, machine)
                if job.then and not seed:
                    verdicts[entry.id][what] = confirming.verdict_of(shorten_paths(report.then_output, entry.folder))
            progress(done, len(jobs))
    for entry in entries:
        if not results[entry.id].skipped:
            compare = 0 in _seeds_of(entry, seeds) and _is_from(machine, entry)
            numbers = _has_device_of(machine, entry)
            _judge_together(results[entry.id], ran[entry.id], verdicts[entry.id], compare, numbers)
    for root in roots:
        for path in sorted(changed(before[root], snapshot(root))):
            owner = next((r for r in results.values() if path.is_relative_to(r.entry.folder)), None)
            for result in [owner] if owner else results.values():
                result.findings.append(Finding(str(path.relative_to(root)), "was written while the scripts ran"))
    for result in results.values():
        result.findings.sort(key=lambda finding: finding.where)
    return list(results.values())


def _judge_script(result: Result, variant: Variant, seed: int, job: Job, report: Report, machine: Machine) -> None:
    """Add to the result what one run of a script shows."""
    entry = result.entry
    promise = entry.promise(variant)
    where = f"{variant}.py" + (f", seed +{seed}" if seed else "")
    problems = judge(entry, variant, report) + judge_confirmation(variant, job, report)
    result.scripts += 1
    result.findings += [Finding(where, problem) for problem in problems]
    if not seed:
        result.findings += _compare_recording(entry, variant, report, machine)
    if variant == "broken" and not seed:
        result.message = _message(entry, report, machine)
    if isinstance(promise, SilentPromise):
        numbers = map(_number, report.values(promise.measure.name))
        result.values.setdefault(variant, []).extend(number for number in numbers if number is not None)


def _judge_together(
    result: Result, ran: Mapping[Case, Ran], verdicts: Mapping[str, str | None], compare: bool, numbers: bool
) -> None:
    """Add to the result what all cases of the entry show, and, with `compare`, all verdicts of its confirmation."""
    entry = result.entry
    result.cases = len(ran)
    result.findings += judge_cases(entry, sorted(ran.values(), key=lambda one: one.case.line), compare, numbers)
    page = _readable_page(entry)
    if page and page.confirmation and compare:
        ordered: dict[str, str | None] = {variant: verdicts.get(variant) for variant in entry.variants}
        result.findings += confirming.check_verdicts(page, ordered, entry.id)


def _seeds_of(entry: Entry, seeds: Sequence[int]) -> Sequence[int]:
    return seeds if is_measured(entry) else (0,)


def _jobs(entry: Entry, seeds: Sequence[int]) -> dict[Job, tuple[Entry, Variant | Page | Case | Watched, int]]:
    """The runs of an entry's scripts, with the confirmation of its page; where a number decides, one run a seed."""
    limits = Limits(seconds=entry.fields.timeout)
    then = then_source(entry)
    jobs: dict[Job, tuple[Entry, Variant | Page | Case | Watched, int]] = {}
    for variant in entry.variants:
        for seed in _seeds_of(entry, seeds):
            jobs[Job(entry.script(variant), seed, limits, then)] = (entry, variant, seed)
    return jobs


def case_jobs(entry: Entry, stack: ExitStack, watch: bool = False) -> dict[Job, Case]:
    """The runs of an entry's cases. Of the message of a fault that is all, the others are asked for confirmation.

    `watch`: right programs run under all detectors.
    """
    limits = Limits(seconds=entry.fields.timeout)
    try:
        cells = cases.read_cases(entry).cells
    except UserError:
        return {}  # said by check_files
    then = then_source(entry, of_case=True)
    jobs = {}
    for case in cells:
        if case.kind != "watched":
            script = stack.enter_context(cases.case_script(case))
            watched_by = entry.root if watch and case.kind == "right" else None
            jobs[Job(script, 0, limits, then if case.asked else None, watched_by)] = case
    return jobs


def then_source(entry: Entry, of_case: bool = False) -> str | None:
    """The confirmation of the entry's page as source; None where it cannot be run."""
    page = _readable_page(entry)
    fence = page.confirmation if page else None
    return confirming.confirmation_source(fence, of_case) if fence else None


def judge_cases(entry: Entry, runs: Sequence[Ran], compare: bool, numbers: bool = True) -> list[Finding]:
    """`compare`: whether the answers are those that were recorded; other versions word messages differently.

    `numbers`: whether their numbers are, too; another GPU has more memory or less.
    """
    confirmable = then_source(entry) is not None
    findings = [finding for one in runs for finding in cases.judge_case(entry, one, confirmable)]
    if findings or not runs or not compare:
        return findings
    matches = [match for match in (cases.recorded_match(entry), *(one.match for one in runs)) if match]
    findings = cases.judge_fixes(entry, runs)
    findings += cases.judge_branches(entry, [match for match in matches if match.id == entry.id])
    return findings + cases.check_answers(entry, cases.answers(entry, runs), numbers)


def _check_seeds(entry: Entry) -> list[Finding]:
    """That running with several seeds does run with several: the scripts that a number judges must name theirs."""
    if not is_measured(entry):
        return []
    findings = []
    for variant in entry.variants:
        script = entry.script(variant)
        try:
            seeded = script.is_file() and constant_seeds(ast.parse(script.read_bytes()))
        except (SyntaxError, ValueError):
            continue  # said by check_script
        if script.is_file() and not seeded:
            problem = "no seed to replace: call `torch.manual_seed(0)`, with the number itself"
            findings.append(Finding(script.name, problem))
    return findings


def _message(entry: Entry, report: Report, machine: Machine) -> str | None:
    """The exception or the warning that broken.py printed; None for a number, or where it printed none."""
    if entry.kind == "silent":
        return None
    try:
        return from_report(entry, "broken", report, machine).message(entry.promise("broken"))
    except UserError:
        return None


def is_measured(entry: Entry) -> bool:
    """Whether a number judges one of its scripts."""
    return any(isinstance(entry.promise(variant), SilentPromise) for variant in entry.variants)


# Running -----------------------------------------------------------------------------------------------------------


def judge(entry: Entry, variant: Variant, report: Report) -> list[str]:
    """What of the promise a run does not keep, as sentences."""
    problems = report.trespasses()
    if report.limit:
        return [*problems, report.limit]
    promise = entry.promise(variant)
    if variant == "fixed":
        problems += _must_run_clean(report)
        # A wrong fix may fail by a number of its own; the right one must have that number right, too.
        promises = [promise] + ([entry.promise("wrong_fix")] if "wrong_fix" in entry.variants else [])
        measures = {p.measure.name: p for p in promises if isinstance(p, SilentPromise)}
        return problems + [line for p in measures.values() for line in _must_measure(p, report, healthy=True)]
    if isinstance(promise, ExceptionPromise):
        return problems + _must_raise(promise, report, entry, variant)
    if isinstance(promise, WarningPromise):
        return problems + _must_exit_0(report) + _must_warn(promise, report, entry, variant)
    return problems + _must_run_clean(report) + _must_measure(promise, report, healthy=False)


def judge_confirmation(variant: Variant, job: Job, report: Report) -> list[str]:
    """Whether the confirmation says yes where the fault is, and no where it is fixed."""
    if not job.then or report.limit:
        return []
    wanted = "no" if variant == "fixed" else "yes"
    said = confirming.verdict_of(report.then_output) or ""
    if re.match(rf"{wanted}\b", said):
        return []
    return [f"the confirmation should say {wanted}, says: {said or _last_line(report.then_output)}"]


def _must_exit_0(report: Report) -> list[str]:
    if report.exit_status == 0:
        return []
    if report.raised:
        return [f"ended with {report.raised.type}: {_first_line(report.raised.message)}"]
    return [f"ended with exit status {report.exit_status}"]


def _must_run_clean(report: Report) -> list[str]:
    problems = _must_exit_0(report)
    warned = [warning for warning in report.warned if not _ABOUT_NO_SCRIPT.match(warning.message)]
    problems += [f"warned: {warning.category}: {_first_line(warning.message)}" for warning in warned]
    if _CPP_WARNING.search(report.output):
        problems.append("printed a warning of torch's C++ side")
    return problems


def _must_raise(promise: ExceptionPromise, report: Report, entry: Entry, variant: Variant) -> list[str]:
    raised = report.failure()
    if raised is None:
        return [f"promised {promise.exception}, ended with exit status {report.exit_status} and no exception"]
    if raised.type != promise.exception:
        return [f"promised {promise.exception}, raised {raised.type}: {_first_line(raised.message)}"]
    problems = []
    if not _matches(promise.patterns, raised.message):
        problems.append(f"no pattern matches the message: {_first_line(raised.message)}")
    return problems + _must_be_marked(entry, variant, report.script_line(entry.script(variant)), "error")


def _must_warn(promise: WarningPromise, report: Report, entry: Entry, variant: Variant) -> list[str]:
    promised = [
        warning
        for warning in report.warned
        if warning.category == promise.warning and _matches(promise.patterns, warning.message)
    ]
    if not promised:
        seen = "; ".join(f"{w.category}: {_first_line(w.message)}" for w in report.warned) or "none"
        return [f"promised a {promise.warning} that matches; warnings seen: {seen}"]
    lines = {warning.line for warning in promised}
    marked = marked_lines(entry.script(variant).read_text(encoding="utf-8"))
    if lines & set(marked):
        return []
    return _must_be_marked(entry, variant, promised[0].line, "warning")


def _must_be_marked(entry: Entry, variant: Variant, line: int | None, what: str) -> list[str]:
    marked = marked_lines(entry.script(variant).read_text(encoding="utf-8"))
    if line in marked:
        return []
    return [f"the {what} comes from line {line}, and `# error` marks line {', '.join(map(str, marked)) or 'none'}"]


def _must_measure(
    promise: ExceptionPromise | WarningPromise | SilentPromise, report: Report, *, healthy: bool
) -> list[str]:
    if not isinstance(promise, SilentPromise) or report.exit_status != 0:
        return []
    measure = promise.measure
    values = report.values(measure.name)
    if len(values) != 1:
        return [f"must print `{measure.name}=value` alone on one line, printed it {len(values)} times"]
    promised = measure.healthy if healthy else measure.broken
    value = _number(values[0])
    if value is None:
        return [f"{measure.name}={values[0]} is not a number"]
    if value in promised:
        return []
    return [f"{measure.name}={values[0]} is not in the {'healthy' if healthy else 'broken'} range ({promised})"]


def _readable_page(entry: Entry) -> Page | None:
    """The entry's page, None where it cannot be read, which `check_files` says."""
    try:
        return parse_page(entry.page)
    except UserError:
        return None


def _is_from(machine: Machine, entry: Entry) -> bool:
    """Whether the entry was recorded with this machine's torch and Python, or what it was recorded with is unknown."""
    try:
        return Recording.load(entry.recording("fixed")).is_from(machine)
    except UserError:
        return True


def _has_device_of(machine: Machine, entry: Entry) -> bool:
    """Whether the entry needs no GPU, was recorded on one of this name, or on what is unknown."""
    try:
        return "cuda" not in entry.requires or Recording.load(entry.recording("fixed")).device == machine.device
    except UserError:
        return True


def _compare_recording(entry: Entry, variant: Variant, report: Report, machine: Machine) -> list[Finding]:
    """The message of this run against the recorded one, where both come from the same torch and Python."""
    promise = entry.promise(variant)
    path = entry.recording(variant)
    raised = report.failure()
    if variant == "fixed" or not isinstance(promise, ExceptionPromise) or not raised or not path.is_file():
        return []
    try:
        recording = Recording.load(path)
        if not recording.is_from(machine):
            return []
        recorded = recording.message(promise).partition(": ")[2]
    except UserError:
        return []  # said by check_recording
    now = shorten_paths(raised.message, entry.folder)
    one, other = without_addresses(recorded).strip(), without_addresses(now).strip()
    # Of an exception that a worker raised only its own message is recorded, which the one around it ends in.
    if not one.startswith(other) and not (_CAUGHT.match(other) and other.endswith(one)):
        return [Finding(path.name, f"the message is another now; `torch-errors record {entry.id}`: {_first_line(now)}")]
    return []


# Files -------------------------------------------------------------------------------------------------------------


def check_files(entry: Entry) -> list[Finding]:
    """What of the promise the files of an entry do not keep."""
    expected = sorted({"README.md", *(f"{variant}.py" for variant in entry.variants)})
    findings = [Finding(name, "is missing") for name in expected if not (entry.folder / name).is_file()]
    if (entry.folder / "wrong_fix.py").is_file() and "wrong_fix" not in entry.variants:
        findings.append(
            Finding("wrong_fix.py", f"{ENTRY_FILE} does not say how it fails: `wrong_fix: same` or a promise")
        )
    checks: list[tuple[Path, Callable[[], list[Finding]]]] = [
        (entry.page, partial(check_page, entry)),
        *((entry.script(variant), partial(check_script, entry, variant)) for variant in entry.variants),
    ]
    for path, check in checks:
        if path.is_file():
            try:
                findings += check()
            except UserError as error:
                findings.append(Finding(path.name, str(error)))
    for variant in entry.variants:
        findings += check_recording(entry, variant)
    findings += check_requirements(entry)
    if not entry.rare:
        try:
            known = cases.read_cases(entry)
            findings += cases.check_cases(entry, known)
            findings += check_also_named(entry, [case.title for case in known.cells if case.kind == "right"])
        except UserError as error:
            findings.append(Finding(cases.CASES_FILE, str(error)))
    return findings


def check_requirements(entry: Entry) -> list[Finding]:
    """That what is no known system is a package which the scripts import or the page names: else it is a slip."""
    files = [path for path in (entry.page, *map(entry.script, entry.variants)) if path.is_file()]
    told = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    packages = [name for name in entry.requires if name not in SYSTEMS]
    return [
        Finding(
            CATALOG_FILE,
            f"requires {name}, which is neither {', '.join(SYSTEMS)} nor a package of its scripts or page",
        )
        for name in packages
        if not re.search(rf"\b{name}\b", told)
    ]


def check_script(entry: Entry, variant: Variant) -> list[Finding]:
    """Syntax, the mark, and that nothing is staged."""
    name = f"{variant}.py"
    source = read_text(entry.script(variant), f"the entry {entry.id} needs it")
    promise = entry.promise(variant)
    try:
        places = staging.staged(source, promise.measure.name if isinstance(promise, SilentPromise) else None)
    except SyntaxError as error:
        return [Finding(f"{name}:{error.lineno}", f"is not Python: {error.msg}")]
    findings = [Finding(f"{name}:{place.line}", f"staged: {place.what}") for place in places]
    marked = marked_lines(source)
    if variant == "broken" and len(marked) != 1:
        findings.append(Finding(name, f"one line must end in `# error`; {len(marked)} do"))
    if variant == "fixed" and marked:
        findings.append(Finding(f"{name}:{marked[0]}", "is marked `# error`"))
    return findings


def check_recording(entry: Entry, variant: Variant) -> list[Finding]:
    """That it exists, where it can, and shows what was promised."""
    path = entry.recording(variant)
    if not path.is_file():
        # What needs special hardware is recorded when somebody who has it runs `record`; the page says so until then.
        if entry.rare:
            return []
        return [Finding(path.name, f"is missing; `torch-errors record {entry.id}` writes it")]
    try:
        recording = Recording.load(path)
        promise = entry.promise(variant)
        if variant == "fixed":
            return [] if recording.status == 0 else [Finding(path.name, f"exit status {recording.status}")]
        message = recording.message(promise)
    except UserError as error:
        return [Finding(path.name, str(error))]
    if isinstance(promise, SilentPromise):
        value = _number(message.partition("=")[2])
        if value is None or value not in promise.measure.broken:
            problem = f"the recorded {message} is not in the broken range ({promise.measure.broken})"
            return [Finding(path.name, problem)]
    elif not _matches(promise.patterns, message):
        return [Finding(path.name, f"no pattern matches the recorded message: {_first_line(message)}")]
    return []


def check_page(entry: Entry) -> list[Finding]:
    """Title, statement, sections, and that every quoted message is one that was recorded."""
    page = parse_page(entry.page)
    name = page.path.name
    findings = []
    titles = [text for level, text in page.headings if level == 1]
    if titles != [entry.title]:
        findings.append(Finding(name, f"the title must be the catalog's, {entry.title!r}"))
    if page.statement != entry.summary:
        findings.append(Finding(name, f"the first paragraph must be the catalog's summary, {entry.summary!r}"))
    sections = [text for level, text in page.headings if level == 2]
    missing = [section for section in REQUIRED_SECTIONS if section not in sections]
    if missing:
        findings.append(Finding(name, f"lacks the section {', '.join(missing)}"))
    if sections != [section for section in SECTIONS if section in sections]:
        findings.append(Finding(name, f"sections must be, in this order: {', '.join(SECTIONS)}"))
    findings += _check_quotes(entry, page)
    findings += confirming.check_confirmation(page)
    return findings + blocks.check_links(page, entry.root)


def _check_quotes(entry: Entry, page: Page) -> list[Finding]:
    unrecorded = {path.name for path in map(entry.recording, entry.variants) if not path.is_file()}

    def quote(fence: Fence) -> str | None:
        # A recording that is missing is said once, by check_recording.
        return None if fence.attributes.get("recorded") in unrecorded else blocks.quoted_text(entry, fence)

    return blocks.check_fences(page, quote, _known_texts(entry, page), entry.id)


def _known_texts(entry: Entry, page: Page) -> Iterator[str]:
    """Everything that a message quoted in the text may come from: recordings and scripts of the entry, its fences."""
    for variant in entry.variants:
        for path in (entry.recording(variant), entry.script(variant)):
            if path.is_file():
                yield path.read_text(encoding="utf-8", errors="replace")
    yield from (fence.text for fence in page.fences)


def check_folders(catalog: Catalog) -> list[str]:
    """Entry folders that `catalog.yaml` does not know, and categories without a page, as lines for people."""
    known = {entry.folder for entry in catalog}
    strays = [
        f"{folder.relative_to(catalog.root)}: the folder is not in {CATALOG_FILE}; "
        f"add it there below {folder.parent.name}, or remove it"
        for folder in sorted((catalog.root / ENTRIES_FOLDER).glob("*/*/"))
        if folder.is_dir() and folder not in known and folder.name != "__pycache__"
    ]
    pages = [catalog.page_of(category) for category in catalog.categories]
    return strays + [
        f"{page.relative_to(catalog.root)}: missing; `torch-errors record` writes it"
        for page in pages
        if not page.is_file()
    ]


# Small things ------------------------------------------------------------------------------------------------------


def _matches(patterns: Sequence[MessagePattern], message: str) -> bool:
    """Whether a pattern matches, as in `explain`: white space is collapsed, so that it may go on in the next line."""
    collapsed = " ".join(message.split())
    return any(re.search(pattern.match, collapsed) for pattern in patterns)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["nothing"])[-1][:300]


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0][:300]


def snapshot(root: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of change of every file below `root` that belongs to the repository."""
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
