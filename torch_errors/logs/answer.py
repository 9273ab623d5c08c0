"""What is said of a training log, for the terminal and as JSON: its findings with their curves, and the causes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch_errors.explaining.answer import wrapped
from torch_errors.explaining.patterns import KnownEntry, load_patterns
from torch_errors.languages import Texts
from torch_errors.logs.rules import Finding, Log, read_log
from torch_errors.logs.series import known
from torch_errors.paste.facts import facts

BLOCKS, NO_NUMBER = "▁▂▃▄▅▆▇█", "×"
WATCH = "python -m torch_errors --watch train.py"
# Values that differ by less than this share of the largest are drawn as almost flat.
FLAT = 0.05
# How many causes of a symptom are told; its page has all.
CAUSES = 5


def log_text(log: Log, root: Path, texts: Texts) -> str:
    """Return what a log shows, in the language of `texts`."""
    word = texts.word
    if not log.findings:
        return word("A training log: nothing unusual in {count} values.", count=log.count)
    parts = [word("A training log: {count} values.", count=log.count)]
    for finding in log.findings:
        title, workflow, causes = _symptom(finding, root, texts.language)
        parts += ["", wrapped(word("what it shows"), finding.evidence, texts), f"  {curve(finding.series.values)}", ""]
        parts += [wrapped(word("symptom"), title, texts), "", word("its causes, the most frequent first:")]
        parts += [f"  {entry.id}: {entry.title}" for entry in causes[:CAUSES]]
        if workflow:
            parts += ["", wrapped(word("read on"), f"torch-errors show {workflow}", texts)]
    return "\n".join([*parts, wrapped(word("to see which it is"), WATCH, texts)])


def log_json(log: Log, root: Path, language: str) -> dict[str, Any]:
    """Return a log and what it shows as a value that can be written as JSON; numbers that are not finite are None."""
    found = []
    for finding in log.findings:
        title, workflow, causes = _symptom(finding, root, language)
        told = {"id": finding.id, "evidence": finding.evidence, "series": finding.series.name, "since": finding.since}
        told |= {"symptom": finding.symptom, "title": title, "workflow": workflow}
        found.append(told | {"causes": [entry.id for entry in causes], "curve": curve(finding.series.values)})
    series = [
        {"name": one.name, "kind": one.kind, "split": one.split, "count": len(one.values)}
        | {"values": [value if math.isfinite(value) else None for value in thinned(one.values)]}
        for one in log.series
    ]
    return {"count": log.count, "findings": found, "series": series}


def told_log(text: str, root: Path, language: str) -> dict[str, Any] | None:
    """Return what assistants are told of a training log without an error: its findings, and the names of its series.

    None if the text is no log, or an error in it deserves the answer.
    """
    log = read_log(text, language)
    if not log or not (log.findings or not facts(text).exception):
        return None
    told = log_json(log, root, language)
    names = [f"{one['name']} ({one['count']})" for one in told.pop("series")[:20]]
    hint = "get_entry reads a cause; the numbers alone do not tell which it is" if log.findings else "nothing unusual"
    return {"errors": [], "log": told | {"series": names}, "next": hint}


def _symptom(finding: Finding, root: Path, language: str) -> tuple[str, str | None, list[KnownEntry]]:
    """Return title, workflow and causes of a symptom; first the cause that the finding knows."""
    patterns = load_patterns(root, language)
    compiled, entries = patterns.compiled, list(patterns.entries.values())
    titles = compiled.texts(language)["symptoms"]
    for (id, workflow, causes), (title, _) in zip(compiled.symptoms, titles, strict=True):
        if id == finding.symptom:
            ordered = sorted((entries[number] for number in causes), key=lambda entry: entry.id != finding.entry)
            return title, workflow, ordered
    return finding.symptom, None, []  # another catalog


def thinned(values: Sequence[float]) -> list[float]:
    """Return at most as many values as a curve has points: of each part the extreme one, or one that is not finite."""
    most, count = known()["limits"]["points"], len(values)
    if count <= most:
        return list(values)
    finite = sorted(value for value in values if math.isfinite(value))
    middle = finite[len(finite) // 2] if finite else 0.0
    parts = [values[at * count // most : (at + 1) * count // most] for at in range(most)]
    return [_extreme(part, middle) for part in parts]


def _extreme(part: Sequence[float], middle: float) -> float:
    if not all(map(math.isfinite, part)):
        return math.nan
    low, high = min(part), max(part)
    return high if high - middle >= middle - low else low


def heights(values: Sequence[float], most: int) -> list[int | None]:
    """Return the points of a curve as whole numbers up to `most`, None where there is no number.

    The scale is logarithmic if the highest value is more than 100 times the lowest. Values that differ by less than 5%
    are drawn around the middle, so that noise does not look like a course.
    """
    points = thinned(values)
    finite = [value for value in points if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    scale = math.log if low > 0 and high / low > 100 else float
    span = scale(high) - scale(low) if finite else 0.0
    least = FLAT * max(abs(low), abs(high)) if scale is float else 0.0
    if 0 < span < least:
        low, span = (low + high) / 2 - least * (most // 2) / most, least

    def height(value: float) -> int:
        return math.floor((scale(value) - scale(low)) / span * most + 0.5) if 0 < span < math.inf else most // 2

    return [height(value) if math.isfinite(value) else None for value in points]


def curve(values: Sequence[float]) -> str:
    """Draw values in one line of block characters."""
    return "".join(NO_NUMBER if at is None else BLOCKS[at] for at in heights(values, len(BLOCKS) - 1))
