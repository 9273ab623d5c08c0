"""Cuts a traceback and a program down to what somebody needs to explain the error."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from torch_errors.errors import UserError
from torch_errors.paste.cleaning import ANSI, CHAIN, CODE, HEADER, LINE_END, LOOSE, NESTED, inside, readings
from torch_errors.paste.facts import deciding
from torch_errors.paste.frames import Frame, Line, UserLine, frame_at, lines_of

HEADING = "Traceback (most recent call last):"
# A line of a paste that holds no traceback yet.
NOTHING = re.compile(
    r"^[\s>]*(?:`{3,}\w{0,20}|~{3,}\w{0,20}|(?:Original )?Traceback \(most recent call last\):?)?\s*$", re.ASCII
)
REPEATED = re.compile(r"^\[Previous line repeated \d{1,9} more times?\]$", re.ASCII)
# Where an installed package begins in the path of its file.
PACKAGES = re.compile(
    r"^.{0,400}[/\\](?:site-packages|dist-packages|lib[/\\]python3\.\d{1,3}|Python3\d{1,3}[/\\]Lib)[/\\]", re.ASCII
)
# By name, for website/engine.py.
EXPRESSIONS = {"nothing": NOTHING, "repeated": REPEATED, "packages": PACKAGES}
# Frames of installed packages that are kept at the end of a traceback: those nearest to the error.
INNERMOST = 2
# Frames of a longer traceback that are kept at its beginning and its end, as of an endless recursion.
OUTER_FRAMES = 12
# Tracebacks of a chain that are kept: the first, and those nearest to the last exception.
CHAINED = 3
LINES_AFTER = 30  # of the message and of what was printed after it
LINES_WITHOUT = 60  # of a text that holds no traceback
SHORT = 80
AROUND = 20
LONGEST_FILE = 200


def trim_traceback(text: str, line: int | None = None) -> str:
    """The traceback that matters in a log, with those it is chained to, without the inside of installed packages.

    `line`: on which the message stands that is to be explained, from 1; without it, the exception that ended the
    program. Frames of IPython, rich and pytest are written as Python writes them.
    """
    lines = lines_of(next(cleaned for cleaned in readings(text) if cleaned.likely))
    at = next((at for at, one in enumerate(lines) if line is not None and one.last >= line), None)
    kept: list[str] = []
    if at is not None and lines[at].role in (LOOSE, CODE) and not frame_at(lines, at):
        kept, at = [inside(lines[at].raw)], None  # such as the assertion of a CUDA kernel
    if at is None:
        at = deciding(lines)
    tracebacks = _tracebacks(lines, at) if at is not None else []
    if not any(isinstance(part, Frame) for parts in tracebacks for part in parts):
        last = lines[-LINES_WITHOUT:]
        kept = kept if line is not None and last and line < last[0].number else []
        return "\n".join([*kept, *_left_out(len(lines) - len(last), "line"), *map(_printed, last)])
    chained = len(tracebacks) - CHAINED
    for number, parts in enumerate(tracebacks):
        if chained > 0 and 1 <= number <= chained:
            kept += _left_out(chained, "exception", " of this chain") if number == 1 else []
        else:
            kept += _shortened(parts)
    return "\n".join(kept)


def is_unfilled(text: str) -> bool:
    """Whether a text that should hold a traceback holds none yet: nothing but white space, a header, a fence."""
    return all(NOTHING.match(line) for line in LINE_END.split(ANSI.sub("", text)))


def _tracebacks(lines: Sequence[Line], at: int) -> list[list[Frame | str]]:
    """The tracebacks of the failure to which a line belongs, each with its frames, and the lines of its message."""
    mine = [line for line in lines if (line.failure, line.rank) == (lines[at].failure, lines[at].rank)]
    tracebacks: list[list[Frame | str]] = [[]]
    for number, line in enumerate(mine):
        frame = frame_at(mine, number)
        if frame:
            if not tracebacks[-1]:
                tracebacks[-1].append(HEADING)
            tracebacks[-1].append(frame)
        elif HEADER.search(line.text):
            before = tracebacks[-1]
            if any(isinstance(part, Frame) for part in before):
                tracebacks.append([])
            tracebacks[-1].append(f"Original {HEADING}" if "Original " in line.text else HEADING)
        elif CHAIN.search(line.text):
            tracebacks.append(["", _printed(line), ""])
        elif line.role not in (CODE, LOOSE) or REPEATED.match(line.text) or NESTED.search(line.text):
            tracebacks[-1].append(_printed(line))
    return tracebacks


def _printed(line: Line) -> str:
    """A line as it was printed; a wrapped one in one piece."""
    return inside(line.raw) if line.number == line.last else line.text


def _shortened(parts: Sequence[Frame | str]) -> Iterator[str]:
    """All frames of the user's files, and of installed packages only those nearest to the error."""
    frames = [part for part in parts if isinstance(part, Frame)]
    left_out = max(0, len(frames) - 2 * OUTER_FRAMES)
    number, message = 0, 0
    skipped: list[Frame] = []
    for part in parts:
        if isinstance(part, str):
            yield from _skipped(skipped)
            skipped = []
            message += bool(number)
            if message <= LINES_AFTER:
                yield part
            continue
        number += 1
        if OUTER_FRAMES < number <= OUTER_FRAMES + left_out or (
            part.package is not None and number <= len(frames) - INNERMOST
        ):
            skipped.append(part)
            continue
        yield from _skipped(skipped)
        skipped = []
        yield f'  File "{PACKAGES.sub("", part.file)}", line {part.line}' + (
            f", in {part.function}" if part.function else ""
        )
        if part.code:
            yield f"    {part.code}"
    yield from _skipped(skipped)
    yield from _left_out(message - LINES_AFTER, "line")


