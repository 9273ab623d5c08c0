"""`cases.py` of an entry: the same fault in other programs, and right programs that look like it.

Cells, as editors and notebooks know them; what stands before the first is put before each:

    # %% twice as many features          a program with the fault
    # %% fixed                           the program above with the fix that `explain` printed for it
    # %% message: in a loss              a fault of which only the message is looked at
    # %% right: three dimensions         a right program
    # %% watched: two optimizers         a run that shows the fault without an exception; only for a detector

Of a fault, `explain` must name the entry first, and the confirmation of the page must say yes; of the others, no. What
`explain` says of each message, in all languages, is recorded in `recorded/answers.yaml` to be read as printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, cast

import yaml

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import MessagePattern, SaysCase
from torch_errors.catalog.locate import RECORDED_FOLDER
from torch_errors.errors import UserError, Violation
from torch_errors.explaining.explain import Match, explain
from torch_errors.languages import ENGLISH, LANGUAGES
from torch_errors.reading import read_text
from torch_errors.running.recordings import Recording, shorten_paths
from torch_errors.running.report import Report, last_line
from torch_errors.verifying.blocks import same_text
from torch_errors.verifying.confirming import verdict_of

CASES_FILE, ANSWERS_FILE = "cases.py", f"{RECORDED_FOLDER}/answers.yaml"
# How many other messages an entry must have been asked about, and how many variants of a silent failure.
MESSAGES, VARIANTS = 5, 2
CellKind = Literal["fault", "message", "right", "fixed", "watched"]

_CELL = re.compile(r"(?m)^# %% (?:(?P<kind>right|message|watched): )?(?P<title>\S.*)$")
_FEWER = re.compile(r"(?m)^# fewer: (?P<why>\S.*)$")
_CODE = re.compile(r"`([^`]+)`")
_HEAD = "# What `explain` says of the programs in cases.py; written by `torch-errors record`, to be read as printed.\n"


@dataclass(frozen=True)
class Case:
    """One cell of a `cases.py`."""

    title: str
    kind: CellKind
    source: str  # with what stands before the first cell
    line: int  # of its heading
    asked: bool = True  # whether the confirmation of the page is

    @property
    def is_fault(self) -> bool:
        return self.kind in ("fault", "message")


@dataclass(frozen=True)
class Cases:
    """A `cases.py`."""

    cells: tuple[Case, ...] = ()
    fewer: str | None = None  # why there are fewer than an entry must have


def read_cases(entry: Entry) -> Cases:
    """The cases of an entry; none where it has no `cases.py`. Raises UserError where the file is malformed."""
    path = entry.folder / CASES_FILE
    if not path.is_file():
        return Cases()
    text = read_text(path, f"it holds the cases of {entry.id}")
    headings = list(_CELL.finditer(text))
    before = text[: headings[0].start()] if headings else text
    cells: list[Case] = []
    for heading, after in zip(headings, [*headings[1:], None], strict=True):
        line = text.count("\n", 0, heading.start()) + 1
        title = heading["title"].strip()
        kind = "fixed" if title == "fixed" else heading["kind"] or "fault"
        if kind == "fixed":
            if not cells or not cells[-1].is_fault:
                raise UserError(f"{path}:{line}: `# %% fixed` must follow the fault that it fixes")
            title = f"{cells[-1].title}, fixed"
        if title in (cell.title for cell in cells):
            raise UserError(f"{path}:{line}: two cells are called {title!r}")
        source = before + text[heading.end() : after.start() if after else len(text)]
        asked = cells[-1].asked if kind == "fixed" else kind not in ("message", "watched")
        cells.append(Case(title, cast(CellKind, kind), source.rstrip() + "\n", line, asked))
    fewer = _FEWER.search(before)
    return Cases(tuple(cells), fewer["why"] if fewer else None)


def readable_cells(entry: Entry) -> Sequence[Case]:
    """The cells of an entry's cases; none where the file is malformed, which `check_files` says."""
    try:
        return read_cases(entry).cells
    except UserError:
        return ()


@contextmanager
def case_script(case: Case) -> Iterator[Path]:
    """The case as a file that can be run."""
    with TemporaryDirectory(prefix="torch-errors-case-") as folder:
        path = Path(folder).resolve() / "train.py"
        path.write_text(case.source, encoding="utf-8")
        yield path


