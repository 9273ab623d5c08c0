"""Reads the frames of an error, in the format of any tool, and finds which of them are the user's own code.

The input is text cleaned by `cleaning`. Lengths are bounded, and the time is linear in the length of the text, whatever
it contains.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch_errors.paste.cleaning import CODE, EXCEPTION, FRAME, RAISED, WARNING, Cleaned

# Maximum length of a line of source, in characters.
SOURCE = 200

# Line of a frame, marked by an arrow in its surrounding source: `---> 13 model(x)` (IPython) or `❱ 13 │` (rich).
POINTED = re.compile(
    r"^[\s│┃|]{0,200}(?:-{1,8}>|❱)\s{0,6}(?P<line>\d{1,9})[ │|]{1,80}(?P<source>.{0,400}?)[\s│┃|]*$", re.ASCII
)
# TorchScript prints the source of a function up to the line that failed, and this below that line.
HERE = "<--- HERE"
# Prefix with which pytest marks the line that was running.
QUOTED = "> "
# Possible start of a frame that was wrapped: `File ...` of Python, or a path in a box of rich, which may have spaces.
BEGINS_FRAME = re.compile(r"^(?:File [\"/~.A-Z]|(?:[A-Za-z]:)?[/\\~.][^\n\":,]{0,400}(?::\d{1,9})?(?: in)?$)", re.ASCII)
# End of a frame whose function is on the next line.
LACKS_FUNCTION = re.compile(r"\.py:\d{1,9}(?: in)?$", re.ASCII)
# First line of a warning, with the place where it was raised. The line of source follows.
WARNED = re.compile(r"^(?P<file>(?:[A-Za-z]:)?[^\":]{1,300}\.py):(?P<line>\d{1,9}): \w{0,60}Warning: ", re.ASCII)
# Files that are not the user's own code. PACKAGE: installed packages. LIBRARY: Python itself; files that PyTorch
# Geometric writes into the temporary folder, named after a class of layers and eight random characters; launchers such
# as torchrun; sources of PyTorch, with the paths of the machine on which it was built.
PACKAGE = re.compile(r"^.{0,400}(?:site|dist)-packages[\\/](?P<package>[\w-]{1,60})", re.ASCII)
LIBRARY = re.compile(
    r"^<(?!ipython|stdin|string)|[\\/]lib(?:64)?[\\/]python\d|[\\/]Python3\d{1,3}[\\/]Lib[\\/]|[\\/]Lib[\\/]"
    r"|[\\/][\w.]{1,160}_(?:propagate|edge_updater)_[a-z0-9_]{8}\.py$"
    r"|[\\/](?:bin|Scripts)[\\/][^\\/]{1,60}$|(?:^|[\\/])torch(?:vision|audio)?[\\/](?:[\w-]{1,60}[\\/]){0,8}[\w-]{1,60}\.py$",
    re.ASCII,
)
# The first line of an exception that only passes another one on.
PASSED_ON = re.compile(
    r"\bCaught \w{1,80} in |ChildFailedError|CalledProcessError|Process(?:Raised|Exited)Exception", re.ASCII
)
# Address of an object in a message, which differs from run to run.
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,16}", re.ASCII)
# Installed name of a package -> name of its framework.
ALIASES = {"pytorch_lightning": "lightning", "lightning_fabric": "lightning"}
EXPRESSIONS = {
    "pointed": POINTED, "beginsFrame": BEGINS_FRAME, "lacksFunction": LACKS_FUNCTION, "warned": WARNED,
    "package": PACKAGE, "library": LIBRARY, "passedOn": PASSED_ON, "address": ADDRESS,
}  # fmt: skip


class Line(NamedTuple):
    """A line of a cleaned paste, with the parts of a broken line joined. For the other fields, see `Cleaned`."""

    text: str
    number: int  # line number of its first part in the paste, from 1
    last: int  # line number of its last part
    role: int
    block: int
    failure: int
    rank: str
    raw: str  # its first part as it was printed


@dataclass(frozen=True)
class Frame:
    """One level of a traceback."""

    file: str
    line: int
    function: str | None = None
    code: str | None = None
    package: str | None = None  # package of the file; empty for Python itself, None for the user's own code


@dataclass(frozen=True)
class UserLine:
    """The line of the user's own code at which an error was raised."""

    file: str
    line: int
    function: str | None = None
    code: str | None = None


def lines_of(cleaned: Cleaned) -> list[Line]:
    """The lines of a paste, with the parts of broken lines joined."""
    return _with_whole_frames(_joined(cleaned))


def _joined(cleaned: Cleaned) -> list[Line]:
    lines: list[Line] = []
    parts: list[str] = []
    first = 0
    for at, start in enumerate(cleaned.starts):
        end = cleaned.starts[at + 1] if at + 1 < len(cleaned.starts) else len(cleaned.text)
        if not parts:
            first = at
        parts.append(cleaned.text[start:end])
        if parts[-1].endswith(" ") or end == len(cleaned.text):
            lines.append(
                Line(
                    "".join(parts).rstrip(" "),
                    cleaned.numbers[first],
                    cleaned.numbers[at],
                    cleaned.roles[at],
                    cleaned.blocks[at],
                    cleaned.failures[at],
                    cleaned.ranks[at],
                    cleaned.raws[first],
                )
            )
            parts = []
    return lines


