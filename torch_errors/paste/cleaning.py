"""What people paste, made comparable.

A traceback arrives with terminal colours, log prefixes, Markdown quotes, box drawings, HTML, the punctuation of a chat,
Windows line ends, and line breaks where a terminal had its right edge. `clean` takes all that away and says which line
each part came from. Whether a line was broken in a word or at a space cannot be seen; `readings` gives both. Logs hold
several tracebacks, which ranks may print at the same time: `_Following` says which belong together.

Linear in the length of the text, whatever the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

# Role of a stretch of text, from the weakest to the strongest sign of an error.
CODE, WARNING, LOOSE, EXCEPTION = 0, 1, 2, 3
RAISED = (WARNING, EXCEPTION)
# How many prefixes are taken from one line: a quote of a log of a rank.
PREFIXES = 4
# A rule or the edge of a box: it begins and ends with at least three of these, and between them fits a title.
RULE_BEGINS, RULE_ENDS = "╭╰┌└├+=*─━_-", "─━╮╯┐┘=_*-"
RULE_SIDES, RULE_TITLE = 3, 120
BOX_SIDES = "│┃"
# What editors draw where they broke a line: Emacs at its end, Vim and others at its end or before the rest.
BROKEN = "\\↩⏎⤶↵"
# A terminal or a mail program with fewer columns than these breaks no lines.
NARROWEST = 40
# Widths of terminals and mail programs that are no round numbers.
USUAL = (64, 72, 76, 78, 79, 96, 128, 132)
# Named characters of HTML that stand in errors, or around them.
ENTITIES = {
    "lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "lsquo": "'", "rsquo": "'", "ldquo": '"',
    "rdquo": '"', "hellip": "…", "ndash": "–", "mdash": "—", "times": "×", "shy": "", "zwnj": "",
}  # fmt: skip
# Punctuation of chats and word processors.
PUNCTUATION = {
    "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "−": "-", "：": ": ", "，": ", ",
}  # fmt: skip
# Full-width forms of ASCII lie this far above it.
FULL_WIDTH = 0xFEE0

# The site cleans with the same expressions (website/engine.py). With re.ASCII they do not depend on the version of
# Unicode, which differs between Pythons and browsers; `_SPACES` has made every white space one of ASCII before.
ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])"
    r"|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]",
    re.ASCII,
)
_SPACES = re.compile(r"[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]", re.ASCII)
# Where a line may be broken, and other marks that take no room.
_NOTHING = re.compile(r"[\xad\u200b-\u200d\u2060\ufeff]", re.ASCII)
_BREAK = re.compile(r"<br ?/?>", re.ASCII)
_TAG = re.compile(
    r"</?(?:span|pre|code|div|p|font|strong|em|blockquote|samp|tt|td|tr|a(?=[\s>]))(?:\s[^<>]{0,300})?>|<wbr ?/?>",
    re.ASCII,
)
_ENTITY = re.compile(
    r"&(?:amp;){0,2}(?:#(?P<decimal>\d{1,6})|#[xX](?P<hexadecimal>[0-9A-Fa-f]{1,5})|(?P<name>[a-z]{2,6}));", re.ASCII
)
_PUNCTUATION = re.compile(r"[‘’‚“”„‐‑−]|[\uff01-\uff5e]", re.ASCII)
LINE_END = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]", re.ASCII)
# What stands before the text of a line: quotes and boxes, ranks, worker names, times, log levels, pytest's E.
_PREFIX = re.compile(
    r"""\s*(?:
        [>│┃|❱↪↳]\s?                                          # Markdown quote, box
      | (?P<rank>\[(?:default\d*|rank\s?\d+)\](?::\s?|\s)              # torchrun
          | \((?:[A-Za-z_.]{1,40}\s)?(?:pid|ip)=[^)\s]{1,60}(?:,\s[^)]{1,60})?\)\s   # Ray
          | (?:rank|worker|node)[\s_-]?\d{1,4}\s?[:|]\s)
      | \[(?:stderr|stdout|\d{1,4})\](?::\s?|\s)                        # accelerate
      | \d{4}-\d\d-\d\d[T\s]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\s?(?:[-|:]\s)?
      | \d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s(?:[-|:]\s)?
      | (?:stderr|stdout)[:|]\s
      | (?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\s?(?:[:|-]|\s-)\s
      | E\s{2,}(?=\S)
    )""",
    re.VERBOSE | re.ASCII,
)
HEADER = re.compile(r"Traceback \(most recent call last\)", re.ASCII)
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
# The same without its place; below the frames of a traceback it is an exception.
_WARNED = re.compile(r"^(?:[A-Za-z_][\w$]{0,60}\.){0,6}[A-Za-z_]{0,60}Warning(?::|\s?$)", re.ASCII)
# A frame as Python prints it, IPython 8, and before; rich and pytest; TorchScript.
FRAME = re.compile(
    r"^(?:File \"(?P<file>[^\"]{1,400})\", line ?(?P<line>\d{1,9})(?:, ?in ?(?P<function>\S{1,100}))?"
    r"|File (?P<path>(?:[A-Za-z]:)?[^\s\":]{1,400}):(?P<at>\d{1,9}), in (?P<name>[\w.<>]{1,100})"
    r"|(?P<cell>(?:Cell )?In ?\[\d{1,6}\]), line (?P<row>\d{1,9})(?:, in (?P<inside>[\w.<>]{1,100}))?"
    r"|(?P<input>(?:[A-Za-z]:)?[^\s\":,]{1,400}\.py|<ipython-input-[\w-]{1,60}>|Input In \[\d{1,6}\])"
    r",? in (?P<called>[\w.<>]{1,100})\("
    r"|(?P<listed>(?:[A-Za-z]:)?[^\s\":,]{1,400}\.py):(?P<number>\d{1,9})"
    r"(?::? ?in ?(?P<caller>[\w.<>]{1,100})|:$|: (?:[\w.]{1,100}(?:Error|Exception))$)"
    r"|(?P<scripted>[^\s\":,]{1,300}\.py)\((?P<position>\d{1,9})\): (?P<method>[\w.<>]{1,100}))",
    re.ASCII,
)
# What C++ prints of its frames.
_NATIVE = re.compile(r"^frame #\d{1,5}: ", re.ASCII)
_SOURCE = re.compile(r"^\s*(?:raise |return |self\.|torch\.|[\w.]{1,80} ?= ?|\"|'|\d+ │|\^+\s*$|~+\^)", re.ASCII)
# What stands between two chained tracebacks, as far as it is in one line where something broke it.
CHAIN = re.compile(
    r"During handling of the above exception, another exc"
    r"|The above exception was the direct cause of the foll",
    re.ASCII,
)
# Before the traceback that a worker, a started process or a rank sent to the process that failed with it.
NESTED = re.compile(
    r"Original Traceback \(|^-- Process \d{1,4} terminated with the following error|^traceback : Traceback \(", re.ASCII
)
# A frame of a process that `multiprocessing` started, or of a launcher, torchrun or `accelerate launch`. Often it fails
# since the process that started it, or that it started, did.
_STARTED = re.compile(r", in (?:spawn_main|_serve_one|launch_agent|simple_launcher)$", re.ASCII)
# What a process says when one that it started has failed: the error is that one's.
CONSEQUENCE = re.compile(r"DataLoader worker \(pid|ProcessExitedException", re.ASCII)
# A progress bar of tqdm, which stands on the line of what is printed after it.
PROGRESS = re.compile(
    r"\d{1,3}%\|[^|\n\r]{0,200}\| ?[\d.]{1,12}[kMGTB]?/[\d.]{1,12}[kMGTB]?,? ?\[[^\]\n\r]{0,80}\]", re.ASCII
)
# Between two lines, of which the first is written before a line end: what is certainly one word. Not `100%|███` or
# `1 failed`, which are not the rest of a number.
_ONE_WORD = re.compile(r"\w-\n\w|\n[,;)\]}]|\d\n\d{1,9}(?:[,.;:)\]x'\"]|$)", re.ASCII)
# What ends a word for certain.
_WORD_END = re.compile(r"[,;]$", re.ASCII)
# By name, for website/engine.py.
EXPRESSIONS = {
    "ansi": ANSI,
    "spaces": _SPACES,
    "nothing": _NOTHING,
    "break": _BREAK,
    "tag": _TAG,
    "entity": _ENTITY,
    "punctuation": _PUNCTUATION,
    "lineEnd": LINE_END,
    "prefix": _PREFIX,
    "header": HEADER,
    "chain": CHAIN,
    "exception": _EXCEPTION,
    "warning": _WARNING,
    "warned": _WARNED,
    "frame": FRAME,
    "native": _NATIVE,
    "source": _SOURCE,
    "nested": NESTED,
    "started": _STARTED,
    "consequence": CONSEQUENCE,
    "progress": PROGRESS,
    "oneWord": _ONE_WORD,
    "wordEnd": _WORD_END,
}


@dataclass(frozen=True)
class Cleaned:
    """The text of a paste with single spaces, and where its parts come from."""

    text: str
    starts: list[int]  # offset in `text` at which each kept line begins
    numbers: list[int]  # its line number in the paste, from 1
    roles: list[int]  # CODE, WARNING, LOOSE or EXCEPTION
    blocks: list[int]  # the line number at which its exception (or stretch of loose text) begins, 0 for the first
    failures: list[int]  # which failure it belongs to, from 0: exceptions that are chained, or of the ranks of a job
    ranks: list[str]  # what names the rank that printed it, empty where nothing does
    raws: list[str]  # as it was printed
    likely: bool = True  # whether lines were broken as this reading takes it, as far as their widths tell

    def index(self, offset: int) -> int:
        """Which kept line an offset lies in."""
        return max(0, bisect_right(self.starts, offset) - 1)


class _Line(NamedTuple):
    """One line of a paste that holds text."""

    number: int  # in the paste, from 1
    raw: str
    rank: str  # that its prefixes name
    text: str  # without prefixes, with single spaces
    width: int  # in characters, without prefixes
    apart: bool  # whether it begins with white space behind its prefixes
    indented: bool  # whether it begins with more of it than remains where a line was broken at a space
    marked: bool  # whether an editor marked it as broken in a word


def clean(text: str) -> Cleaned:
    """Take away what is not the error's own text. Broken lines are joined with a space."""
    return _assemble(_lines(text), ())


