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
# How many prefixes are taken from one line: a quote of a log of a rank.
PREFIXES = 4
# A rule or the edge of a box: it begins and ends with at least three of these, and between them fits a title.
RULE_BEGINS, RULE_ENDS = "╭╰┌└├+=*─━_-", "─━╮╯┐┘=_*-"
RULE_SIDES, RULE_TITLE = 3, 120
BOX_SIDES = "│┃"

# The site cleans with the same expressions (website/engine.py). With re.ASCII they do not depend on the version of
# Unicode, which differs between Pythons and browsers; `_SPACES` has made every white space one of ASCII before.
_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0e-\x1f\x7f]", re.ASCII
)
_SPACES = re.compile(r"[\xa0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]", re.ASCII)
LINE_END = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]", re.ASCII)
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
    re.VERBOSE | re.ASCII,
)
_HEADER = re.compile(r"Traceback \(most recent call last\)", re.ASCII)
# The line that Python ends a traceback with, or what a program of C++ says: a name, then perhaps the message.
_EXCEPTION = re.compile(
    r"^(?:- \*\*Exception Message:\*\* )?(?:Uncaught exception |terminate called after throwing an instance of ')?"
    r"(?:[A-Za-z_][\w$]{0,60}\.){0,6}"
    r"(?:[A-Z_a-z]\w{0,60}(?:Error|Exception|Warning|Failed|Failure|Interrupt|Timeout|Unsupported|Exit|Violation|err)"
    r"|Unsupported|UserError|Exception|Warning)"
    r"(?::(?=\s|$)|\s?$|(?=\s?\())",
    re.ASCII,
)
_WARNING = re.compile(r"^\S{1,300}:\d{1,6}: (?:[A-Za-z_]\w{0,60}\.){0,6}\w{0,60}Warning: ", re.ASCII)
_FRAME = re.compile(r"^\s*(?:File \"[^\"]{1,400}\", line \d+|\S{1,300}\.py\(\d+\): |frame #\d+: )", re.ASCII)
_SOURCE = re.compile(r"^\s*(?:raise |return |self\.|torch\.|[\w.]{1,80} ?= ?|\"|'|\d+ │|\^+\s*$|~+\^)", re.ASCII)
CHAIN = re.compile(
    r"During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception",
    re.ASCII,
)
# By name, for website/engine.py.
EXPRESSIONS = {
    "ansi": _ANSI,
    "spaces": _SPACES,
    "lineEnd": LINE_END,
    "prefix": _PREFIX,
    "header": _HEADER,
    "chain": CHAIN,
    "exception": _EXCEPTION,
    "warning": _WARNING,
    "frame": _FRAME,
    "source": _SOURCE,
}


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
    lines = LINE_END.split(_SPACES.sub(" ", _ANSI.sub("", text)))
    for number, raw in enumerate(lines, 1):
        line = _strip(raw)
        if not line or _is_rule(line):
            continue
        this = role
        if _HEADER.search(line) or CHAIN.search(line):
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
    for _ in range(PREFIXES):
        match = _PREFIX.match(line)
        if not match:
            break
        line = line[match.end() :]
    line = line.rstrip()
    if line.endswith(tuple(BOX_SIDES)):
        line = line[:-1]
    return " ".join(line.split())


def _is_rule(line: str) -> bool:
    """Whether a stripped line is a rule. Counted, not matched: an expression would try every way to split it."""
    begins = len(line) - len(line.lstrip(RULE_BEGINS))
    ends = len(line) - len(line.rstrip(RULE_ENDS))
    return len(line) >= 2 * RULE_SIDES and min(begins, ends) >= RULE_SIDES and len(line) - begins - ends <= RULE_TITLE
