"""Cuts a traceback and a program down to what is needed to explain the error."""

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
# Lines of a text without a traceback: blank lines, fences, and the header alone.
NOTHING = re.compile(
    r"^[\s>]*(?:`{3,}\w{0,20}|~{3,}\w{0,20}|(?:Original )?Traceback \(most recent call last\):?)?\s*$", re.ASCII
)
REPEATED = re.compile(r"^\[Previous line repeated \d{1,9} more times?\]$", re.ASCII)
# The start of an installed file's path, up to the folder that contains the packages.
PACKAGES = re.compile(
    r"^.{0,400}[/\\](?:site-packages|dist-packages|lib[/\\]python3\.\d{1,3}|Python3\d{1,3}[/\\]Lib)[/\\]", re.ASCII
)
# The expressions by name, for website/engine.py.
EXPRESSIONS = {"nothing": NOTHING, "repeated": REPEATED, "packages": PACKAGES}
# Number of frames of installed packages to keep at the end of a traceback, nearest to the error.
INNERMOST = 2
# Number of frames to keep at each end of a long traceback, such as an infinite recursion.
OUTER_FRAMES = 12
# Number of tracebacks to keep of a chain: the first one, and those nearest to the last exception.
CHAINED = 3
LINES_AFTER = 30  # lines to keep of the message and the output after it
LINES_WITHOUT = 60  # lines to keep of a text without a traceback
SHORT = 80  # longest file, class or function, in lines, that is quoted whole around a failing line
AROUND = 20  # lines to quote before and after the failing line otherwise
LONGEST_FILE = 200  # longest file, in lines, that is quoted whole if the user asks for the file


def trim_traceback(text: str, line: int | None = None) -> str:
    """Return the relevant traceback of a log and the tracebacks it is chained to, without the inner frames of packages.

    `line`: line number, from 1, of the message to explain; by default, the exception that ended the program.
    Frames printed by IPython, rich and pytest are rewritten in Python's format.
    """
    lines = lines_of(next(cleaned for cleaned in readings(text) if cleaned.likely))
    at = next((at for at, candidate in enumerate(lines) if line is not None and candidate.last >= line), None)
    kept: list[str] = []
    if at is not None and lines[at].role in (LOOSE, CODE) and not frame_at(lines, at):
        kept, at = [inside(lines[at].raw)], None  # for example an assertion in a CUDA kernel
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
    """Whether no traceback has been filled in yet: the text has only blank lines, fences, or the header alone."""
    return all(NOTHING.match(line) for line in LINE_END.split(ANSI.sub("", text)))


def _tracebacks(lines: Sequence[Line], at: int) -> list[list[Frame | str]]:
    """Return the tracebacks of the failure that line `at` belongs to, each as its frames and message lines."""
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
    """Return a line as it was printed, or rejoined if it was wrapped."""
    return inside(line.raw) if line.number == line.last else line.text


def _shortened(parts: Sequence[Frame | str]) -> Iterator[str]:
    """Yield the lines of a traceback: frames in the user's files, and frames of packages only near the error."""
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


def _left_out(count: int, noun: str, where: str = "") -> list[str]:
    return [f"  [... {count} {noun}{'' if count == 1 else 's'}{where} left out ...]"] if count > 0 else []


def find_source(place: UserLine, folder: Path) -> Path | None:
    """Find a file of the traceback on this machine: at the path in the traceback, or below `folder` by the same name.

    Returns the first file that has the traceback's source code on that line, or None.
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
    """Return the code around a line, with the line marked: a short file whole, else the enclosing class or function.

    The class is preferred, since `forward` can't be understood without `__init__`. If none of these has at most
    SHORT lines, the lines nearest to the marked one are returned.
    """
    lines = _read_lines(path)
    whole = (1, len(lines))
    for first, last in [whole, *_definitions(lines, line)]:
        if last - first < SHORT:
            return _cut(path, lines, first, last, line)
    return _cut(path, lines, max(1, line - AROUND), min(len(lines), line + AROUND), line)


def code_lines(path: Path, first: int | None, last: int | None, line: int | None = None) -> str:
    """Return lines `first` to `last` of a file, by default all. Raises UserError if the file has no such lines."""
    lines = _read_lines(path)
    if first is None or last is None:
        if len(lines) <= LONGEST_FILE:
            return _cut(path, lines, 1, len(lines), line)
        if line is not None:
            return code_around(path, line)
        raise UserError(f"{path}: has {len(lines)} lines, too many for a prompt; choose the relevant ones: --lines A-B")
    if not 1 <= first <= last <= len(lines):
        raise UserError(f"--lines {first}-{last}: {path} has lines 1 to {len(lines)}")
    return _cut(path, lines, first, last, line)


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); pass a file with code: --code FILE") from None


def _definitions(lines: list[str], line: int) -> list[tuple[int, int]]:
    """First and last line of each class and function around a line, outermost first; empty if it isn't Python."""
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return []
    ranges = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.end_lineno:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= node.end_lineno:
                ranges.append((first, node.end_lineno))
    return sorted(ranges)


def _cut(path: Path, lines: list[str], first: int, last: int, line: int | None) -> str:
    shown = list(lines[first - 1 : last])
    if line is not None and first <= line <= last:
        shown[line - first] += "  # <-- the traceback ends here"
    where = f"# {path}" + ("" if (first, last) == (1, len(lines)) else f", lines {first} to {last}")
    return "\n".join([where, *shown])