def readings(text: str) -> Iterator[Cleaned]:
    """What `clean` gives; then, where words may have been broken, the same with their parts joined."""
    lines = _lines(text)
    broken = _broken(lines)
    even = _even([lines[at].width for at in broken])
    yield replace(_assemble(lines, ()), likely=not even)
    if broken:
        yield replace(_assemble(lines, broken), likely=even)


def plain(text: str) -> str:
    """A paste without colours, progress bars, HTML and the punctuation of chats; its lines stay."""
    text = ANSI.sub("", text)
    if "%|" in text:
        text = PROGRESS.sub("", text)
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", text))
    if "&" in text:
        text = _ENTITY.sub(_unescaped, text)
    return _PUNCTUATION.sub(_typewritten, _NOTHING.sub("", _SPACES.sub(" ", text)))


def _unescaped(match: re.Match[str]) -> str:
    if match["name"]:
        return ENTITIES.get(match["name"], match[0])
    code = int(match["decimal"]) if match["decimal"] else int(match["hexadecimal"], 16)
    # No line ends, which would change the numbers of the lines, and no halves of characters.
    return " " if code < 0x20 or code == 0x85 or 0x2028 <= code <= 0x2029 else _character(code) or match[0]


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else ""


def _typewritten(match: re.Match[str]) -> str:
    return PUNCTUATION.get(match[0]) or chr(ord(match[0]) - FULL_WIDTH)


