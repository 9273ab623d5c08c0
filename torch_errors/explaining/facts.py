"""What can be read from an error that no pattern knows: its exception, operation, shapes, dtypes, devices, line.

Only what the text says, in its own words: nothing is concluded. Lengths and counts are bounded, and the time is linear
in the text, whatever it contains. The site reads with the same expressions (website/engine.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from torch_errors.explaining.paste import CODE, LOOSE, RAISED, Cleaned, readings

# How much of a paste is read, in characters from its end.
WITHIN = 100_000
# The longest message and line of code, in characters, and how many values of one kind are told.
MESSAGE, LINE, ITEMS = 600, 200, 6
# How far before a value its label is looked for, in characters.
BEFORE = 160
# What is taken from both ends of a label.
AROUND = " ([{<>}])'\"`"

# `RuntimeError: …`, also in the middle of a line.
_EXCEPTION = re.compile(
    r"(?<![\w.$])(?P<type>(?:[A-Za-z_][\w$]{0,60}\.){0,6}(?:[A-Z_a-z]\w{0,60}"
    r"(?:Error|Exception|Warning|Failed|Failure|Interrupt|Timeout|Unsupported|Violation)|Unsupported))"
    r"(?:: ?(?=\S)|:?$)",
    re.ASCII,
)
_FRAME = re.compile(
    r"^(?:File \"(?P<file>[^\"]{1,400})\", line (?P<line>\d{1,9})(?:, in (?P<function>\S{1,100}))?"
    r"|File (?P<path>(?:[A-Za-z]:)?[^\s\":]{1,400}):(?P<at>\d{1,9}), in (?P<name>[\w.<>]{1,100})"
    r"|(?P<cell>Cell In ?\[\d{1,6}\]), line (?P<row>\d{1,9}))",
    re.ASCII,
)
# Frames of Python and its packages, of launchers, and of PyTorch where it was built from source.
_LIBRARY = re.compile(
    r"(?:site|dist)-packages[\\/]|[\\/]lib(?:64)?[\\/]python\d|[\\/]Lib[\\/]|^<(?!ipython|stdin)|[\\/]bin[\\/]"
    r"|(?:^|[\\/])torch(?:vision|audio)?[\\/]",
    re.ASCII,
)
# `torch/nn/functional.py` of the path of a frame.
_TORCH = re.compile(r"(?:^|[\\/])(?P<module>torch(?:vision|audio)?(?:[\\/][\w.-]{1,60}){1,8}\.py)$", re.ASCII)
# Functions that only pass a call or an exception on.
_PASSING = re.compile(
    r"^(?:_?_?(?:wrapped_)?call(?:_impl)?_?_?|_compile|reraise|_fn|wrapper|decorate_context|__getattr__|<module>)$",
    re.ASCII,
)
_OPERATION = re.compile(
    r"(?P<aten>aten::\w{1,80}(?:\.\w{1,40})?)"
    r"|(?P<dotted>torch(?:\.\w{1,60}){1,6}\(\))"
    r"|^(?P<called>[a-z_]\w{1,80}\(\))(?=[: ])"
    r"|\bFunction '?(?P<node>\w{1,80}Backward\d{0,3})(?!\w)"
    r"|\bwrapper_(?:[A-Z][A-Za-z]{1,20}_)?_?(?P<wrapped>\w{1,80})"
    r"|\bchecking arguments for (?P<checked>\w{1,80})"
    r"|\bthe operator '?(?P<operator>\w{1,80})(?![\w:])"
    r"|\"(?P<kernel>\w{1,80})\"(?= not implemented for)",
    re.ASCII,
)
_SIZE = r"(?:[A-Z]: ?)?(?:-?\d{1,12}|\*)"
_SHAPE = re.compile(
    rf"torch\.Size\(\[(?:{_SIZE}(?:, ?{_SIZE}){{0,9}})?\]\)"
    rf"|[\[(](?P<sizes>{_SIZE}(?:(?:, ?| ?x ?){_SIZE}){{0,9}}),?[\])]"
    r"|(?<![\w.])(?!0x)\d{1,12}(?:x\d{1,12}){1,9}(?!\w)",
    re.ASCII,
)
# A message without one of these is not about shapes, whatever lists of numbers it has.
_ABOUT_SHAPES = re.compile(r"[Ss]ize|[Ss]hape|[Tt]ensor|[Dd]imension|[Cc]hannel", re.ASCII)
# Before a list of numbers that is no shape; before a single number that is one.
_NO_SHAPE = re.compile(
    r"\b(?:range|block|thread|index|indices|device|devices|device_ids|version|errno|error|line|ranks?|dims?|axis|axes"
    r"|positions?|args|padding|stride|kernel_size)[ :=]{0,3}(?:of |to |is |are |got )?$|(?:tensor|array)\($|\[$|\w\)?$",
    re.ASCII,
)
_SIZED = re.compile(
    r"(?:[Ss]izes?|[Ss]hapes?|tensor(?: [ab])?|channels?)[ :=]{0,3}(?:of |is )?$",
    re.ASCII,
)
_DTYPE = re.compile(
    r"(?<![\w.])(?:(?:torch\.)?(?:b?float(?:16|32|64)|float8_\w{1,12}|u?int(?:8|16|32|64)|complex(?:32|64|128))"
    r"|torch\.(?:bool|half|double|float|long|int))(?!\w)"
    r"|(?<=[ '\"(:<`,=])(?<!\. )(?:c10::|torch\.(?:cuda\.)?)?(?:CUDA|CPU)?"
    r"(?:BFloat16|Float|Double|Half|Long|Int|Short|Char|Byte|Bool|Complex(?:Float|Double|Half))(?:Tensor|Type)?(?!\w)",
    re.ASCII,
)
_DEVICE = re.compile(
    r"device\(type='\w{1,20}'(?:, index=\d{1,3})?\)"
    r"|(?<![\w./:-])(?:cuda|xpu|mps|cpu|meta|hpu|npu|xla)(?::\d{1,3})?(?![\w/(-]|:[\w:]|\.\w| runtime| error)",
    re.ASCII,
)
# The words of its clause that stand right before a value, and the brackets and quotes between.
_LABEL = re.compile(
    r"(?<![^\s,;()])(?P<words>(?:[^\s,;()]{0,39}[^\s,;().] ){0,3}[^\s,;()\[]{0,40})[ (\['\"<`]{0,3}$", re.ASCII
)
_ARROW = re.compile(r"^-{2,}> ?\d{0,6} (?P<code>\S.{0,400})", re.ASCII)
# By name, for website/engine.py.
READING = {
    "exception": _EXCEPTION,
    "frame": _FRAME,
    "library": _LIBRARY,
    "torch": _TORCH,
    "passing": _PASSING,
    "operation": _OPERATION,
    "shape": _SHAPE,
    "aboutShapes": _ABOUT_SHAPES,
    "noShape": _NO_SHAPE,
    "sized": _SIZED,
    "dtype": _DTYPE,
    "device": _DEVICE,
    "label": _LABEL,
    "arrow": _ARROW,
}


@dataclass(frozen=True)
class UserLine:
    """A frame of the user's own code."""

    file: str
    line: int
    function: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Facts:
    """What the text of an error says, in its own words; None or empty where it says nothing of the kind."""

    exception: str | None = None  # its type
    message: str | None = None
    operation: str | None = None  # that the message names, or the function of PyTorch that raised
    shapes: list[str] = field(default_factory=list)  # each with the words before it: `Target sizes: [64]`
    dtypes: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    frame: UserLine | None = None  # the last line of the traceback outside of libraries


