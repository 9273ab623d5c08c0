"""Reads facts from an error that matches no entry: exception, operation, shapes, dtypes, devices and line.

The facts are quoted from the text, without conclusions. Lengths and counts are bounded, and the time is linear in the
length of the text, whatever it contains. The site uses the same expressions (website/engine.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from torch_errors.paste.cleaning import CODE, FRAME, LOOSE, RAISED, readings
from torch_errors.paste.frames import Frame, Line, UserLine, lines_of, traceback_of, user_line

# Only so many characters at the end of a paste are read.
WITHIN = 100_000
# Maximum length of a message, in characters, and maximum number of values of one kind.
MESSAGE, ITEMS = 600, 6
# The label of a value is searched in so many characters before the value.
BEFORE = 160
# Characters that are stripped from both ends of a label.
AROUND = " ([{<>}])'\"`"

# Type of an exception, as in `RuntimeError: …`, also in the middle of a line.
_EXCEPTION = re.compile(
    r"(?<![\w.$])(?P<type>(?:[A-Za-z_][\w$]{0,60}\.){0,6}(?:[A-Z_a-z]\w{0,60}"
    r"(?:Error|Exception|Warning|Failed|Failure|Interrupt|Timeout|Unsupported|Violation)|Unsupported))"
    r"(?:: ?(?=\S)|:?$)",
    re.ASCII,
)
# Part of a frame's path from the package on, such as `torch/nn/functional.py`.
_TORCH = re.compile(r"(?:^|[\\/])(?P<module>torch(?:vision|audio)?(?:[\\/][\w.-]{1,60}){1,8}\.py)$", re.ASCII)
# Functions that only forward a call or an exception.
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
# A message without any of these words is not about shapes, even if it contains lists of numbers.
_ABOUT_SHAPES = re.compile(r"[Ss]ize|[Ss]hape|[Tt]ensor|[Dd]imension|[Cc]hannel", re.ASCII)
# Text before a list of numbers that isn't a shape (_NO_SHAPE), and before a single number that is one (_SIZED).
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
# Words of the same clause directly before a value, with the brackets and quotes between them and the value.
_LABEL = re.compile(
    r"(?<![^\s,;()])(?P<words>(?:[^\s,;()]{0,39}[^\s,;().] ){0,3}[^\s,;()\[]{0,40})[ (\['\"<`]{0,3}$", re.ASCII
)
# The expressions by name, for website/engine.py.
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
    """Facts quoted from the text of an error; None or empty if the text doesn't contain them."""

    exception: str | None = None  # type of the exception
    message: str | None = None
    operation: str | None = None  # operation given in the message, or the function of PyTorch that raised
    shapes: list[str] = field(default_factory=list)  # shapes with the words before each, such as `Target sizes: [64]`
    dtypes: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    frame: UserLine | None = None  # the last line of the traceback outside of libraries


@dataclass(frozen=True)
class DecidingError:
    """The deciding exception of a paste: the last exception, or if there is none, the last warning."""

    exception: str | None
    message: str  # message of the exception; if there is none, the end of the text, from which code is removed
    frames: list[Frame]  # frames of its traceback, outermost first
    place: UserLine | None  # the deepest frame in the user's own code
    line: int = 1  # line of the paste on which it starts, or the last line if there is no exception


def facts(text: str) -> Facts:
    """Read the facts of the deciding exception of a paste. The time is linear in the length of the text."""
    error = read(text)
    message = error.message
    return Facts(
        exception=error.exception,
        message=message if error.exception else None,
        operation=_operation(error),
        shapes=_labelled(_shapes(message), message),
        dtypes=_labelled(_DTYPE.finditer(message), message),
        devices=_labelled(_DEVICE.finditer(message), message),
        frame=error.place,
    )


def read(text: str) -> DecidingError:
    """Find the exception that a paste is about, which is the last one raised, with its message and its traceback."""
    lines = lines_of(next(cleaned for cleaned in readings(text[-WITHIN:]) if cleaned.likely))
    if all(line.role == CODE and not FRAME.match(line.text) for line in lines):
        lines = [line._replace(role=LOOSE) for line in lines]  # no frames: probably a quoted message, not code
    at, exception, message = _exception(lines)
    if at is None:
        loose = "".join(f"{line.text} " for line in lines if line.role != CODE).rstrip(" ")[-MESSAGE:]
        last = len(lines) - 1
        return (
            DecidingError(None, loose, traceback_of(lines, last), user_line(lines, last), lines[last].number)
            if lines
            else DecidingError(None, "", [], None)
        )
    return DecidingError(exception, message, traceback_of(lines, at), user_line(lines, at), lines[at].number)


def deciding(lines: Sequence[Line]) -> int | None:
    """Index of the line with the deciding exception, of the last line if there is none, or None without lines."""
    at, _, _ = _exception(lines)
    return at if at is not None or not lines else len(lines) - 1


def _exception(lines: Sequence[Line]) -> tuple[int | None, str | None, str]:
    """Index of the line with the deciding exception, its type and its message."""
    warning: tuple[int, re.Match[str]] | None = None
    for at in range(len(lines) - 1, -1, -1):
        # The start of a long line is enough, since a message is cut at MESSAGE characters.
        match = _EXCEPTION.search(lines[at].text[: 2 * MESSAGE]) if lines[at].role != CODE else None
        if match and not match["type"].endswith("Warning"):
            return at, match["type"], _message(lines, at, match)
        if match and not warning:
            warning = at, match
    if warning:
        return warning[0], warning[1]["type"], _message(lines, *warning)
    return None, None, ""


def _message(lines: Sequence[Line], at: int, type_match: re.Match[str]) -> str:
    """The message that follows the type of the exception, with its continuation lines."""
    parts = [lines[at].text[type_match.end() : type_match.end() + MESSAGE]]
    for line in lines[at + 1 : at + 1 + MESSAGE]:
        if line.role not in RAISED or line.block != lines[at].block or sum(map(len, parts)) >= MESSAGE:
            break
        parts.append(line.text)
    return " ".join(parts)[:MESSAGE].strip(" ")


def _operation(error: DecidingError) -> str | None:
    """The operation given in the message, or else the function of PyTorch that raised, with its file."""
    match = _OPERATION.search(error.message)
    if match:
        return next(value for value in match.groups() if value)
    for frame in reversed(error.frames):
        torch = _TORCH.search(frame.file)
        if not torch or not frame.function:
            return None
        if not _PASSING.match(frame.function):
            return f"{frame.function} ({torch['module']})".replace("\\", "/")
    return None


def _shapes(text: str) -> Iterator[re.Match[str]]:
    if not _ABOUT_SHAPES.search(text):
        return
    for match in _SHAPE.finditer(text):
        before = text[max(0, match.start() - BEFORE) : match.start()]
        sizes = match["sizes"]
        if sizes is None or _SIZED.search(before) or (("," in sizes or "x" in sizes) and not _NO_SHAPE.search(before)):
            yield match


def _labelled(values: Iterable[re.Match[str]], text: str) -> list[str]:
    """The values, each with the words before it that describe it, without repeats; at most ITEMS."""
    labelled: dict[str, None] = {}
    end = 0
    for value in values:
        label = _LABEL.search(text[max(end, value.start() - BEFORE) : value.start()])
        words = label["words"].strip(AROUND) if label else ""
        labelled[words + value[0] if not words or words.endswith("=") else f"{words} {value[0]}"] = None
        end = value.end()
        if len(labelled) == ITEMS:
            break
    return list(labelled)
