"""What `explain` found, for people in a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

from torch_errors.explaining.explain import Guess, Match

WIDTH = 100


def matches_text(matches: Sequence[Match]) -> str:
    """The first match at length, the others in a line each."""
    first, *others = matches
    parts = [
        f"{first.entry.title}  ({first.id})",
        "",
        _wrapped("your error", _one_line(first.message), first.line),
        "",
        _wrapped("what happened", _plain(first.says or first.entry.summary)),
    ]
    if first.fix:
        parts += ["", _wrapped("smallest fix", _plain(first.fix))]
    parts += ["", _wrapped("read on", f"torch-errors show {first.id}")]
    if others:
        parts += ["", "also in this text:"]
        parts += [f"  {match.id}, line {match.line}: {match.entry.title}" for match in others]
    return "\n".join(parts)


def guesses_text(guesses: Sequence[Guess]) -> str:
    """That nothing was found, what is near, and whom to ask."""
    lines = ["The catalog does not know this error."]
    if guesses:
        lines += ["", "Nearest entries, by the words that they share with it (a guess, not an answer):"]
        lines += [
            f"  {guess.entry.id}: {guess.entry.title}  (shares: {', '.join(guess.words[:4])})" for guess in guesses
        ]
    lines += ["", "To ask a language model, with what it needs: torch-errors prompt error-analysis --traceback FILE"]
    return "\n".join(lines)


def match_json(match: Match) -> dict[str, object]:
    """One match, for programs."""
    return {
        "id": match.id,
        "title": match.entry.title,
        "category": match.entry.category,
        "line": match.line,
        "message": match.message,
        "captures": match.captures,
        "says": match.says,
        "summary": match.entry.summary,
        "fix": match.fix,
    }


def guess_json(guess: Guess) -> dict[str, object]:
    return {"id": guess.entry.id, "title": guess.entry.title, "words": guess.words}


def _wrapped(label: str, text: str, line: int | None = None) -> str:
    label += f" (line {line})" if line is not None and line > 1 else ""
    width = min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    return textwrap.fill(
        text, max(width, 40), initial_indent=f"{label}: ", subsequent_indent="  ", break_on_hyphens=False
    )


def _one_line(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."


def _plain(text: str) -> str:
    """Markdown's code marks mean nothing in a terminal."""
    return text.replace("`", "")
