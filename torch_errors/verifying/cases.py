"""`cases.py` of an entry: the same fault in other programs, and correct programs that look like it.

The file consists of cells, as editors and notebooks use them. The text before the first cell is put before each cell:

    # %% twice as many features          a program with the fault
    # %% fixed                           the program above with the fix that `explain` printed for it
    # %% message: in a loss              a fault of which only the message is checked
    # %% right: three dimensions         a correct program
    # %% undecided: a gray image         a correct program that gives the confirmation no answer
    # %% watched: two optimizers         a run that shows the fault without an exception; only for a detector

For a fault, `explain` must answer with the entry, and the confirmation of the page must say yes; for the others, no,
or "cannot tell" where it is undecided.
The answers of `explain` to each message, in all languages, are recorded in `recorded/answers.yaml` for people to read.
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
# Minimum number of faults in the cases of an exception or a warning, and of a silent failure.
MESSAGES, VARIANTS = 5, 2
CellKind = Literal["fault", "message", "right", "undecided", "fixed", "watched"]

_CELL = re.compile(r"(?m)^# %% (?:(?P<kind>right|undecided|message|watched): )?(?P<title>\S.*)$")
_FEWER = re.compile(r"(?m)^# fewer: (?P<why>\S.*)$")
_CODE = re.compile(r"`([^`]+)`")
_HEAD = "# What `explain` says of the programs in cases.py; written by `torch-errors record`, to be read as printed.\n"


@dataclass(frozen=True)
class Case:
    """One cell of a `cases.py`."""

    title: str
    kind: CellKind
    source: str  # the text before the first cell, then the text of this cell
    line: int  # line number of its heading
    asked: bool = True  # whether the confirmation of the page runs after it

    @property
    def is_fault(self) -> bool:
        return self.kind in ("fault", "message")


@dataclass(frozen=True)
class Cases:
    """The content of a `cases.py`."""

    cells: tuple[Case, ...] = ()
    fewer: str | None = None  # the stated reason for having fewer faults than required


def read_cases(entry: Entry) -> Cases:
    """The cases of an entry; none if it has no `cases.py`. Raises UserError if the file is malformed."""
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
    """The cells of an entry's cases; none if the file is malformed, which `check_files` reports."""
    try:
        return read_cases(entry).cells
    except UserError:
        return ()


@contextmanager
def case_script(case: Case) -> Iterator[Path]:
    """Write the case to a file that can be run."""
    with TemporaryDirectory(prefix="torch-errors-case-") as folder:
        path = Path(folder).resolve() / "train.py"
        path.write_text(case.source, encoding="utf-8")
        yield path


@dataclass(frozen=True)
class Ran:
    """A case and the result of its run."""

    case: Case
    report: Report
    matches: dict[str, Match | None]  # by language: the first answer of `explain` to the output
    verdict: str | None  # verdict of the confirmation, None if it printed none or did not run

    @property
    def match(self) -> Match | None:
        return self.matches[ENGLISH]


def ran(case: Case, report: Report, entry: Entry, folder: Path) -> Ran:
    """Explain the output of a case. `folder`: the folder in which it ran."""
    text = shorten_paths(report.output, folder)
    matches = {language: next(iter(explain(text, entry.root, language)), None) for language in LANGUAGES}
    return Ran(case, report, matches, verdict_of(shorten_paths(report.then_output, folder)))


# What must hold -----------------------------------------------------------------------------------------------------


def check_cases(entry: Entry, cases: Cases) -> list[Violation]:
    """Check that there are enough cases."""
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


def judge_case(entry: Entry, run: Ran, confirmable: bool) -> list[Violation]:
    """The ways in which a case breaks its promise. `confirmable`: whether the page has a confirmation that runs."""
    case, report = run.case, run.report
    problems = report.trespasses()
    if report.limit:
        problems.append(report.limit)
    elif case.is_fault and entry.kind == "exception":
        problems += [] if report.exit_status else ["raises nothing"]
    elif report.exit_status:
        problems.append(f"ends with {last_line(report.output)}")
    if case.is_fault and entry.kind != "silent" and (run.match is None or run.match.id != entry.id):
        answered = run.match.id if run.match else "nothing"
        problems.append(f"`explain` answers {answered}, to: {last_line(report.output)}")
    if not case.is_fault and run.match is not None and run.match.id == entry.id:
        problems.append(f"should be correct, but `explain` finds the entry in: {last_line(report.output)}")
    if confirmable and case.asked:
        wanted = "yes" if case.is_fault else "cannot tell" if case.kind == "undecided" else "no"
        if not re.match(rf"{wanted}\b", run.verdict or ""):
            said = run.verdict or last_line(report.then_output)
            problems.append(f"the confirmation should say {wanted}, says: {said}")
    return [Violation(f"{CASES_FILE}:{case.line}", f"{case.title}: {problem}") for problem in problems]


