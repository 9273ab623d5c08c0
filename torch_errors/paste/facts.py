"""What can be read from an error that no pattern knows: its exception, operation, shapes, dtypes, devices, line.

Only what the text says, in its own words: nothing is concluded. Lengths and counts are bounded, and the time is linear
in the text, whatever it contains. The site reads with the same expressions (website/engine.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from torch_errors.paste.cleaning import CODE, FRAME, LOOSE, RAISED, readings
from torch_errors.paste.frames import Frame, Line, UserLine, lines_of, traceback_of, user_line

# How much of a paste is read, in characters from its end.
WITHIN = 100_000
# The longest message, in characters, and how many values of one kind are told.
MESSAGE, ITEMS = 600, 6
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
# By name, for website/engine.py.
READING = {
    "exception": _EXCEPTION,
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
}


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
class DecidingError:
    """The deciding exception of a paste: of several the last, and a warning only where nothing else was raised."""

    exception: str | None
    message: str  # without an exception: the end of the text, less any code
    frames: list[Frame]  # of its traceback, from the outermost
    place: UserLine | None  # the deepest of them that is the user's own code


def facts(text: str) -> Facts:
    """What can be read from a paste. Time is linear in its length."""
    report = read(text)
    told = report.message
    return Facts(
        exception=report.exception,
        message=told if report.exception else None,
        operation=_operation(report),
        shapes=_labelled(_shapes(told), told),
        dtypes=_labelled(_DTYPE.finditer(told), told),
        devices=_labelled(_DEVICE.finditer(told), told),
        frame=report.place,
    )


def read(text: str) -> DecidingError:
    """Find the deciding exception of a paste, its message and its traceback."""
    lines = lines_of(next(cleaned for cleaned in readings(text[-WITHIN:]) if cleaned.likely))
    if all(line.role == CODE and not FRAME.match(line.text) for line in lines):
        lines = [line._replace(role=LOOSE) for line in lines]  # a message in quotes looks like code
    at, exception, message = _exception(lines)
    if at is None:
        loose = "".join(f"{line.text} " for line in lines if line.role != CODE).rstrip(" ")[-MESSAGE:]
        last = len(lines) - 1
        return (
            DecidingError(None, loose, traceback_of(lines, last), user_line(lines, last))
            if lines
            else DecidingError(None, "", [], None)
        )
    return DecidingError(exception, message, traceback_of(lines, at), user_line(lines, at))


def deciding(lines: Sequence[Line]) -> int | None:
    """The line on which the deciding exception stands; without one the last, None where there is no line."""
    at, _, _ = _exception(lines)
    return at if at is not None or not lines else len(lines) - 1


def _exception(lines: Sequence[Line]) -> tuple[int | None, str | None, str]:
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


def _message(lines: Sequence[Line], at: int, found: re.Match[str]) -> str:
    """The message that follows the type, with its continuation lines."""
    parts = [lines[at].text[found.end() : found.end() + MESSAGE]]
    for line in lines[at + 1 : at + 1 + MESSAGE]:
        if line.role not in RAISED or line.block != lines[at].block or sum(map(len, parts)) >= MESSAGE:
            break
        parts.append(line.text)
    return " ".join(parts)[:MESSAGE].strip(" ")


def _operation(report: DecidingError) -> str | None:
    """The operation that the message names, else the function of PyTorch that raised, with the file it is in."""
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
    """The values, each with the words before it that say what it is; without repeats."""
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
