"""Fills a prompt with everything that can be determined without asking the user."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from torch_errors.errors import UserError
from torch_errors.explaining.compiled import interface
from torch_errors.explaining.explain import Match, explain
from torch_errors.languages import ENGLISH, in_language
from torch_errors.markdown.parsing import parse_page, same_heading
from torch_errors.paste.facts import facts
from torch_errors.paste.frames import UserLine
from torch_errors.prompting.environment import collect_environment
from torch_errors.prompting.excerpt import (
    code_around,
    code_lines,
    find_source,
    is_unfilled,
    trim_traceback,
)
from torch_errors.prompting.redaction import LONGEST, local_names, owners, redact
from torch_errors.prompting.template import CODE, ENVIRONMENT, EXPLANATION, TRACEBACK, Prompt, load_prompts

# Maximum length of the quoted section "Why it happens", in characters.
MECHANISM = 1200
# Paragraphs of the explanation that a prompt quotes from the guide.
HAPPENED = "{title}. {said}"
FIX = "Smallest fix: {fix}"
WHY = "Why it happens, with the numbers of the guide's own example:\n\n{text}"
SOURCE = "(Entry {id}: `torch-errors show {id}`)"
# Replaces the middle of a value that is too long for a chat.
LEFT_OUT = "[… {count} characters left out …]"


@dataclass(frozen=True)
class Composed:
    """A prompt that is ready to be copied."""

    text: str
    open_blanks: list[str]  # names of the blanks that only the reader can fill
    redacted: Counter[str]  # kind of private data -> how often it was redacted
    shortened: dict[str, int]  # name of a blank -> number of characters cut from its value
    entry: str | None  # id of the entry whose explanation is quoted


def compose(
    prompt: Prompt,
    root: Path,
    traceback: str | None = None,
    code: Path | None = None,
    lines: tuple[int, int] | None = None,
    hide: bool = True,
    language: str = ENGLISH,
) -> Composed:
    """Fill a prompt with the trimmed traceback, code around the failing line, the environment and the explanation.

    `code`: the file to quote instead of the one in the traceback; `lines`: its first and last line to quote.
    `hide`: whether to redact secrets and names. Raises UserError if the prompt has no blank for a given argument.
    """
    for given, blank in ((traceback, TRACEBACK), (code, CODE)):
        if given is not None and blank not in prompt.blanks:
            suitable = ", ".join(name for name, other in load_prompts(root).items() if blank in other.blanks)
            raise UserError(f"the prompt {prompt.name} has no place for --{blank}; these have: {suitable}")
    values: dict[str, str] = {}
    match = None
    place = None
    if traceback is not None and not is_unfilled(traceback):
        matches = explain(traceback, root, language)
        match = matches[0] if matches else None
        values[TRACEBACK] = trim_traceback(traceback, match.line if match else None)
        place = match.frame if match else facts(traceback).frame
    quoted = _code(code, lines, place)
    if quoted and CODE in prompt.blanks:
        values[CODE] = quoted
    if match:
        values[EXPLANATION] = explanation(match, root, language)
    if ENVIRONMENT in prompt.blanks:
        values[ENVIRONMENT] = collect_environment()
    here = f"{Path.cwd()}{os.sep}"
    values = {name: value.replace(here, "") for name, value in values.items()}
    shortened = {name: len(value) - LONGEST for name, value in values.items() if len(value) > LONGEST}
    values = {name: _capped(value) for name, value in values.items()}
    redacted: Counter[str] = Counter()
    if hide:
        # A user name that a path in the traceback reveals may also appear in the code, outside of a path.
        names = {name: put for value in values.values() for name, put in owners(value).items()} | local_names()
        for name in values:
            values[name], counts = redact(values[name], names)
            redacted += counts
    left = [name for name in prompt.blanks if name not in values and name != EXPLANATION]
    quoted_entry = match.id if match and EXPLANATION in prompt.blanks else None
    return Composed(prompt.fill(values), left, redacted, shortened, quoted_entry)


def _capped(value: str) -> str:
    """Return the value; if it is longer than `LONGEST` characters, its start and end, with a note between them."""
    if len(value) <= LONGEST:
        return value
    missing = LEFT_OUT.format(count=len(value) - LONGEST)
    return f"{value[: LONGEST // 2]}\n{missing}\n{value[-LONGEST // 2 :]}"


def _code(code: Path | None, lines: tuple[int, int] | None, place: UserLine | None) -> str | None:
    if code is not None:
        line = place.line if place and find_source(replace(place, file=code.name), code.parent) == code else None
        first, last = lines or (None, None)
        return code_lines(code, first, last, line)
    path = find_source(place, Path.cwd()) if place else None
    return code_around(path, place.line) if path and place else None


def explanation(match: Match, root: Path, language: str = ENGLISH) -> str:
    """The guide's explanation of an error: what happened with the reader's numbers, the smallest fix, the mechanism."""
    word = interface(root, language).word
    parts = [word(HAPPENED, title=match.entry.title, said=match.says or match.entry.summary)]
    if match.fix:
        parts.append(word(FIX, fix=match.fix))
    why = mechanism(root / "common-errors" / match.entry.category / match.id / "README.md", language)
    if why:
        parts.append(word(WHY, text=why))
    parts.append(word(SOURCE, id=match.id))
    return "\n\n".join(parts)


def mechanism(path: Path, language: str = ENGLISH) -> str:
    """Return the section "Why it happens" of an entry's page without blocks, links and collapsed parts.

    Returns whole paragraphs, `MECHANISM` characters at most; an empty text if the page has no such section.
    `path`: the English page; its translation is read if there is one.
    """
    try:
        english = parse_page(path)
        page = parse_page(in_language(path, language))
        text = page.section(same_heading(english, page, "Why it happens") or "")
    except UserError:
        return ""
    text = re.sub(r"(?ms)^<details\b.*?^</details>$", "", text)
    text = re.sub(r"(?ms)^ *(`{3,}|~{3,}).*?^ *\1[^\n]*$", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    kept: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if sum(map(len, kept)) + len(paragraph) > MECHANISM:
            break
        if not paragraph.rstrip().endswith((":", "：")):  # such a paragraph introduces a block, and blocks are left out
            kept.append(" ".join(paragraph.split()) if "|" not in paragraph else paragraph)
    return "\n\n".join(kept)