@dataclass(frozen=True)
class Ran:
    """A case, and what running it showed."""

    case: Case
    report: Report
    matches: dict[str, Match | None]  # language -> the first answer of `explain` to what it printed
    verdict: str | None  # of the confirmation, None where it said nothing or was not asked

    @property
    def match(self) -> Match | None:
        return self.matches[ENGLISH]


def ran(case: Case, report: Report, entry: Entry, folder: Path) -> Ran:
    """What `explain` says of what a case printed. `folder`: where it was run."""
    text = shorten_paths(report.output, folder)
    matches = {language: next(iter(explain(text, entry.root, language)), None) for language in LANGUAGES}
    return Ran(case, report, matches, verdict_of(shorten_paths(report.then_output, folder)))


# What must hold -----------------------------------------------------------------------------------------------------


def check_cases(entry: Entry, cases: Cases) -> list[Violation]:
    """Whether there are enough of them."""
    faults = sum(case.is_fault for case in cases.cells)
    asked = sum(case.is_fault and case.asked for case in cases.cells)
    right = sum(case.kind == "right" for case in cases.cells)
    needed = VARIANTS if entry.kind == "silent" else MESSAGES
    findings = []
    if faults < needed and not cases.fewer:
        problem = f"has {faults} faults, {needed} are needed; or give the reason in a line `# fewer: ...`"
        findings.append(Violation(CASES_FILE, problem))
    if asked < VARIANTS and not cases.fewer:
        findings.append(Violation(CASES_FILE, f"the confirmation is asked about {asked} faults; {VARIANTS} are needed"))
    if not right:
        findings.append(Violation(CASES_FILE, "has no right program: `# %% right: what looks like the fault`"))
    return findings


def judge_case(entry: Entry, one: Ran, confirmable: bool) -> list[Violation]:
    """What of its promise a case does not keep. `confirmable`: whether the page has a confirmation that runs."""
    case, report = one.case, one.report
    problems = report.trespasses()
    if report.limit:
        problems.append(report.limit)
    elif case.is_fault and entry.kind == "exception":
        problems += [] if report.exit_status else ["raises nothing"]
    elif report.exit_status:
        problems.append(f"ends with {last_line(report.output)}")
    if case.is_fault and entry.kind != "silent" and (one.match is None or one.match.id != entry.id):
        answered = one.match.id if one.match else "nothing"
        problems.append(f"`explain` answers {answered}, to: {last_line(report.output)}")
    if not case.is_fault and one.match is not None and one.match.id == entry.id:
        problems.append(f"is to be right, and `explain` finds the entry in: {last_line(report.output)}")
    if confirmable and case.asked:
        wanted = "yes" if case.is_fault else "no"
        if (one.verdict or "").partition(" ")[0].rstrip(":,.;") != wanted:
            said = one.verdict or last_line(report.then_output)
            problems.append(f"the confirmation should say {wanted}, says: {said}")
    return [Violation(f"{CASES_FILE}:{case.line}", f"{case.title}: {problem}") for problem in problems]


def judge_fixes(entry: Entry, runs: Sequence[Ran]) -> list[Violation]:
    """That every fix that names a number or a call is applied to the program whose message it answers.

    One of the pieces of code that it names must stand in the `# %% fixed` cell of that program.
    """
    findings = []
    for one, after in zip(runs, [*runs[1:], None], strict=True):
        if not one.case.is_fault or one.match is None or one.match.id != entry.id:
            continue
        code = code_in(one.match.fix or "")
        fixed = after.case.source if after is not None and after.case.kind == "fixed" else None
        where = f"{CASES_FILE}:{one.case.line}"
        if fixed is not None and code and not any(_contains_code(piece, fixed) for piece in code):
            problem = f"the fixed cell is not what the fix says: {one.match.fix}"
            findings.append(Violation(where, f"{one.case.title}: {problem}"))
        if fixed is None and applied_pieces(one.match):
            problem = f"the fix names code, which a cell `# %% fixed` must apply: {one.match.fix}"
            findings.append(Violation(where, f"{one.case.title}: {problem}"))
    return findings


