"""What people paste, made comparable.

A traceback arrives with terminal colours, log prefixes, Markdown quotes, box drawings, Windows line ends, and line
breaks where a terminal had its right edge. `clean` takes all that away and says which line each part came from.

Linear in the length of the text, whatever the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

# Role of a stretch of text, from the weakest to the strongest sign of an error.
CODE, LOOSE, EXCEPTION = 0, 1, 2

_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0e-\x1f\x7f]"
)
# What stands before the text of a line: quotes and boxes, ranks, worker names, times, log levels, pytest's E.
_PREFIX = re.compile(
    r"""\s*(?:
        [>│┃|❱]\s?                                           # Markdown quote, box
      | \[(?:default\d*|rank\s?\d+|stderr|stdout|\d{1,4})\]:?\s  # torchrun, accelerate
      | \((?:[A-Za-z_.]{1,40}\s)?(?:pid|ip)=[^)\s]{1,60}(?:,\s[^)]{1,60})?\)\s   # Ray
      | (?:rank|worker|node)[\s_-]?\d{1,4}\s?[:|]\s
      | \d{4}-\d\d-\d\d[T\s]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\s?(?:[-|:]\s)?
      | \d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s(?:[-|:]\s)?
      | (?:stderr|stdout)[:|]\s
      | (?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\s?(?:[:|-]|\s-)\s
      | E\s{2,}(?=\S)
    )""",
    re.VERBOSE,
)
_BOX_END = re.compile(r"\s*[│┃]\s*$")
_RULE = re.compile(r"^\s*[╭╰┌└├+=*─━_-]{3,}.{0,120}[─━╮╯┐┘=_*-]{3,}\s*$")
_HEADER = re.compile(r"Traceback \(most recent call last\)")
# The line that Python ends a traceback with, or what a program of C++ says: a name, then perhaps the message.
_EXCEPTION = re.compile(
    r"^(?:- \*\*Exception Message:\*\* )?(?:Uncaught exception |terminate called after throwing an instance of ')?"
    r"(?:[A-Za-z_][\w$]{0,60}\.){0,6}"
    r"(?:[A-Z_a-z]\w{0,60}(?:Error|Exception|Warning|Failed|Failure|Interrupt|Timeout|Unsupported|Exit|Violation|err)"
    r"|Unsupported|UserError|Exception|Warning)"
    r"(?::(?=\s|$)|\s?$|(?=\s?\())"
)
_WARNING = re.compile(r"^\S{1,300}:\d{1,6}: (?:[A-Za-z_]\w{0,60}\.){0,6}\w{0,60}Warning: ")
_FRAME = re.compile(r"^\s*(?:File \"[^\"]{1,400}\", line \d+|\S{1,300}\.py\(\d+\): |frame #\d+: )")
_SOURCE = re.compile(r"^\s*(?:raise |return |self\.|torch\.|[\w.]{1,80} ?= ?|\"|'|\d+ │|\^+\s*$|~+\^)")
_CHAIN = re.compile(
    r"During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception"
)


@dataclass(frozen=True)
class Cleaned:
    """The text of a paste with single spaces, and where its parts come from."""

    text: str
    starts: list[int]  # offset in `text` at which each kept line begins
    numbers: list[int]  # its line number in the paste, from 1
    roles: list[int]  # CODE, LOOSE or EXCEPTION
    blocks: list[int]  # which exception (or stretch of loose text) it belongs to, counted from 0

    def index(self, offset: int) -> int:
        """Which kept line an offset lies in."""
        return max(0, bisect_right(self.starts, offset) - 1)


def clean(text: str) -> Cleaned:
    """Take away what is not the error's own text."""
    parts: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    roles: list[int] = []
    blocks: list[int] = []
    offset, block, role, in_frames = 0, 0, LOOSE, False
    for number, raw in enumerate(_ANSI.sub("", text).splitlines(), 1):
        line = _strip(raw)
        if not line or _RULE.match(line):
            continue
        this = role
        if _HEADER.search(line) or _CHAIN.search(line):
            block += 1
            role, in_frames, this = LOOSE, bool(_HEADER.search(line)), LOOSE
        elif _EXCEPTION.match(line) or _WARNING.match(line):
            block += 1
            role = this = EXCEPTION
            in_frames = False
        elif _FRAME.match(line):
            role, in_frames, this = LOOSE, True, CODE
        elif in_frames or (role != EXCEPTION and _SOURCE.match(raw)):
            this = CODE
        line += " "
        parts.append(line)
        starts.append(offset)
        numbers.append(number)
        roles.append(this)
        blocks.append(block)
        offset += len(line)
    return Cleaned("".join(parts), starts, numbers, roles, blocks)


def _strip(line: str) -> str:
    """One line without prefixes and with single spaces."""
    for _ in range(4):  # prefixes stack: a quote of a log of a rank
        match = _PREFIX.match(line)
        if not match:
            break
        line = line[match.end() :]
    return " ".join(_BOX_END.sub("", line).split())
