"""A diagnosis as text for the terminal, as JSON, and as a report to post."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from torch_errors.doctor.diagnosis import LIKELY, Diagnosis, Finding
from torch_errors.doctor.reports import TITLE
from torch_errors.explaining.answer import plain, wrapped
from torch_errors.languages import IN_ENGLISH, Texts

# How many lines of evidence are shown.
EVIDENCE = 4


def diagnosis_text(diagnosis: Diagnosis, texts: Texts = IN_ENGLISH) -> str:
    """Return the findings, then a line for each thing that is fine, and what is not known."""
    word = texts.word
    parts = [_finding_text(finding, texts) for finding in diagnosis.findings]
    if not diagnosis.findings:
        parts.append(word("Nothing is wrong with what was looked at."))
    if diagnosis.fine:
        parts.append(
            "\n".join([word("{label}: ", label=word("fine")).rstrip(), *(f"  {text}" for text in diagnosis.fine)])
        )
    if diagnosis.unknown:
        parts.append(wrapped(word("not known"), ", ".join(diagnosis.unknown), texts))
    return "\n\n".join(parts)


def _finding_text(finding: Finding, texts: Texts) -> str:
    word = texts.word
    cause = word("cause (likely)") if finding.certainty == LIKELY else word("cause")
    lines = [wrapped(cause, plain(finding.says), texts)]
    lines += [wrapped(word("evidence"), place, texts) for place in finding.evidence[:EVIDENCE]]
    if finding.fix:
        lines.append(wrapped(word("smallest fix"), plain(finding.fix), texts))
    if finding.entry:
        lines.append(wrapped(word("read on"), f"torch-errors show {finding.entry}", texts))
    return "\n".join(lines)


def diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return a diagnosis as a value that can be written as JSON."""
    findings = [asdict(finding) for finding in diagnosis.findings]
    return {"findings": findings, "fine": diagnosis.fine, "unknown": diagnosis.unknown, "facts": diagnosis.facts.values}


def report_text(diagnosis: Diagnosis) -> str:
    """Return the facts that were found, as lines that `read_report` reads back, and the messages."""
    lines = [f"{name}: {value}" for name, value in diagnosis.facts.found.items()]
    return "\n".join([TITLE, *lines, *diagnosis.messages]) + "\n"
