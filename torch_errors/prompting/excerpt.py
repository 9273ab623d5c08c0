"""What of a traceback and of a program matters to somebody who is to explain the error."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from torch_errors.errors import UserError
from torch_errors.explaining import paste
from torch_errors.explaining.paste import CHAIN, LINE_END, NARROWEST, inside

# With re.ASCII they do not depend on the version of Unicode, which differs between Pythons and browsers.
_HEADER = re.compile(r"(?P<original>Original )?Traceback \(most recent call last\)", re.ASCII)
_FRAME = re.compile(r'^.*?File "(?P<file>[^"]{1,400})", line (?P<line>\d{1,9})', re.ASCII)
# The same as IPython and rich print it, whose frames end where the next begins, at an empty line or at the box's edge.
_LISTED = re.compile(
    r"^[\s│┃|]*(?:File )?(?P<file>(?:[A-Za-z]:)?[^\s:\"'│┃|,]{1,400}\.py|(?:Cell )?In ?\[\d{1,6}\]|<[\w.\-]{1,80}>)"
    r"(?:(?::|, line )(?P<line>\d{1,9})(?:,? in |[\s│┃|]*$)| in [\w.<>]{1,200}\()",
    re.ASCII,
)
# What rich broke at the edge of its box: a path without a space in it, and what follows.
_BROKEN = re.compile(
    r"^\s*[│┃|] (?P<begin>(?:[A-Za-z]:)?[/\\~.][^\s:\"'│┃|,]{20,400}(?::\d{0,9})?) [│┃|]\s*$", re.ASCII
)
_REST = re.compile(r"^\s*[│┃|] (?P<rest>\S.*)$", re.ASCII)
# A frame, one that is whole, and what ends before a space where one was broken.
_FILE = re.compile(r'^\s*File "', re.ASCII)
_WHOLE = re.compile(r'^\s*File "[^"]{1,400}", line \d{1,9}, in \S', re.ASCII)
_JOINT = re.compile(r"(?:,| line| in)$", re.ASCII)
_POINTED = re.compile(r"^[\s│┃|]*(?:-{1,8}>|❱)\s{0,6}(?P<line>\d{1,9})[ │|]*(?P<source>.*?)[\s│┃|]*$", re.ASCII)
_EMPTY = re.compile(r"^[\s│┃|]*$", re.ASCII)
_EDGE = re.compile(r"^\s*[╰└]", re.ASCII)
# A line of a paste that holds no traceback yet.
_NOTHING = re.compile(
    r"^[\s>]*(?:`{3,}\w{0,20}|~{3,}\w{0,20}|(?:Original )?Traceback \(most recent call last\):?)?\s*$", re.ASCII
)
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
    "listed": _LISTED,
    "broken": _BROKEN,
    "rest": _REST,
    "empty": _EMPTY,
    "edge": _EDGE,
    "nothing": _NOTHING,
    "file": _FILE,
    "whole": _WHOLE,
    "joint": _JOINT,
    **{name: paste.EXPRESSIONS[name] for name in ("prefix", "exception", "warning")},
    "installed": _INSTALLED,
    "packages": _PACKAGES,
}
# Frames of installed packages that are kept at the end of a traceback: those nearest to the error.
INNERMOST = 2
# The longest cycle of frames that is looked for in an endless recursion, and how often one is repeated to be left out.
CYCLE, REPEATED = 30, 3
# Tracebacks of a chain that are kept: the first, and those nearest to the last exception.
CHAINED = 3
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
    rest = lines[begin:]
    if inside(rest[0]) != rest[0].rstrip():  # quoted, or printed by a rank
        rest = [inside(line) for line in rest]
    lines = lines[:begin] + _rejoined(_with_whole_paths(rest))
    of_chain = [at for at in range(begin, len(lines)) if _HEADER.search(lines[at])]
    resume = of_chain[1 - CHAINED] if len(of_chain) > CHAINED else begin
    at, last = begin, 0
    while at < len(lines):
        if at == of_chain[min(1, len(of_chain) - 1)] and at < resume:
            kept += _left_out(len(of_chain) - CHAINED, "exception", " of this chain")
            at = resume
        frames, after = _frames(lines, at)
        if frames:
            kept += _shortened(_unrepeated(frames))
            last = len(kept)
            at = after
        else:
            kept.append(lines[at])
            at += 1
    end = last + LINES_AFTER if last else len(kept)
    kept = [*kept[:end], *_left_out(len(kept) - end, "line")]
    return "\n".join(kept if last else [*_left_out(len(kept) - LINES_WITHOUT, "line"), *kept[-LINES_WITHOUT:]])


def is_unfilled(text: str) -> bool:
    """Whether a text that should hold a traceback holds none yet: nothing but white space, a header, a fence."""
    return all(_NOTHING.match(line) for line in LINE_END.split(_ANSI.sub("", text)))


def _rejoined(lines: list[str]) -> list[str]:
    """The lines of tracebacks with their frames and source in one line each, if something broke frames at its edge.

    What Python prints between a frame and the exception is indented, so what is not continues the line before.
    """
    texts = [inside(line) for line in lines]
    widths = [
        len(text)
        for text, after in pairwise(texts)
        if _FILE.match(text) and len(text) >= NARROWEST and _continues(after)
    ]
    if not widths:
        return lines
    whole: list[str] = []
    in_frames, last = False, ""
    for line, text in zip(lines, texts, strict=True):
        if in_frames and _continues(text) and len(text) <= len(last) and len(last) >= NARROWEST:
            before = inside(whole[-1])
            if _FILE.match(before) and not _WHOLE.match(before):
                apart = _JOINT.search(before) is not None
            else:
                apart = len(last) < max(widths)
            apart = apart or text[0].isspace()
            whole[-1] = f"{whole[-1].rstrip()}{' ' if apart else ''}{text.lstrip()}"
        else:
            whole.append(line)
            in_frames = bool(_FILE.match(text)) or (in_frames and not _starts(text))
        last = text
    return whole


def _with_whole_paths(lines: list[str]) -> list[str]:
    """The lines of a traceback by rich with each frame in one line, where its path was too long for the box."""
    whole: list[str] = []
    for line in lines:
        broken = _BROKEN.match(whole[-1]) if whole else None
        rest = _REST.match(line) if broken else None
        frame = f"│ {broken['begin']}{rest['rest']}" if broken and rest else ""
        if _LISTED.match(frame):
            whole[-1] = frame
        else:
            whole.append(line)
    return whole


def _starts(line: str) -> bool:
    # One space remains where a line was broken before it; source has four.
    return bool(line) and not line[:2].isspace()


def _continues(line: str) -> bool:
    """Whether a line can be the rest of the one before."""
    begins = (_HEADER, CHAIN, paste.EXPRESSIONS["exception"], paste.EXPRESSIONS["warning"], _FILE)
    return _starts(line) and not any(expression.match(line) for expression in begins)


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
        listed = None if match else _LISTED.match(lines[at])
        begin = at
        if match:
            at = _end_of_frame(lines, at)
        elif listed:
            at = _end_of_listed(lines, at)
        else:
            break
        found = match or listed
        assert found is not None
        frames.append(FrameText(found["file"], int(found["line"] or 0), lines[begin:at]))
    return frames, at


def _is_frame(line: str) -> bool:
    return bool(_FRAME.match(line) or _LISTED.match(line))


def _end_of_frame(lines: list[str], at: int) -> int:
    """The line after a frame and its source, which is indented further."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    at += 1
    # "[Previous line repeated …]" is indented as far as the frame.
    while at < len(lines) and not _is_frame(lines[at]) and _belongs(lines[at], indent):
        at += 1
    return at


