"""`explain(text)`: the errors in a pasted text, each with the catalog entries that explain it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.circumstances import chosen, circumstances, lacking, other_platform, read_text, reasons
from torch_errors.explaining.decode import holds, render
from torch_errors.explaining.patterns import KnownEntry, Pattern, Patterns, load_patterns
from torch_errors.explaining.relaxed import load_relaxed
from torch_errors.languages import ENGLISH
from torch_errors.paste.cleaning import CODE, EXCEPTION, RAISED, WARNING, Cleaned, readings
from torch_errors.paste.facts import WITHIN, read
from torch_errors.paste.frames import Line, UserLine, frameworks_of, inner_error, lines_of, own_frames

if TYPE_CHECKING:
    from torch_errors.catalog.expressions import TextTree

# Maximum number of errors reported per text.
ERRORS = 30
# Shortest part of a message, in characters, that is searched for in the lines of other ranks.
SHORTEST = 5
# `wrapper` of an entry whose error follows when any other process of a job fails.
JOB = "job"
# What names PyTorch, or a library that builds on it, in frames, code and messages.
TORCH = re.compile(
    r"[Tt]orch|(?<![A-Za-z])(?:cuda|CUDA|DataLoader|accelerate|detectron2|diffusers|fastai|lightning|mmcv|mmengine|peft"
    r"|safetensors|timm|transformers|trl|ultralytics)(?![A-Za-z])",
    re.ASCII,
)
# A statement up to the message that it would raise, and in how many characters before the message it is searched for.
RAISING = re.compile(r"\braise [\w.]{1,80}\([^()\"']{0,20}[\"'][^\"']{0,80}$", re.ASCII)
AROUND = 200
# The part of a message that is shown if no pattern says which part matters.
LINE = re.compile(r".{1,160}\b", re.ASCII)


@dataclass(frozen=True)
class Match:
    """One error in a text, with the entry that explains it."""

    entry: KnownEntry
    captures: dict[str, str]  # named groups of the pattern that matched
    line: int  # line of the paste (from 1) on which the message starts
    message: str  # the text that matched
    frame: UserLine | None  # the user's own line that raised the error
    says: str | None  # what happened, with the numbers from the paste
    fix: str | None  # the smallest change, with the numbers from the paste if they matter
    pattern: Pattern  # the pattern that matched
    case: int | None  # index in `pattern.says` of the case that applies
    ranks: int = 0  # how many ranks of a job print the message; 0 if the lines have no rank prefix
    alternatives: tuple[Match, ...] = ()  # other entries that explain the same error, best first
    because: tuple[str, ...] = ()  # the circumstances that chose `says` or `fix`, such as `ROCm (gfx1201)`
    needs: str | None = None  # version of torch that `fix` needs, if the reader's is older
    platform: str | None = None  # the platform that the answer is about, such as `ROCm`, unless it is an NVIDIA GPU
    picture: str | None = None  # the shapes of the message for a drawing, such as `[64 x *400*] @ [*512* x 10]`

    @property
    def id(self) -> str:
        return self.entry.id


def explain(
    text: str, root: Path | None = None, language: str = ENGLISH, running: Mapping[str, str] | None = None
) -> list[Match]:
    """Return the errors in `text` that have an entry in the catalog, the error to fix first at the top.

    These rules, in this order, decide which error to fix first:

    1. The assertion of a CUDA kernel: the errors that CUDA reports after it are its consequences.
    2. Not what follows in other processes of a job (a timeout, a closed connection), if another exception was raised.
    3. Raised exceptions, then messages that the text only mentions, then warnings. Matches in quoted source code count
       only for a failure without any other match.
    4. The last failure in the text, because it ended the program. Chained exceptions form one failure, and so do the
       exceptions of the ranks of a job. Within a failure, the first exception is the root cause.
    5. Within one exception, the match of the most specific pattern; among identical lines, the first.

    Words that other programs print, too, are not answered below the frames of a program without PyTorch, and nor are
    messages in source code in which nothing was raised.

    If no pattern matches the text as it is, they are tried once more without regard to capitals and quotes; then the
    message of the deciding exception is searched for in the wordings of the entries (explaining/wordings.py).

    A repeated error (with the same numbers, or in the same failure) is reported once. Other entries that match the same
    lines become its `alternatives`, and so do entries that only wrap it (a DataLoader worker, a torchrun child).

    The time is linear in the length of the text. `language` is the language of the answer, `en` or `zh`. `running` are
    the circumstances of the program that raised the error, if it still runs (`circumstances.running`).
    """
    root = root or find_root()
    patterns = load_patterns(root, language)
    builder = _MatchBuilder(running or {})
    cleaned_texts = tuple(readings(text))
    candidates = [
        _Candidate(pattern, patterns.entries[pattern.entry], cleaned, match)
        for cleaned in cleaned_texts
        for pattern in patterns.in_text(cleaned.text)
        for match in pattern.find(cleaned.text)
    ] or [
        _Candidate(pattern, patterns.entries[pattern.entry], cleaned, match)
        for cleaned in cleaned_texts
        for pattern, match in load_relaxed(root, language).find(cleaned.text)
    ]
    candidates = candidates or _recognized(text, cleaned_texts, patterns)
    candidates = [one for one in candidates if not (_is_foreign(one) if one.pattern.common else _is_source(one))]
    return [
        builder.build(best, _ranks(best), tuple(map(builder.build, others)))
        for best, *others in _distinct(_errors(_ranked(candidates)))
    ]


@dataclass(eq=False)
class _Candidate:
    """A match of a pattern and the position of its message. The match may start in the code above the message."""

    pattern: Pattern
    entry: KnownEntry
    cleaned: Cleaned
    match: re.Match[str]
    at: int = field(init=False)  # index in `cleaned` of the line on which the message starts
    first: int = field(init=False)  # first line of the message in the paste
    last: int = field(init=False)  # last line of the message in the paste
    role: int = field(init=False)
    block: int = field(init=False)
    failure: int = field(init=False)

    def __post_init__(self) -> None:
        cleaned = self.cleaned
        end = cleaned.index(self.match.end() - 1)
        self.block = cleaned.blocks[end]
        self.at = cleaned.index(self.match.start())
        while cleaned.blocks[self.at] != self.block:
            self.at += 1
        self.first, self.last = cleaned.numbers[self.at], cleaned.numbers[end]
        self.role = max(cleaned.roles[self.at], cleaned.roles[end])
        self.failure = cleaned.failures[end]

    @property
    def captures(self) -> dict[str, str]:
        return {name: value for name, value in self.match.groupdict().items() if value is not None}

    @property
    def message(self) -> str:
        return self.cleaned.text[max(self.match.start(), self.cleaned.starts[self.at]) : self.match.end()]

    def repeats(self, other: _Candidate) -> bool:
        """Whether this match adds nothing to a different match of the same entry."""
        if self.failure == other.failure and self.role in RAISED and other.role in RAISED:
            return True
        return self.captures.items() <= other.captures.items()


def _recognized(text: str, readings: Sequence[Cleaned], patterns: Patterns) -> list[_Candidate]:
    """The message of the deciding exception, if only the wordings of the entries show to which of them it belongs."""
    if len(text) > WITHIN:
        return []
    error = read(text)
    number = patterns.wordings.owner(error.message, patterns.compiled.weights)
    if number is None:
        return []
    cleaned = next(cleaned for cleaned in readings if cleaned.likely)
    at = cleaned.numbers.index(error.line)
    match = LINE.match(cleaned.text, cleaned.starts[at])
    entry = [*patterns.entries.values()][number]
    return [_Candidate(Pattern(entry.id, "", "", 0, common=True), entry, cleaned, match)] if match else []


def _is_foreign(candidate: _Candidate) -> bool:
    """Whether the text has frames of a program, and nothing in it names PyTorch or what builds on it."""
    return not TORCH.search(candidate.cleaned.text) and candidate.cleaned.has_frames


def _is_source(candidate: _Candidate) -> bool:
    """Whether the match is in a statement that would raise, of a text without an exception and without frames."""
    cleaned, start = candidate.cleaned, candidate.match.start()
    quoted = RAISING.search(cleaned.text[max(0, start - AROUND) : start])
    return bool(quoted) and EXCEPTION not in cleaned.roles and not cleaned.has_frames


def _ranked(candidates: list[_Candidate]) -> list[_Candidate]:
    """Sort the candidates by the rules of `explain`, the error to fix first at the top."""
    # A wrapper whose inner error has no entry counts like any other error.
    explained = {
        candidate.failure for candidate in candidates if not candidate.entry.wrapper and candidate.role > WARNING
    }
    raised = any(not candidate.entry.wrapper and candidate.role == EXCEPTION for candidate in candidates)

    def rank(candidate: _Candidate) -> tuple[float, ...]:
        return (
            candidate.pattern.assertion,
            not (candidate.entry.wrapper == JOB and raised),
            not (candidate.entry.wrapper and candidate.failure in explained),
            candidate.role,
            candidate.failure,
            -candidate.block,
            candidate.pattern.weight,
            candidate.cleaned.likely,
            -candidate.first if candidate.role in RAISED else candidate.first,
            candidate.match.start() - candidate.cleaned.starts[candidate.at],
        )

    return sorted(candidates, key=rank, reverse=True)


def _errors(ranked: list[_Candidate]) -> Iterable[list[_Candidate]]:
    """Group candidates whose lines overlap, the best group first, with only the best candidate of each entry."""
    group, groups, reached = 0, {}, 0
    for candidate in sorted(ranked, key=lambda candidate: candidate.first):
        group += candidate.first > reached
        groups[candidate] = group
        reached = max(reached, candidate.last)
    errors: dict[int, list[_Candidate]] = {}
    for candidate in ranked:
        error = errors.setdefault(groups[candidate], [])
        if all(candidate.entry is not other.entry for other in error):
            error.append(candidate)
    return errors.values()


def _distinct(errors: Iterable[list[_Candidate]]) -> list[list[_Candidate]]:
    """Drop repeated errors and code quoted in a failure that has another match; attach wrappers to what they wrap."""
    distinct: list[list[_Candidate]] = []
    kept: dict[str, list[tuple[_Candidate, list[_Candidate]]]] = {}  # id of an entry -> its candidates and their errors
    leading: dict[int, list[_Candidate]] = {}  # failure -> its best error
    for error in errors:
        best = error[0]
        repeated = next((earlier for other, earlier in kept.get(best.entry.id, ()) if best.repeats(other)), None)
        earlier = repeated or leading.get(best.failure)
        if not repeated and earlier and best.entry.wrapper and all(best.entry is not other.entry for other in earlier):
            earlier.append(best)
        elif not earlier or not (repeated or best.entry.wrapper or best.role == CODE):
            if len(distinct) == ERRORS:
                break
            distinct.append(error)
            earlier = error
            for candidate in error:
                kept.setdefault(candidate.entry.id, []).append((candidate, error))
        leading.setdefault(best.failure, earlier)
    return distinct


def _ranks(candidate: _Candidate) -> int:
    """Return how many ranks print the message. Numbers may differ, so its longest part without digits is compared."""
    cleaned, at = candidate.cleaned, candidate.at
    if not cleaned.ranks[at]:
        return 0
    ends = [*cleaned.starts, len(cleaned.text)]
    message = cleaned.text[max(candidate.match.start(), ends[at]) : min(candidate.match.end(), ends[at + 1])]
    part = max(re.split(r"[0-9]+", message), key=len)
    ranks = {cleaned.ranks[at]}
    at = 0
    while len(part) >= SHORTEST and (offset := cleaned.text.find(part, ends[at])) >= 0:
        at = cleaned.index(offset)
        if cleaned.roles[at] != CODE:
            ranks.add(cleaned.ranks[at])
        at += 1
    return len(ranks - {""})


class _MatchBuilder:
    """Builds a Match from a candidate. Caches what all candidates from the same reading share."""

    def __init__(self, running: Mapping[str, str]) -> None:
        self._running = running
        self._lines: dict[int, list[Line]] = {}
        self._shown: dict[int, dict[str, str]] = {}

    def build(self, candidate: _Candidate, ranks: int = 0, alternatives: tuple[Match, ...] = ()) -> Match:
        captures, pattern, reading = candidate.captures, candidate.pattern, id(candidate.cleaned)
        lines = self._lines.get(reading) or lines_of(candidate.cleaned)
        self._lines[reading] = lines
        at = next(at for at, line in enumerate(lines) if line.last >= candidate.first)
        own = own_frames(lines, at, bool(candidate.entry.wrapper))
        frame = UserLine(own[-1].file, own[-1].line, own[-1].function, own[-1].code) if own else None
        values = captures | {
            "line_code": (frame and frame.code) or "",
            "line_function": (frame and frame.function) or "",
            "own_functions": " ".join(one.function for one in own if one.function),
            "inner_error": inner_error(lines, at),
        }
        shown = self._shown.get(reading)
        if shown is None:
            shown = self._shown[reading] = read_text(candidate.cleaned.text)
        case, says = _say(pattern, values)
        of_case = _first(values, None if case is None else pattern.says[case].fix)
        of_pattern = _first(values, pattern.fix)
        variants = pattern.variants if of_case or of_pattern else pattern.variants + candidate.entry.variants
        found = circumstances(shown, frameworks_of(lines, at) if variants else (), self._running)
        variant = chosen(variants, found)
        said, advised = (_first(values, variant.say), _first(values, variant.fix)) if variant else (None, None)
        fixes = [text for text in (advised, of_case, of_pattern, candidate.entry.fix) if text]
        fix = next((text for text in fixes if not lacking(text, found)), next(iter(fixes), None))
        used = variant.parts if variant and (said or fix == advised) else ()
        return Match(
            entry=candidate.entry,
            captures=captures,
            line=candidate.first,
            message=candidate.message,
            frame=frame,
            says=said or says,
            fix=fix,
            pattern=pattern,
            case=case,
            ranks=ranks,
            alternatives=alternatives,
            because=reasons(used, found),
            needs=fix and lacking(fix, found),
            platform=other_platform(used, candidate.message),
            picture=_first(values, pattern.picture),
        )


def _first(captures: dict[str, str], *texts: TextTree | None) -> str | None:
    """Return the first of these texts whose expressions can all be evaluated with the captures."""
    rendered = (render(text, captures) for text in texts if text)
    return next((text for text in rendered if text is not None), None)


def _say(pattern: Pattern, captures: dict[str, str]) -> tuple[int | None, str | None]:
    """Return the index and the text of the first case that applies and whose text can be evaluated."""
    for number, case in enumerate(pattern.says):
        if holds(case.when, captures):
            text = render(case.say, captures)
            if text is not None:
                return number, text
    return None, None