def _skipped(frames: Sequence[Frame]) -> list[str]:
    if not frames:
        return []
    names = dict.fromkeys(frame.package for frame in frames if frame.package)
    own = any(frame.package is None for frame in frames)
    return _left_out(len(frames), "frame", f" inside {', '.join(names)}" if names and not own else "")


def _left_out(count: int, what: str, where: str = "") -> list[str]:
    return [f"  [... {count} {what}{'' if count == 1 else 's'}{where} left out ...]"] if count > 0 else []


def find_source(place: UserLine, folder: Path) -> Path | None:
    """The file of a traceback on this machine: where the traceback says, else below `folder` under the same name.

    Only a file that has the source of the traceback on that line is the one.
    """
    line, source = place.line, place.code
    parts = [part for part in re.split(r"[/\\]", place.file) if part not in ("", ".", "..")]
    candidates = [Path(place.file), folder / place.file, *(folder.joinpath(*parts[at:]) for at in range(len(parts)))]
    for path in candidates:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        if line <= len(lines) and source and " ".join(lines[line - 1].split()).startswith(source):
            return path
    return None


def code_around(path: Path, line: int) -> str:
    """The code around a line, with the line marked: all of a short file, else the class or the function around it.

    A class comes first, since `forward` is understood with `__init__`. What is longer than SHORT lines is cut.
    """
    lines = _read_lines(path)
    whole = (1, len(lines))
    for first, last in [whole, *_definitions(lines, line)]:
        if last - first < SHORT:
            return _cut(path, lines, first, last, line)
    return _cut(path, lines, max(1, line - AROUND), min(len(lines), line + AROUND), line)


def code_lines(path: Path, first: int | None, last: int | None, line: int | None = None) -> str:
    """Lines `first` to `last` of a file; all of it without them. Raises UserError where the file has no such lines."""
    lines = _read_lines(path)
    if first is None or last is None:
        if len(lines) <= LONGEST_FILE:
            return _cut(path, lines, 1, len(lines), line)
        if line is not None:
            return code_around(path, line)
        raise UserError(f"{path}: has {len(lines)} lines, too many for a prompt; name those that matter: --lines A-B")
    if not 1 <= first <= last <= len(lines):
        raise UserError(f"--lines {first}-{last}: {path} has lines 1 to {len(lines)}")
    return _cut(path, lines, first, last, line)


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); name a file with code: --code FILE") from None


def _definitions(lines: list[str], line: int) -> list[tuple[int, int]]:
    """First and last line of the classes and functions around a line, outermost first; none where it is not Python."""
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.end_lineno:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= node.end_lineno:
                found.append((first, node.end_lineno))
    return sorted(found)


def _cut(path: Path, lines: list[str], first: int, last: int, line: int | None) -> str:
    shown = list(lines[first - 1 : last])
    if line is not None and first <= line <= last:
        shown[line - first] += "  # <-- the traceback ends here"
    where = f"# {path}" + ("" if (first, last) == (1, len(lines)) else f", lines {first} to {last}")
    return "\n".join([where, *shown])