@dataclass(frozen=True)
class Report:
    """The deciding exception of a paste: of several the last, and a warning only where nothing else was raised."""

    exception: str | None
    message: str  # without an exception the end of the text that is no code
    frames: list[UserLine]  # of its traceback, from the outermost, those of libraries too


def facts(text: str) -> Facts:
    """What can be read from a paste. Time is linear in its length."""
    report = read(text)
    told = report.message
    mine = [frame for frame in report.frames if not _LIBRARY.search(frame.file)]
    return Facts(
        exception=report.exception,
        message=told if report.exception else None,
        operation=_operation(report),
        shapes=_labelled(_shapes(told), told),
        dtypes=_labelled(_DTYPE.finditer(told), told),
        devices=_labelled(_DEVICE.finditer(told), told),
        frame=mine[-1] if mine else None,
    )


def read(text: str) -> Report:
    """Find the deciding exception of a paste, its message and its traceback."""
    lines = _lines(next(cleaned for cleaned in readings(text[-WITHIN:]) if cleaned.likely))
    at, exception, message = _exception(lines)
    if at is None:
        loose = "".join(f"{line.text} " for line in lines if line.role != CODE)
        return Report(None, loose.rstrip(" ")[-MESSAGE:], list(_frames(lines)))
    first = at  # where its traceback begins: where the block does, or behind the exception before
    while first > 0 and lines[first - 1].block == lines[at - 1].block and lines[first - 1].role not in RAISED:
        first -= 1
    return Report(exception, message, list(_frames(lines[first:at])))


