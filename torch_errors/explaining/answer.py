"""The results of `explain`, formatted for the terminal and for JSON."""

from __future__ import annotations

import dataclasses
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Sequence

from torch_errors.catalog.circumstances import OTHER_PLATFORMS
from torch_errors.explaining.explain import Match
from torch_errors.explaining.guess import CAUSES, CHECKLIST, KnownSymptom, Nearest
from torch_errors.languages import ENGLISH, IN_ENGLISH, Texts
from torch_errors.paste.facts import Facts
from torch_errors.paste.frames import UserLine

WIDTH = 100
# Separates the answers.
RULE = "-" * 40


def matches_text(matches: Sequence[Match], texts: Texts = IN_ENGLISH, in_full: bool = False) -> str:
    """Return the error to fix first in full and one line for each other error; with `in_full`, all errors in full."""
    several = len(matches) > 1
    if in_full:
        return f"\n\n{RULE}\n\n".join(_match_text(match, texts, several) for match in matches)
    first, *others = matches
    parts = [_match_text(first, texts, several)]
    if others:
        parts += ["", texts.word("other errors in this text (in full with --all):")]
        told = [{"line": match.line, "message": _short(match.message), "id": match.id} for match in others]
        parts += [_item(texts.word("  line {line}: {message} -> {id}", **one), texts) for one in told]
    return "\n".join(parts)


def _match_text(match: Match, texts: Texts, several: bool) -> str:
    """Return one error in full. `several`: whether the text has more errors, so that a line number is needed."""
    word = texts.word
    where = word(" (line {line})", line=match.line) if several or match.line > 1 else ""
    if match.ranks > 1:
        where = word(" (line {line}, on {ranks} ranks)", line=match.line, ranks=match.ranks)
    parts = [
        _item(f"{plain(match.entry.title)}  ({match.id})", texts),
        "",
        wrapped(word("your error") + where, _one_line(match.message), texts),
    ]
    if match.frame:
        parts.append(place_text(match.frame, texts))
    parts += ["", wrapped(word("what happened"), plain(match.says or match.entry.summary), texts)]
    if match.fix:
        parts += ["", wrapped(word("smallest fix"), plain(match.fix), texts)]
    parts += [f"  ({reason})" for reason in reasons_text(match, texts)]
    parts += ["", wrapped(word("read on"), f"torch-errors show {match.id}", texts)]
    if match.platform:
        label = word("PyTorch on {platform}", platform=match.platform)
        parts.append(wrapped(label, f"torch-errors show {OTHER_PLATFORMS}", texts))
    for other in match.alternatives:
        parts.append(_item(word("see also: {title} -> {id}", title=plain(other.entry.title), id=other.id), texts))
    return "\n".join(parts)


def reasons_text(match: Match, texts: Texts, live: bool = False) -> list[str]:
    """Return which circumstances chose the texts, and which version the fix needs. `live`: those of a program."""
    said = []
    if match.because:
        of_paste, of_program = "because your paste shows {circumstances}", "because this program shows {circumstances}"
        said.append(texts.word(of_program if live else of_paste, circumstances=", ".join(match.because)))
    if match.needs:
        said.append(texts.word("needs torch {version} or newer; yours is older", version=match.needs))
    return said


def unknown_text(facts: Facts, near: Nearest, texts: Texts = IN_ENGLISH) -> str:
    """Return the answer when no entry matches: what was read from the text, what is nearest to it, what to do next."""
    word = texts.word
    labeled = [
        (word("error"), ": ".join(filter(None, [facts.exception, _one_line(facts.message or "")]))),
        (word("operation"), facts.operation),
        (word("shapes"), _listed(facts.shapes)),
        (word("dtypes"), _listed(facts.dtypes)),
        (word("devices"), _listed(facts.devices)),
    ]
    lines = [wrapped(label, value, texts) for label, value in labeled if value]
    lines += [place_text(facts.frame, texts)] if facts.frame else []
    found = [_symptom_text(symptom, texts) for symptom in near.symptoms]
    if entries := _entries(near, texts):
        heading = word("nearest entries by words, which may be about something else:")
        found.insert(0 if near.entries_first else len(found), "\n".join([heading, *entries]))
    if near.described and found:
        parts = [word("No message in this text. Nearest to it by words:"), *found]
    else:
        said = word("Nothing in the guide has the words of this text.") if near.described else None
        parts = [said or word("No entry matches this error."), *(["\n".join(lines)] if lines else []), *found]
    steps = [(word("to watch a run"), "python -m torch_errors --watch train.py")] if near.described else []
    steps += [] if near.symptoms else [(word("checklist"), f"torch-errors show {CHECKLIST}")]
    steps.append((word("to ask a language model"), "torch-errors prompt error-analysis --traceback FILE"))
    return "\n\n".join([*parts, "\n".join(wrapped(label, step, texts) for label, step in steps)])