def _lines(text: str) -> list[_Line]:
    """The lines that hold text."""
    lines = []
    for number, raw in enumerate(LINE_END.split(plain(text)), 1):
        rank, held = _split(raw)
        line = " ".join(held.split())
        if line and not _is_rule(line):
            marked = line[-1] in BROKEN and len(held) >= NARROWEST
            if marked:
                line = line[:-1]
                marked = line[-1:] != " "
            apart, indented = held[0].isspace(), len(held) > 1 and held[:2].isspace()
            lines.append(_Line(number, raw, rank, line.rstrip(), len(held), apart, indented, marked))
    return lines


def _broken(lines: Sequence[_Line]) -> set[int]:
    """The lines that may go on in the next without a space.

    All parts of a broken line but the last are equally wide, the last is not wider, and none begins as lines of
    tracebacks do. That one more line fits this does no harm: a message that only the wrong joint holds is none.
    """
    broken: set[int] = set()
    for at, (line, after) in enumerate(pairwise(lines)):
        if after.number != line.number + 1 or line.width < NARROWEST or after.apart or after.width > line.width:
            continue
        if at - 1 in broken and line.width < lines[at - 1].width:  # the last part of one before
            continue
        if not _begins(after.text):
            broken.add(at)
    return broken


def _even(widths: Sequence[int]) -> bool:
    """Whether lines of these widths were broken at a column, and not at the space before it."""
    if len(widths) == 1:
        return widths[0] % 10 == 0 or widths[0] in USUAL
    return 2 * max(Counter(widths).values(), default=0) > len(widths)