def judge_branches(entry: Entry, matches: Sequence[Match]) -> list[Violation]:
    """That of every wording that is raised here, each `when` is seen with a message for which it holds."""
    patterns: list[MessagePattern] = list(getattr(entry.fields, "patterns", []))
    findings = []
    for pattern in patterns:
        mine = [match.case for match in matches if match.pattern.source == pattern.match]
        reached = {pattern.cases[number].when for number in mine if number is not None}
        if not reached:
            continue  # a wording that this version does not print
        missing: list[SaysCase] = [case for case in pattern.cases if case.when not in reached and not case.seen]
        for case in missing:
            problem = f"no case has a message for which this holds: {case.when or 'the last of its cases'}"
            findings.append(Violation(CASES_FILE, f"{problem} (of {pattern.match[:60]!r})"))
    return findings


def applied_pieces(match: Match) -> list[str]:
    """The pieces of code with a number or a call in the fix that a message decides."""
    if not match.fix or match.fix == match.entry.fix:
        return []
    return [piece for piece in code_in(match.fix) if re.search(r"[\d(=]", piece)]


def code_in(text: str) -> list[str]:
    return _CODE.findall(text)


def _contains_code(piece: str, source: str) -> bool:
    squeezed, wanted = re.sub(r"\s+", "", source), re.sub(r"\s+", "", piece)
    return wanted in squeezed or wanted.replace('"', "'") in squeezed.replace('"', "'")


# answers.yaml -------------------------------------------------------------------------------------------------------


def answers(entry: Entry, runs: Sequence[Ran]) -> list[dict[str, Any]]:
    """What is said of each case."""
    rows: list[dict[str, Any]] = []
    for one in runs:
        if one.case.kind == "fixed":
            continue
        row: dict[str, Any] = {"case": f"right: {one.case.title}" if one.case.kind == "right" else one.case.title}
        if one.case.is_fault and one.match is not None:
            row["message"] = one.match.message
            for language, match in one.matches.items():
                if match is not None:
                    told = {"says": match.says or match.entry.summary, "fix": match.fix}
                    row |= told if language == ENGLISH else {language: told}
        if one.verdict:
            row["confirmation"] = one.verdict
        rows.append(row)
    return rows


def answers_text(rows: Sequence[dict[str, Any]]) -> str:
    return _HEAD + yaml.safe_dump(list(rows), allow_unicode=True, sort_keys=False, width=110)


def check_answers(entry: Entry, rows: Sequence[dict[str, Any]], numbers: bool = True) -> list[Violation]:
    """Whether `answers.yaml` holds these, without `numbers` whatever these are."""
    path = entry.folder / ANSWERS_FILE
    remedy = f"`torch-errors record {entry.id}` writes it; read what it says"
    if not path.is_file():
        return [Violation(ANSWERS_FILE, f"is missing; {remedy}")]
    try:
        recorded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (ValueError, yaml.YAMLError):
        recorded = None
    if isinstance(recorded, list) and len(recorded) == len(rows):
        known = [_flat(row) for row in recorded]
        now = [_flat(row) for row in rows]
        differing = [
            f"{new.get('case')}: {name}"
            for old, new in zip(known, now, strict=True)
            for name in sorted(old.keys() | new.keys())
            if not same_text(old.get(name, ""), new.get(name, ""), numbers)
        ]
        if not differing:
            return []
        return [Violation(ANSWERS_FILE, f"the answers are others now ({'; '.join(differing[:3])}); {remedy}")]
    return [Violation(ANSWERS_FILE, f"holds other cases; {remedy}")]


def _flat(row: Any) -> dict[str, str]:
    if not isinstance(row, dict):
        return {}
    flat: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": str(text) for inner, text in value.items()}
        else:
            flat[name] = str(value)
    return flat


def recorded_match(entry: Entry) -> Match | None:
    """The first answer of `explain` to the recording of broken.py."""
    path = entry.recording("broken")
    if entry.kind == "silent" or not path.is_file():
        return None
    try:
        match = next(iter(explain(Recording.load(path).body, entry.root)), None)
    except UserError:  # said by check_recording
        return None
    return match if match is not None and match.id == entry.id else None
