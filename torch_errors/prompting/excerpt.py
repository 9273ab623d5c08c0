"""What of a traceback and of a program matters to somebody who is to explain the error."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from torch_errors.errors import UserError
from torch_errors.explaining.paste import CHAIN, LINE_END

# With re.ASCII they do not depend on the version of Unicode, which differs between Pythons and browsers.
_HEADER = re.compile(r"(?P<original>Original )?Traceback \(most recent call last\)", re.ASCII)
_FRAME = re.compile(r'^.*?File "(?P<file>[^"]{1,400})", line (?P<line>\d{1,9})', re.ASCII)
# Files of installed packages and of Python itself.
_INSTALLED = re.compile(
    r"[/\\](?:site-packages|dist-packages|lib[/\\]python3\.\d+|Python3\d+[/\\]Lib)[/\\]|^<frozen |^torch[/\\]",
    re.ASCII,
)
_PACKAGES = re.compile(
    r"^.*[/\\](?:site-packages|dist-packages|lib[/\\]python3\.\d+|Python3\d+[/\\]Lib)[/\\]", re.ASCII
)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]", re.ASCII)
# By name, for website/prompt_builder.py.
EXPRESSIONS = {
    "lineEnd": LINE_END,
    "ansi": _ANSI,
    "header": _HEADER,
    "chain": CHAIN,
    "frame": _FRAME,
    "installed": _INSTALLED,
    "packages": _PACKAGES,
}
# Frames of installed packages that are kept at the end of a traceback: those nearest to the error.
INNERMOST = 2
LINES_AFTER = 30  # of the message and of what was printed after it
LINES_WITHOUT = 60  # of a text that holds no traceback
SHORT = 80
AROUND = 20
LONGEST_FILE = 200


@dataclass(frozen=True)
class FrameText:
    """One level of a traceback as it was printed."""

    file: str
    line: int
    text: list[str]  # the line that names the file, and its source and marks

    @property
    def installed(self) -> bool:
        return _INSTALLED.search(self.file) is not None


def trim_traceback(text: str, keep_line: int | None = None) -> str:
    """The last traceback of a log with the exceptions that it is chained to, without the inside of installed packages.

    `keep_line`: a line (from 1) that is kept although it stands before, such as that of a CUDA assertion.
    """
    lines = LINE_END.split(_ANSI.sub("", text))  # as `explain` counts them
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    headers = [at for at, line in enumerate(lines) if _HEADER.search(line)]
    if not headers:
        lines = lines[next((at for at, line in enumerate(lines) if line), 0) :]
        kept = lines[-LINES_WITHOUT:]
        return "\n".join([*_left_out(len(lines) - len(kept), "line"), *kept])
    begin = _first_of_chain(lines, headers)
    kept = [lines[keep_line - 1]] if keep_line is not None and keep_line <= begin else []
    at = begin
    while at < len(lines):
        if not _FRAME.match(lines[at]):
            kept.append(lines[at])
            at += 1
            continue
        frames, at = _frames(lines, at)
        kept += _shortened(frames)
    last = max((at for at, line in enumerate(kept) if _FRAME.match(line)), default=0)
    end = last + LINES_AFTER
    return "\n".join([*kept[:end], *_left_out(len(kept) - end, "line")])


def _first_of_chain(lines: list[str], headers: list[int]) -> int:
    """Where the traceback begins that leads to the last exception."""
    begin = headers[-1]
    for header in reversed(headers[:-1]):
        nested = _HEADER.search(lines[begin])
        chained = any(CHAIN.search(line) for line in lines[header:begin])
        if not chained and not (nested and nested["original"]):
            break
        begin = header
    return begin


def _frames(lines: list[str], at: int) -> tuple[list[FrameText], int]:
    """The frames that begin at a line, and the line after them."""
    frames: list[FrameText] = []
    while at < len(lines):
        match = _FRAME.match(lines[at])
        if not match:
            break
        indent = len(lines[at]) - len(lines[at].lstrip())
        block = [lines[at]]
        at += 1
        # Source and marks are indented further; "[Previous line repeated …]" as far as the frame.
        while at < len(lines) and not _FRAME.match(lines[at]) and _belongs(lines[at], indent):
            block.append(lines[at])
            at += 1
        frames.append(FrameText(match["file"], int(match["line"]), block))
    return frames, at


def _belongs(line: str, indent: int) -> bool:
    found = len(line) - len(line.lstrip())
    return bool(line.strip()) and (found > indent or (found == indent and line.lstrip().startswith("[Previous line")))


def _shortened(frames: list[FrameText]) -> list[str]:
    """All frames of the user's files, and of installed packages only those nearest to the error."""
    kept: list[str] = []
    skipped: list[FrameText] = []
    for number, frame in enumerate(frames):
        if frame.installed and number < len(frames) - INNERMOST:
            skipped.append(frame)
            continue
        kept += _skipped(skipped)
        skipped = []
        kept += [_PACKAGES.sub('  File "', frame.text[0]) if frame.installed else frame.text[0], *frame.text[1:]]
    return kept + _skipped(skipped)


def _skipped(frames: list[FrameText]) -> list[str]:
    if not frames:
        return []
    packages = dict.fromkeys(re.split(r"[/\\]", _PACKAGES.sub("", frame.file))[0] for frame in frames)
    names = [name for name in packages if name and not name.startswith("<")]
    return _left_out(len(frames), "frame", f" inside {', '.join(names)}" if names else "")


def _left_out(count: int, what: str, where: str = "") -> list[str]:
    return [f"  [... {count} {what}{'' if count == 1 else 's'}{where} left out ...]"] if count > 0 else []


def failing_place(text: str) -> tuple[str, int, str] | None:
    """File, line and source of the deepest frame of the last traceback that lies in the user's own code."""
    lines = _ANSI.sub("", text).splitlines()
    places = []
    for at, line in enumerate(lines):
        match = _FRAME.match(line)
        if match and not _INSTALLED.search(match["file"]) and not match["file"].startswith("<"):
            source = lines[at + 1].strip() if at + 1 < len(lines) and not _FRAME.match(lines[at + 1]) else ""
            places.append((match["file"], int(match["line"]), source))
    return places[-1] if places else None


def find_source(file: str, line: int, source: str, folder: Path) -> Path | None:
    """The file of a traceback on this machine: where the traceback says, else below `folder` under the same name.

    Only a file that has `source` on that line is the one.
    """
    parts = [part for part in re.split(r"[/\\]", file) if part not in ("", ".", "..")]
    candidates = [Path(file), folder / file, *(folder.joinpath(*parts[at:]) for at in range(len(parts)))]
    for path in candidates:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        if line <= len(lines) and source and lines[line - 1].strip().startswith(source):
            return path
    return None


def code_around(path: Path, line: int) -> str:
    """What is around a line, with the line marked: all of a short file, else the class or the function around it.

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