def _symptom_text(symptom: KnownSymptom, texts: Texts) -> str:
    """Return a symptom with its most likely causes and the workflow that continues."""
    word = texts.word
    causes = [
        _item(f"  {number}. {plain(cause.title)} -> {cause.id}", texts)
        for number, cause in enumerate(symptom.causes[:CAUSES], 1)
    ]
    return "\n".join(
        [
            wrapped(word("symptom"), plain(symptom.title), texts),
            _item("  " + plain(symptom.summary), texts),
            word("most likely causes:"),
            *causes,
            wrapped(word("workflow"), f"torch-errors show {symptom.workflow}", texts),
        ]
    )


def _entries(near: Nearest, texts: Texts) -> list[str]:
    """Return a line for each of the nearest entries, without those that are causes above them."""
    causes = {cause.id for symptom in near.symptoms for cause in symptom.causes[:CAUSES]}
    shown = [one for one in near.entries if near.entries_first or one.entry.id not in causes]
    told = [(plain(one.entry.title), one.entry.id, ", ".join(one.words[:4])) for one in shown]
    return [
        _item(texts.word("  {title} -> {id}  (shares: {words})", title=title, id=id, words=words), texts)
        for title, id, words in told
    ]


def _listed(values: Sequence[str]) -> str:
    return "; ".join(values)


def place_text(frame: UserLine, texts: Texts) -> str:
    """Return a place in the user's program, such as `train.py:12, step`, with the code there on a second line."""
    where = f"{frame.file}:{frame.line}" + (f", {frame.function}" if frame.function else "")
    label = texts.word("{label}: ", label=texts.word("your line"))
    return f"{label}{where}" + (f"\n  {frame.code}" if frame.code else "")


def match_json(match: Match) -> dict[str, object]:
    """Return one error as a value that can be written as JSON."""
    return {
        "id": match.id,
        "title": match.entry.title,
        "category": match.entry.category,
        "line": match.line,
        "message": match.message,
        "frame": match.frame and dataclasses.asdict(match.frame),
        "captures": match.captures,
        "says": match.says,
        "summary": match.entry.summary,
        "fix": match.fix,
        "because": list(match.because),
        "needs_torch": match.needs,
        "platform": match.platform,
        "platform_page": OTHER_PLATFORMS if match.platform else None,
        "ranks": match.ranks,
        "alternatives": [match_json(other) for other in match.alternatives],
    }


def nearest_json(near: Nearest | None) -> dict[str, object]:
    """Return what is nearest by words as a value that can be written as JSON."""
    if near is None:
        return {"guesses": [], "symptoms": []}
    return {
        "guesses": [{"id": one.entry.id, "title": one.entry.title, "words": one.words} for one in near.entries],
        "symptoms": [
            {"id": one.id, "title": one.title, "causes": [cause.id for cause in one.causes], "workflow": one.workflow}
            for one in near.symptoms
        ],
    }


def facts_json(facts: Facts) -> dict[str, object]:
    return dataclasses.asdict(facts)


def wrapped(label: str, text: str, texts: Texts) -> str:
    return _item(texts.word("{label}: ", label=label) + text, texts)


def _item(text: str, texts: Texts) -> str:
    """Wrap a text to the width of the terminal; the lines after the first are indented, the first as it is."""
    width = max(min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH, 40)
    if texts.language != ENGLISH:
        indent = text[: len(text) - len(text.lstrip())]
        return indent + "\n  ".join(_wide_lines(text, width - len(indent)))
    return textwrap.fill(text, width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


# Text that is never broken: a run of characters without spaces, or one wide character and the punctuation after it.
_PIECE = re.compile(r"(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef]+)[，。；：、？！）》」』”’]*")


def _wide_lines(text: str, width: int) -> list[str]:
    """Wrap text with wide characters to `width` columns: `textwrap` counts characters and breaks only at spaces."""
    lines, line, end = [], "", 0
    for piece in _PIECE.finditer(text):
        space = text[end : piece.start()] if line else ""
        if line and _columns(line + space + piece[0]) > width - 2:
            lines.append(line)
            line, space = "", ""
        line += space + piece[0]
        end = piece.end()
    return [*lines, line]


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _one_line(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def plain(text: str) -> str:
    """Remove the backticks of Markdown, which mean nothing in a terminal."""
    return text.replace("`", "")