def _begins(line: str) -> bool:
    """Whether something of a traceback begins on a line, so that it is not the rest of the line before."""
    return bool(
        HEADER.match(line) or CHAIN.match(line) or _EXCEPTION.match(line) or _WARNING.match(line) or FRAME.match(line)
    )


def _assemble(lines: Sequence[_Line], broken: Container[int]) -> Cleaned:
    """The text of the lines. Those in `broken`, by their place, go on in the next without a space."""
    cleaned = Cleaned("", [], [], [], [], [], [], [])
    following = _Following()
    parts: list[str] = []
    offset, role, joined = 0, LOOSE, False
    for at, line in enumerate(lines):
        if not joined:
            role = following.role(line, line.text if at not in broken else _whole(lines, broken, at))
        joined = at in broken
        in_word = (joined and not _WORD_END.search(line.text[-1:])) or _in_word(lines, at)
        text = line.text if in_word else f"{line.text} "
        parts.append(text)
        cleaned.starts.append(offset)
        cleaned.numbers.append(line.number)
        cleaned.roles.append(role)
        cleaned.blocks.append(following.stream.block)
        cleaned.failures.append(following.stream.failure)
        cleaned.ranks.append(following.stream.rank)
        cleaned.raws.append(line.raw)
        offset += len(text)
    return replace(cleaned, text="".join(parts))


@dataclass
class _Stream:
    """What the lines of one rank have told so far, or those that name none."""

    rank: str
    failure: int = 0
    before: int = 0  # the failure before this one
    block: int = 0
    role: int = LOOSE
    in_frames: bool = False
    open: bool = False  # whether the next exception belongs to this failure
    started: bool = False  # whether the traceback is of a process that another one started


