"""Judges one run of a script: whether it keeps the promise of its entry, and whether the confirmation agrees."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torch_errors.catalog.entries import Entry, marked_lines, recording_name
from torch_errors.catalog.fields import ExceptionPromise, MessagePattern, SilentPromise, Variant, WarningPromise
from torch_errors.errors import UserError, Violation
from torch_errors.running.pool import Machine
from torch_errors.running.recordings import Recording, shorten_paths, without_addresses
from torch_errors.running.report import Job, Report, last_line
from torch_errors.verifying.confirming import verdict_of

# The start of the message of an exception that contains the exception of a worker.
_CAUGHT = re.compile(r"Caught \w+ in ")
_CPP_WARNING = re.compile(r"^\[W\d* ", re.MULTILINE)
# Warnings that are not about the script: one of Python 3.13.0, and that TorchScript is deprecated.
_NOT_ABOUT_THE_SCRIPT = re.compile(
    r"Guards may run slower on Python 3\.13\.0|`torch\.jit\.\w+` is (?:deprecated\.|not supported in Python 3\.14)"
    # A machine with one core.
    r"|This DataLoader will create \d+ worker processes in total\. Our suggested max number of worker in current"
    r" system is 1,"
)


def judge(entry: Entry, variant: Variant, report: Report) -> list[str]:
    """The ways in which a run breaks the promise of its entry, as messages."""
    problems = report.trespasses()
    if report.limit:
        return [*problems, report.limit]
    promise = entry.promise(variant)
    if variant == "fixed":
        problems += _must_run_clean(report)
        # wrong_fix.py may have a measure of its own, which must be healthy in fixed.py as well.
        promises = [promise] + ([entry.promise("wrong_fix")] if "wrong_fix" in entry.variants else [])
        measures = {p.measure.name: p for p in promises if isinstance(p, SilentPromise)}
        return problems + [line for p in measures.values() for line in _must_measure(p, report, healthy=True)]
    if isinstance(promise, ExceptionPromise):
        return problems + _must_raise(promise, report, entry, variant)
    if isinstance(promise, WarningPromise):
        return problems + _must_exit_0(report) + _must_warn(promise, report, entry, variant)
    return problems + _must_run_clean(report) + _must_measure(promise, report, healthy=False)


def judge_confirmation(variant: Variant, job: Job, report: Report) -> list[str]:
    """Check that the confirmation says yes after a faulty script, and no after fixed.py."""
    if not job.then or report.limit:
        return []
    wanted = "no" if variant == "fixed" else "yes"
    said = verdict_of(report.then_output) or ""
    if re.match(rf"{wanted}\b", said):
        return []
    return [f"the confirmation should say {wanted}, says: {said or last_line(report.then_output)}"]


def _must_exit_0(report: Report) -> list[str]:
    if report.exit_status == 0:
        return []
    if report.raised:
        return [f"ended with {report.raised.type}: {first_line(report.raised.message)}"]
    return [f"ended with exit status {report.exit_status}"]


def _must_run_clean(report: Report) -> list[str]:
    problems = _must_exit_0(report)
    warned = [warning for warning in report.warned if not _NOT_ABOUT_THE_SCRIPT.match(warning.message)]
    problems += [f"warned: {warning.category}: {first_line(warning.message)}" for warning in warned]
    if _CPP_WARNING.search(report.output):
        problems.append("printed a warning of torch's C++ side")
    return problems


def _must_raise(promise: ExceptionPromise, report: Report, entry: Entry, variant: Variant) -> list[str]:
    raised = report.failure(promise.exception)
    if raised is None:
        return [f"promised {promise.exception}, ended with exit status {report.exit_status} and no exception"]
    if raised.type != promise.exception:
        return [f"promised {promise.exception}, raised {raised.type}: {first_line(raised.message)}"]
    problems = []
    if not matches(promise.patterns, f"{raised.type}: {raised.message}"):
        problems.append(f"no pattern matches the message: {first_line(raised.message)}")
    return problems + _must_be_marked(entry, variant, report.script_line(entry.script(variant)), "error")


def _must_warn(promise: WarningPromise, report: Report, entry: Entry, variant: Variant) -> list[str]:
    promised = [
        warning
        for warning in report.warned
        if warning.category == promise.warning and matches(promise.patterns, warning.message)
    ]
    if not promised:
        seen = "; ".join(f"{w.category}: {first_line(w.message)}" for w in report.warned) or "none"
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
    value = as_number(values[0])
    if value is None:
        return [f"{measure.name}={values[0]} is not a number"]
    if value in promised:
        return []
    return [f"{measure.name}={values[0]} is not in the {'healthy' if healthy else 'broken'} range ({promised})"]


def compare_recording(entry: Entry, variant: Variant, report: Report, machine: Machine) -> list[Violation]:
    """Compare the message of this run with the recorded one, if both come from the same torch and Python."""
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
        return []  # check_recording reports it
    now = shorten_paths(raised.message, entry.folder)
    old, new = without_addresses(recorded).strip(), without_addresses(now).strip()
    # For an exception in a worker, only its own message is recorded; the message around it ends with that.
    if old.startswith(new) or (_CAUGHT.match(new) and new.endswith(old)):
        return []
    problem = f"the message has changed; `torch-errors record {entry.id}` records it: {first_line(now)}"
    return [Violation(recording_name(variant), problem)]


def matches(patterns: Sequence[MessagePattern], message: str) -> bool:
    """Whether a pattern matches. White space is collapsed as in `explain`, so that a match may span lines."""
    collapsed = " ".join(message.split())
    return any(re.search(pattern.match, collapsed) for pattern in patterns)


def as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def first_line(text: str) -> str:
    return text.strip().split("\n")[0][:300]