def _with_whole_frames(lines: Sequence[Line]) -> list[Line]:
    """Rejoin frames that were wrapped at the edge although the wrap is not obvious."""
    whole: list[Line] = []
    for line in lines:
        before = whole[-1] if whole else None
        if before and BEGINS_FRAME.match(before.text) and line.number == before.last + 1 and not _function(before.text):
            texts = before.text + line.text, f"{before.text} {line.text}"
            text = next(filter(_function, texts), None) or next(filter(LACKS_FUNCTION.search, reversed(texts)), None)
            if text:
                whole[-1] = before._replace(text=text, last=line.last, role=CODE)
                continue
        whole.append(line)
    return whole


def _function(text: str) -> str | None:
    """The function in a complete frame, or None if the frame is incomplete."""
    match = FRAME.match(text)
    return match and (match["function"] or match["name"] or match["caller"])


def frame_at(lines: Sequence[Line], at: int) -> Frame | None:
    """The frame that starts on a line, with its source, or None if no frame starts there."""
    match = FRAME.match(lines[at].text)
    if not match:
        return None
    parts = match.groupdict()
    file = parts["file"] or parts["path"] or parts["cell"] or parts["input"] or parts["listed"] or parts["scripted"]
    number = parts["line"] or parts["at"] or parts["row"] or parts["number"] or parts["position"]
    function = parts["function"] or parts["name"] or parts["inside"] or parts["called"] or parts["caller"]
    code, pointed = _source(lines, at, parts["listed"] is not None)
    line = int(pointed or number or 0)
    return Frame(file, line, function or parts["method"], code, package_of(file))


def _source(lines: Sequence[Line], at: int, listed: bool) -> tuple[str | None, str | None]:
    """The source of the frame on a line, and its line number if an arrow points to it."""
    code = None
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.role != CODE or FRAME.match(line.text):
            break
        pointed = POINTED.match(line.raw)
        if pointed:
            return pointed["source"][:SOURCE].strip(), pointed["line"]
        if line.text.endswith(HERE) and number > at + 1:
            return lines[number - 1].text[:SOURCE], None
        code = code or line.text[:SOURCE]
    if listed and not lines[at].raw.startswith(QUOTED):
        for number in range(at - 1, -1, -1):  # pytest prints the source above the frame
            line = lines[number]
            if FRAME.match(line.text):
                break
            if line.raw.startswith(QUOTED):
                return line.text[:SOURCE], None
    return code, None


def traceback_of(lines: Sequence[Line], at: int) -> list[Frame]:
    """The frames of the error whose message is on a line, outermost first."""
    mine = [number for number, line in enumerate(lines) if line.rank == lines[at].rank]
    first = last = mine.index(at)
    block = lines[mine[first - 1]].block if first else None
    while first and lines[mine[first - 1]].block == block and lines[mine[first - 1]].role not in RAISED:
        first -= 1
    while last + 1 < len(mine) and lines[mine[last + 1]].block == lines[at].block:
        last += 1
    return _frames([lines[number] for number in mine[first : last + 1]])


def failure_of(lines: Sequence[Line], at: int) -> list[Frame]:
    """The frames of all errors in the same failure and rank as the error on a line."""
    return _frames([line for line in lines if (line.failure, line.rank) == (lines[at].failure, lines[at].rank)])


def _frames(lines: Sequence[Line]) -> list[Frame]:
    return [frame for frame in (frame_at(lines, at) for at in range(len(lines))) if frame]


def user_line(lines: Sequence[Line], at: int) -> UserLine | None:
    """The deepest frame of the user's own code that led to the message on a line, or None if there is none."""
    own = own_frames(lines, at)
    return UserLine(own[-1].file, own[-1].line, own[-1].function, own[-1].code) if own else None


def own_frames(lines: Sequence[Line], at: int, wrapper: bool = False) -> list[Frame]:
    """The frames of the user's own code that led to the message on a line, outermost first.

    Of a `wrapper`, which passes an exception on, those of the whole failure come first.
    """
    if lines[at].role == WARNING:
        warning = WARNED.match(lines[at].text)
        if not warning or package_of(warning["file"]) is not None:
            return []
        code = lines[at + 1].text[:SOURCE] if at + 1 < len(lines) and lines[at + 1].role == CODE else None
        return [Frame(warning["file"], int(warning["line"]), None, code)]
    of_traceback, of_failure = traceback_of(lines, at), failure_of(lines, at)
    for frames in (of_failure, of_traceback) if wrapper else (of_traceback, of_failure):
        own = [frame for frame in frames if frame.package is None]
        if own:
            return own
    return []


def inner_error(lines: Sequence[Line], at: int) -> str:
    """The exception that a wrapper on a line passes on, or empty if the text has none.

    It is the last one below the wrapper in the same failure, or else the first one above it. It is cut, and without
    backticks and the addresses of objects.
    """
    starts = dict.fromkeys(line.block for line in lines if line.role == EXCEPTION and line.failure == lines[at].failure)
    raised = [line for line in lines if line.number in starts and not PASSED_ON.search(line.text)]
    below = [line for line in raised if line.number > lines[at].number]
    chosen = below[-1:] or raised[:1]
    return ADDRESS.sub("0x…", chosen[0].text[:SOURCE]).replace("`", "'") if chosen else ""


def frameworks_of(lines: Sequence[Line], at: int) -> list[str]:
    """The packages in the frames of the failure on a line, outermost first, without repeats."""
    return list(dict.fromkeys(frame.package for frame in failure_of(lines, at) if frame.package))


def package_of(file: str) -> str | None:
    """The installed package that a file belongs to, empty for other files of LIBRARY, None for the user's own code."""
    installed = PACKAGE.match(file)
    if installed:
        return ALIASES.get(installed["package"], installed["package"])
    return "" if LIBRARY.search(file) else None