def judge_fixes(entry: Entry, runs: Sequence[Ran]) -> list[Violation]:
    """Check that every fix that gives a number or a call is applied to the program whose message it answers.

    The `# %% fixed` cell of that program must contain one of the pieces of code in the fix.
    """
    findings = []
    for run, after in zip(runs, [*runs[1:], None], strict=True):
        if not run.case.is_fault or run.match is None or run.match.id != entry.id:
            continue
        code = code_in(run.match.fix or "")
        fixed = after.case.source if after is not None and after.case.kind == "fixed" else None
        where = f"{CASES_FILE}:{run.case.line}"
        if fixed is not None and code and not any(_contains_code(piece, fixed) for piece in code):
            problem = f"the fixed cell does not apply the fix: {run.match.fix}"
            findings.append(Violation(where, f"{run.case.title}: {problem}"))
        if fixed is None and applied_pieces(run.match):
            problem = f"the fix contains code, which a cell `# %% fixed` must apply: {run.match.fix}"
            findings.append(Violation(where, f"{run.case.title}: {problem}"))
    return findings


def judge_branches(entry: Entry, matches: Sequence[Match]) -> list[Violation]:
    """Check that for every wording that this version prints, each `when` holds for the message of some case."""
    patterns: list[MessagePattern] = list(getattr(entry.fields, "patterns", []))
    findings = []
    for pattern in patterns:
        numbers = [match.case for match in matches if match.pattern.source == pattern.match]
        reached = {pattern.cases[number].when for number in numbers if number is not None}
        if not reached:
            continue  # this version does not print the wording
        missing: list[SaysCase] = [case for case in pattern.cases if case.when not in reached and not case.seen]
        for case in missing:
            problem = f"no case has a message for which this holds: {case.when or 'the last of its cases'}"
            findings.append(Violation(CASES_FILE, f"{problem} (of {pattern.match[:60]!r})"))
    return findings


def applied_pieces(match: Match) -> list[str]:
    """The pieces of code with a number or a call in a fix that depends on the message."""
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
    """The rows of `answers.yaml`: the message, answer and verdict of each case."""
    rows: list[dict[str, Any]] = []
    for run in runs:
        if run.case.kind == "fixed":
            continue
        named = run.case.kind in ("right", "undecided")
        row: dict[str, Any] = {"case": f"{run.case.kind}: {run.case.title}" if named else run.case.title}
        if run.case.is_fault and run.match is not None:
            row["message"] = run.match.message
            for language, match in run.matches.items():
                if match is not None:
                    answer = {"says": match.says or match.entry.summary, "fix": match.fix}
                    row |= answer if language == ENGLISH else {language: answer}
        if run.verdict:
            row["confirmation"] = run.verdict
        rows.append(row)
    return rows


def answers_text(rows: Sequence[dict[str, Any]]) -> str:
    return _HEAD + yaml.safe_dump(list(rows), allow_unicode=True, sort_keys=False, width=110)


def check_answers(entry: Entry, rows: Sequence[dict[str, Any]], numbers: bool = True) -> list[Violation]:
    """Compare `answers.yaml` with these rows. Without `numbers`, differences in numbers are ignored."""
    path = entry.folder / ANSWERS_FILE
    remedy = f"`torch-errors record {entry.id}` writes it; read what it says"
    if not path.is_file():
        return [Violation(ANSWERS_FILE, f"is missing; {remedy}")]
    try:
        recorded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (ValueError, yaml.YAMLError):
        recorded = None
    if isinstance(recorded, list) and len(recorded) == len(rows):
        differing = [
            f"{new.get('case')}: {name}"
            for old, new in zip(map(_flat, recorded), map(_flat, rows), strict=True)
            for name in sorted(old.keys() | new.keys())
            if not same_text(old.get(name, ""), new.get(name, ""), numbers)
        ]
        if not differing:
            return []
        return [Violation(ANSWERS_FILE, f"the answers have changed ({'; '.join(differing[:3])}); {remedy}")]
    return [Violation(ANSWERS_FILE, f"lists different cases; {remedy}")]


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
    except UserError:  # check_recording reports it
        return None
    return match if match is not None and match.id == entry.id else None