@dataclass
class _Following:
    """Goes through the lines of a text, and tells which are of one exception, and which exceptions of one failure.

    One failure are exceptions that Python chained, one that was sent to another process and the one that it led to
    there, and the exceptions of all ranks, until one raises again.
    """

    streams: dict[str, _Stream] = field(default_factory=dict)
    stream: _Stream = field(default_factory=lambda: _Stream(""))  # that the last line belongs to
    failure: int = 0
    failed: set[str] = field(default_factory=set)  # the ranks with an exception in this failure
    child: int | None = None  # the failure of the last started process that failed

    def role(self, line: _Line, whole: str) -> int:
        """The role of a line, which `whole` has together with its other parts; `stream` is then that of the line."""
        header, chain = HEADER.search(whole), CHAIN.search(whole)
        exception, warning = _EXCEPTION.match(whole), _WARNING.match(whole)
        frame = FRAME.match(whole) or _NATIVE.match(whole)
        if line.rank or header or chain or exception or warning or frame:  # other lines continue the one before
            self.stream = self.streams.setdefault(line.rank, _Stream(line.rank, self.failure, self.failure))
        stream = self.stream
        if chain or NESTED.search(whole):
            stream.open = True
        if header or chain:
            self._begin()
            stream.block, stream.role, stream.in_frames, stream.started = line.number, LOOSE, bool(header), False
            return LOOSE
        if warning or (exception and not stream.in_frames and _WARNED.match(whole)):
            stream.block, stream.role, stream.in_frames = line.number, WARNING, False
        elif exception:
            self._begin()
            stream.open = False
            self.failed.add(stream.rank)
            if stream.started:
                self.child = stream.failure
            elif self.child is not None and CONSEQUENCE.search(whole):
                stream.failure = self.child
            stream.block, stream.role, stream.in_frames = line.number, EXCEPTION, False
        elif frame:
            if _STARTED.search(whole):
                stream.started = True
                if stream.open:
                    stream.failure = stream.before
            stream.role, stream.in_frames = LOOSE, True
            return CODE
        elif stream.role == WARNING and line.indented:  # the source of the line that warns, which ends the warning
            stream.block, stream.role = line.number, LOOSE
            return CODE
        elif stream.in_frames or (stream.role == LOOSE and _SOURCE.match(line.raw)):
            return CODE
        return stream.role

    def _begin(self) -> None:
        """A traceback, or an exception without one, begins: another failure, unless it belongs to this one."""
        stream = self.stream
        if stream.open:
            return
        if self.failed & {stream.rank, ""}:
            self.failure += 1
            self.failed.clear()
        stream.before, stream.failure, stream.open = stream.failure, self.failure, True


def _whole(lines: Sequence[_Line], broken: Container[int], at: int) -> str:
    """A line with the parts that it was broken into."""
    parts = [lines[at].text]
    while at in broken:
        at += 1
        parts.append(lines[at].text)
    return "".join(parts)


def _in_word(lines: Sequence[_Line], at: int) -> bool:
    """Whether a line certainly ends in a word: at a hyphen, in a number, or where an editor marked it."""
    line = lines[at]
    if line.width < NARROWEST or at + 1 == len(lines):
        return False
    after = lines[at + 1]
    if after.number != line.number + 1 or after.apart:
        return False
    return line.marked or _ONE_WORD.search(f"{line.text[-2:]}\n{after.text[:12]}") is not None


def inside(line: str) -> str:
    """One line without prefixes and without the white space at its end."""
    return _split(line)[1]


def _split(line: str) -> tuple[str, str]:
    """The rank that the prefixes of a line name, and the line without them and without the white space at its end."""
    rank = ""
    for _ in range(PREFIXES):
        match = _PREFIX.match(line)
        if not match:
            break
        rank += (match["rank"] or "").strip()
        line = line[match.end() :]
    line = line.rstrip()
    if line.endswith(tuple(BOX_SIDES)):
        line = line[:-1].rstrip()
    return rank, line


def _is_rule(line: str) -> bool:
    """Whether a stripped line is a rule. Counted, not matched: an expression would try every way to split it."""
    begins = len(line) - len(line.lstrip(RULE_BEGINS))
    ends = len(line) - len(line.rstrip(RULE_ENDS))
    return len(line) >= 2 * RULE_SIDES and min(begins, ends) >= RULE_SIDES and len(line) - begins - ends <= RULE_TITLE
