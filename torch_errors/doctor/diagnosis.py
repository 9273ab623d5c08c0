"""From facts to findings: the causes, what is fine, and what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch_errors.catalog.locate import find_root
from torch_errors.doctor.facts import QUOTED, Facts, conclude, names
from torch_errors.doctor.interpreter import Interpreter, import_torch
from torch_errors.doctor.machine import Machine, look
from torch_errors.doctor.reports import is_report, read_report
from torch_errors.doctor.rules import Rules, load_rules
from torch_errors.explaining.decode import holds, render
from torch_errors.explaining.explain import Match, explain
from torch_errors.languages import ENGLISH

CERTAIN, LIKELY = "certain", "likely"


@dataclass(frozen=True)
class Finding:
    """A fault of an installation."""

    id: str
    entry: str | None
    certainty: str
    says: str
    fix: str | None
    evidence: tuple[str, ...]  # lines of the report, files, programs


@dataclass(frozen=True)
class Diagnosis:
    """What a report or a machine shows."""

    findings: tuple[Finding, ...]
    fine: tuple[str, ...]
    unknown: tuple[str, ...]
    messages: tuple[str, ...]  # messages of the errors that count
    facts: Facts


def diagnose_report(text: str, language: str = ENGLISH, root: Path | None = None) -> Diagnosis:
    """Diagnose a report that somebody posted. `language` is that of the answer."""
    rules = load_rules(language)
    return diagnose(read_report(text, rules), rules, explain(text, root or find_root(), language))


def diagnose_machine(
    interpreter: Interpreter, imports: bool = False, language: str = ENGLISH, root: Path | None = None
) -> Diagnosis:
    """Diagnose this machine and the environment of an interpreter. `imports`: whether a child process imports torch."""
    rules = load_rules(language)
    facts, message = look(interpreter, Machine())
    if imports:
        printed, error = import_torch(interpreter.executable, facts.values.get("nvidia_device") == "yes")
        facts.put("import_error", error, f"{interpreter.executable} -c 'import torch; …'")
        message += printed
    conclude(facts, rules["facts"], message)
    return diagnose(facts, rules, explain(message, root or find_root(), language))


def beside(text: str, errors: Sequence[Match], language: str, root: Path | None = None) -> Diagnosis | None:
    """Return what a report shows beside the errors that `explain` found in it, or None for any other text."""
    if not is_report(text):
        return None
    whole = diagnose_report(text, language, root)
    explained = {match.id for match in errors}
    return replace(whole, findings=tuple(finding for finding in whole.findings if finding.entry not in explained))


def diagnose(facts: Facts, rules: Rules, errors: Sequence[Match] = ()) -> Diagnosis:
    """Diagnose from facts, and from errors that a report contains."""
    findings: list[Finding] = []
    topics: set[str] = set()
    for check in rules["checks"]:
        condition = next((condition for condition in check["when"] if holds(condition, facts.values)), None)
        finding = condition and _finding(check, condition, facts, rules)
        if finding:
            topics.add(check["topic"])
            if all(finding.id != other.id for other in findings):
                findings.append(finding)
    messages = [match for match in errors if _counts(match, facts, rules)]
    for match in messages:
        if all(match.id != finding.entry for finding in findings):
            says, place = match.says or match.entry.summary, f"{match.line}: {match.message[:QUOTED]}"
            findings.append(Finding(match.id, match.id, CERTAIN, says, match.fix, (place,)))
    others = [topic for topic in rules["topics"] if topic["id"] not in topics]
    said = {topic["id"]: _fine(topic, facts) for topic in others}
    fine = tuple(text for text in said.values() if text)
    unknown = tuple(render(topic["name"], {}) or "" for topic in others if not said[topic["id"]])
    return Diagnosis(tuple(findings), fine, unknown, tuple(match.message for match in messages), facts)


def _counts(match: Match, facts: Facts, rules: Rules) -> bool:
    """Whether an error in a report is about the installation, and no fact refutes it."""
    if match.id not in rules["messages"]:
        return False
    refuted = rules["messages"][match.id]
    return refuted is None or not holds(refuted, facts.values)


def _finding(check: Rules, condition: Any, facts: Facts, rules: Rules) -> Finding | None:
    values = dict(facts.values)
    commands = rules["commands"].get(check.get("command"), {})
    command = commands.get(values.get("manager"), commands.get("pip"))
    if command:
        values["command"] = render(command, values) or ""
    says = render(check["says"], values)
    if says is None:
        return None
    places = dict.fromkeys(facts.places[name] for name in names(condition) if name in facts.places)
    certainty = LIKELY if check.get("likely") else CERTAIN
    fix = render(check["fix"], values)
    return Finding(check.get("kind") or check["id"], check.get("entry"), certainty, says, fix, tuple(places))


def _fine(topic: Rules, facts: Facts) -> str | None:
    return render(topic["fine"], facts.values) if all(holds(when, facts.values) for when in topic["when"]) else None