class _Line(NamedTuple):
    """One line of a cleaned paste, with what was broken off it."""

    text: str
    role: int
    block: int


def _lines(cleaned: Cleaned) -> list[_Line]:
    lines: list[_Line] = []
    parts: list[str] = []
    for at, start in enumerate(cleaned.starts):
        end = cleaned.starts[at + 1] if at + 1 < len(cleaned.starts) else len(cleaned.text)
        parts.append(cleaned.text[start:end])
        if parts[-1].endswith(" ") or end == len(cleaned.text):
            lines.append(_Line("".join(parts).rstrip(" "), cleaned.roles[at], cleaned.blocks[at]))
            parts = []
    if all(line.role == CODE and not _FRAME.match(line.text) for line in lines):
        return [line._replace(role=LOOSE) for line in lines]  # a message in quotes looks like code
    return lines


def _exception(lines: Sequence[_Line]) -> tuple[int | None, str | None, str]:
    """Number of the line with the deciding exception, its type and its message."""
    warned: tuple[int, re.Match[str]] | None = None
    for at in range(len(lines) - 1, -1, -1):
        # Of a long line the beginning: a message is not longer.
        found = _EXCEPTION.search(lines[at].text[: 2 * MESSAGE]) if lines[at].role != CODE else None
        if found and not found["type"].endswith("Warning"):
            return at, found["type"], _message(lines, at, found)
        if found and not warned:
            warned = at, found
    if warned:
        return warned[0], warned[1]["type"], _message(lines, *warned)
    return None, None, ""


def _message(lines: Sequence[_Line], at: int, found: re.Match[str]) -> str:
    """What stands behind the type, with the lines that belong to it."""
    parts = [lines[at].text[found.end() : found.end() + MESSAGE]]
    for line in lines[at + 1 : at + 1 + MESSAGE]:
        if line.role not in RAISED or line.block != lines[at].block or sum(map(len, parts)) >= MESSAGE:
            break
        parts.append(line.text)
    return " ".join(parts)[:MESSAGE].strip(" ")


def _frames(lines: Sequence[_Line]) -> Iterator[UserLine]:
    for at, line in enumerate(lines):
        found = _FRAME.match(line.text)
        if not found:
            continue
        code = None
        for number in range(at + 1, len(lines)):
            after = lines[number]
            if after.role != CODE or _FRAME.match(after.text):
                break
            arrow = _ARROW.match(after.text)
            if arrow or code is None:
                code = (arrow["code"] if arrow else after.text)[:LINE]
            if arrow:
                break
        yield UserLine(
            found["file"] or found["path"] or found["cell"],
            int(found["line"] or found["at"] or found["row"]),
            found["function"] or found["name"],
            code,
        )


def _operation(report: Report) -> str | None:
    """The one that the message names, else the function of PyTorch that raised, with the file it is in."""
    named = _OPERATION.search(report.message)
    if named:
        return next(value for value in named.groups() if value)
    for frame in reversed(report.frames):
        torch = _TORCH.search(frame.file)
        if not torch or not frame.function:
            return None
        if not _PASSING.match(frame.function):
            return f"{frame.function} ({torch['module']})".replace("\\", "/")
    return None


def _shapes(text: str) -> Iterator[re.Match[str]]:
    if not _ABOUT_SHAPES.search(text):
        return
    for found in _SHAPE.finditer(text):
        before = text[max(0, found.start() - BEFORE) : found.start()]
        sizes = found["sizes"]
        if sizes is None or _SIZED.search(before) or (("," in sizes or "x" in sizes) and not _NO_SHAPE.search(before)):
            yield found


def _labelled(values: Iterable[re.Match[str]], text: str) -> list[str]:
    """Values with the words before them, each once."""
    told: dict[str, None] = {}
    end = 0
    for value in values:
        label = _LABEL.search(text[max(end, value.start() - BEFORE) : value.start()])
        words = label["words"].strip(AROUND) if label else ""
        told[words + value[0] if not words or words.endswith("=") else f"{words} {value[0]}"] = None
        end = value.end()
        if len(told) == ITEMS:
            break
    return list(told)