def _end_of_listed(lines: list[str], at: int) -> int:
    """The line after a frame of IPython, which ends in an empty line, or of rich, whose box goes on after one."""
    boxed = lines[at].lstrip()[:1] in ("│", "┃", "|")
    at += 1
    while at < len(lines) and not _is_frame(lines[at]) and not _EDGE.match(lines[at]):
        if _EMPTY.match(lines[at]) and not (boxed and lines[at].strip()):
            return at + (at + 1 < len(lines) and _is_frame(lines[at + 1]))
        at += 1
    return at


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
        short = frame.installed and _FRAME.match(frame.text[0])
        kept += [_PACKAGES.sub('  File "', frame.text[0]) if short else frame.text[0], *frame.text[1:]]
    return kept + _skipped(skipped)


def _unrepeated(frames: list[FrameText]) -> list[FrameText]:
    """Frames without what an endless recursion repeats: a cycle is kept once, with how often it was repeated."""
    # A line that says how often the previous one was repeated stays.
    keys = [
        (frame.text[0].strip(), any(line.lstrip().startswith("[Previous line") for line in frame.text))
        for frame in frames
    ]
    kept: list[FrameText] = []
    at = 0
    while at < len(frames):
        cycle, repeated = _cycle(keys, at)
        kept += frames[at : at + cycle]
        if repeated > 1:
            above = "the frame above" if cycle == 1 else f"the {cycle} frames above"
            kept.append(FrameText("", 0, [f"  [... {above}, {repeated - 1} more times ...]"]))
        at += cycle * repeated
    return kept


def _cycle(keys: list[tuple[str, bool]], at: int) -> tuple[int, int]:
    """How many frames from `at` on are a cycle, and how often it is there; one frame, once, where none is repeated."""
    for cycle in range(1, min(CYCLE, (len(keys) - at) // REPEATED) + 1):
        end = at + cycle
        while end < len(keys) and keys[end] == keys[end - cycle]:
            end += 1
        if (end - at) // cycle >= REPEATED:
            return cycle, (end - at) // cycle
    return 1, 1


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
    lines = _with_whole_paths(LINE_END.split(_ANSI.sub("", text)))
    texts = [inside(line) for line in lines]
    if any(map(_FILE.match, texts)):  # the arrows of IPython and rich look like quotes
        lines = _rejoined(texts)
    places = []
    at = 0
    while at < len(lines):
        frames, after = _frames(lines, at)
        for frame in frames:
            if not frame.installed and not frame.file.startswith(("<", "In", "Cell")):
                places.append((frame.file, frame.line, *_pointed(frame)))
        at = max(after, at + 1)
    if not places:
        return None
    file, line, source, listed = places[-1]
    return file, listed or line, source


def _pointed(frame: FrameText) -> tuple[str, int]:
    """The source of a frame, and its line where an arrow names it."""
    arrows = [match for match in map(_POINTED.match, frame.text[1:]) if match]
    if arrows:
        return arrows[-1]["source"], int(arrows[-1]["line"])
    return (frame.text[1].strip() if len(frame.text) > 1 else ""), 0


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
