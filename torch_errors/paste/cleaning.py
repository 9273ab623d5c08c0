"""Cleans pasted text, so that it can be compared with the patterns of the catalog.

A pasted traceback may contain terminal colors, log prefixes, Markdown quotes, box drawings, HTML, the punctuation of a
chat, Windows line ends, and line breaks at the right edge of a terminal. `clean` removes them and records which line
each part came from. A line may have been broken inside a word or at a space; `readings` gives the text for both cases.
Logs may contain several tracebacks, interleaved by ranks; `_Grouper` decides which lines belong together.

The time is linear in the length of the text, whatever it contains.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

# Role of a line, from the weakest to the strongest sign of an error. LOOSE lines have none of the other roles.
CODE, WARNING, LOOSE, EXCEPTION = 0, 1, 2, 3
RAISED = (WARNING, EXCEPTION)
# Maximum number of prefixes removed from one line, which may be a quoted line from the log of a rank.
PREFIXES = 4
# A rule or the edge of a box has at least RULE_SIDES of these characters at its start and at its end, and between them
# at most RULE_TITLE characters of a title.
RULE_BEGINS, RULE_ENDS = "╭╰┌└├+=*─━_-", "─━╮╯┐┘=_*-"
RULE_SIDES, RULE_TITLE = 3, 120
BOX_SIDES = "│┃"
# Characters that editors such as Emacs show at the end of a line that they wrapped.
BROKEN = "\\↩⏎⤶↵"
# Minimum width of a wrapped line, in characters, since terminals and mail programs are at least this wide.
NARROWEST = 40
# Common widths of terminals and mail programs besides multiples of 10.
USUAL = (64, 72, 76, 78, 79, 96, 128, 132)
# Named HTML characters that occur in or around error messages.
ENTITIES = {
    "lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "lsquo": "'", "rsquo": "'", "ldquo": '"',
    "rdquo": '"', "hellip": "…", "ndash": "–", "mdash": "—", "times": "×", "shy": "", "zwnj": "",
}  # fmt: skip
# Punctuation that chats and word processors insert.
PUNCTUATION = {
    "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "−": "-", "：": ": ", "，": ", ",
}  # fmt: skip
# Distance from the code point of an ASCII character to its full-width form.
FULL_WIDTH = 0xFEE0

# The site cleans with the same expressions (website/engine.py). re.ASCII makes them independent of the Unicode version,
# which differs between versions of Python and browsers. `_SPACES` finds the white space that is not ASCII.
ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])"
    r"|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]",
    re.ASCII,
)
_SPACES = re.compile(r"[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]", re.ASCII)
# Invisible characters, such as soft hyphens and zero-width spaces.
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
# Prefixes of a line: quote marks and boxes, ranks, names of workers, times, log levels, pytest's E.
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
# A header or a frame behind a prefix that the next line has, too, apart from its digits: of a container, a scheduler, a
# logger. At most so many different prefixes are removed from the lines of a paste.
_PREFIXED = re.compile(r"(?P<prefix>[^\n]{2,120}?)(?:Traceback \(most recent call last\)|  File \")", re.ASCII)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
SHARED = 8
HEADER = re.compile(r"Traceback \(most recent call last\)", re.ASCII)
# Start of the last line of a traceback, or of what a C++ program prints: the name of the exception.
_EXCEPTION = re.compile(
    r"^(?:- \*\*Exception Message:\*\* )?(?:Uncaught exception |terminate called after throwing an instance of ')?"
    r"(?:[A-Za-z_][\w$]{0,60}\.){0,6}"
    r"(?:[A-Z_a-z]\w{0,60}(?:Error|Exception|Warning|Failed|Failure|Interrupt|Timeout|Unsupported|Exit|Violation|err)"
    r"|Unsupported|UserError|Exception|Warning)"
    r"(?::(?=\s|$)|\s?$|(?=\s?\())",
    re.ASCII,
)
_WARNING = re.compile(r"^\S{1,300}:\d{1,6}: (?:[A-Za-z_]\w{0,60}\.){0,6}\w{0,60}Warning: ", re.ASCII)
# A warning without its place. After the frames of a traceback, it was raised as an exception.
_WARNED = re.compile(r"^(?:[A-Za-z_][\w$]{0,60}\.){0,6}[A-Za-z_]{0,60}Warning(?::|\s?$)", re.ASCII)
# A frame as printed by Python, IPython (before and since version 8), rich, pytest or TorchScript. A path that is not in
# quotes may contain spaces if it starts like a path: `C:\Users\First Last\train.py:3 in main`.
FRAME = re.compile(
    r"^(?:File \"(?P<file>[^\"]{1,400})\", line ?(?P<line>\d{1,9})(?:, ?in ?(?P<function>\S{1,100}))?"
    r"|File (?P<path>(?:[A-Za-z]:)?[^\n\":]{1,400}):(?P<at>\d{1,9}), in (?P<name>[\w.<>]{1,100})"
    r"|(?P<cell>(?:Cell )?In ?\[\d{1,6}\]), line (?P<row>\d{1,9})(?:, in (?P<inside>[\w.<>]{1,100}))?"
    r"|(?P<input>(?:[A-Za-z]:)?(?:[/\\~][^\n\":,]{1,400}|[^\s\":,]{1,400})\.py"
    r"|<ipython-input-[\w-]{1,60}>|Input In \[\d{1,6}\])"
    r",? in (?P<called>[\w.<>]{1,100})\("
    r"|(?P<listed>(?:[A-Za-z]:)?(?:[/\\~][^\n\":,]{1,400}|[^\s\":,]{1,400})\.py):(?P<number>\d{1,9})"
    r"(?::? ?in ?(?P<caller>[\w.<>]{1,100})|:$|: (?:[\w.]{1,100}(?:Error|Exception))$)"
    r"|(?P<scripted>[^\s\":,]{1,300}\.py)\((?P<position>\d{1,9})\): (?P<method>[\w.<>]{1,100}))",
    re.ASCII,
)
# A frame in a C++ stack trace.
_NATIVE = re.compile(r"^frame #\d{1,5}: ", re.ASCII)
_SOURCE = re.compile(r"^\s*(?:raise |return |self\.|torch\.|[\w.]{1,80} ?= ?|\"|'|\d+ │|\^+\s*$|~+\^)", re.ASCII)
# Text between two chained tracebacks, cut so that it matches even if the rest was wrapped to the next line.
CHAIN = re.compile(
    r"During handling of the above exception, another exc"
    r"|The above exception was the direct cause of the foll",
    re.ASCII,
)
# Text before a traceback that a worker, a started process or a rank sent to a process, which then failed with it.
NESTED = re.compile(
    r"Original Traceback \(|^-- Process \d{1,4} terminated with the following error|^traceback : Traceback \(", re.ASCII
)
# A frame of a process started by `multiprocessing`, or of a launcher (torchrun, `accelerate launch`). Such a process
# often fails because its parent or a child failed.
_STARTED = re.compile(r", in (?:spawn_main|_serve_one|launch_agent|simple_launcher)$", re.ASCII)
# Error of a process of which a child has failed. The error of the child is the cause.
CONSEQUENCE = re.compile(r"DataLoader worker \(pid|ProcessExitedException", re.ASCII)
# A progress bar of tqdm. The next output continues on its line.
PROGRESS = re.compile(
    r"\d{1,3}%\|[^|\n\r]{0,200}\| ?[\d.]{1,12}[kMGTB]?/[\d.]{1,12}[kMGTB]?,? ?\[[^\]\n\r]{0,80}\]", re.ASCII
)
# End of a line, a line feed and the start of the next line, if these are certainly parts of one word. A number must not
# continue with `100%|███` or `1 failed`.
_ONE_WORD = re.compile(r"\w-\n\w|\n[,;)\]}]|\d\n\d{1,9}(?:[,.;:)\]x'\"]|$)", re.ASCII)
# Characters that certainly end a word.
_WORD_END = re.compile(r"[,;]$", re.ASCII)
# The expressions by name, for website/engine.py.
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
    "prefixed": _PREFIXED,
    "digits": _DIGITS,
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
    """The text of a paste with single spaces, and, for each of its kept lines, where the line comes from."""

    text: str
    starts: list[int]  # offset in `text` at which each kept line starts
    numbers: list[int]  # line number in the paste, from 1
    roles: list[int]  # CODE, WARNING, LOOSE or EXCEPTION
    blocks: list[int]  # line number at which the exception (or passage of loose text) starts, 0 for the first
    failures: list[int]  # number of the failure, from 0; groups chained exceptions and the exceptions of a job's ranks
    ranks: list[str]  # prefix that identifies the rank that printed the line, empty if there is none
    raws: list[str]  # the line as it was printed
    likely: bool = True  # whether the widths of the lines suggest that they were broken as this reading assumes

    @cached_property
    def has_frames(self) -> bool:
        """Whether a line is a frame of a traceback."""
        ends = [*self.starts[1:], len(self.text)]
        return any(FRAME.match(self.text[start:end].rstrip(" ")) for start, end in zip(self.starts, ends, strict=True))

    def index(self, offset: int) -> int:
        """Index of the kept line that contains an offset of `text`."""
        return max(0, bisect_right(self.starts, offset) - 1)


class _Line(NamedTuple):
    """A non-empty line of a paste."""

    number: int  # line number in the paste, from 1
    raw: str  # the line as it was printed
    rank: str  # rank named in the line's prefixes
    text: str  # the line without prefixes, with single spaces
    width: int  # width without prefixes, in characters
    apart: bool  # whether white space follows the prefixes
    indented: bool  # whether the indent is wider than a wrapped line could have
    marked: bool  # whether an editor marked the line as broken inside a word


def clean(text: str) -> Cleaned:
    """Remove everything that is not the error's own text. Broken lines are joined with a space."""
    return _assemble(_lines(text), ())


def readings(text: str) -> Iterator[Cleaned]:
    """Yield the result of `clean`, and then, if words may have been broken, the text with their parts joined."""
    lines = _lines(text)
    broken = _broken(lines)
    even = _even([lines[at].width for at in broken])
    yield replace(_assemble(lines, ()), likely=not even)
    if broken:
        yield replace(_assemble(lines, broken), likely=even)


def plain(text: str) -> str:
    """Remove colors, progress bars, HTML and the punctuation of chats. The lines stay the same."""
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
    # Line ends become spaces, since they would change the line numbers. Surrogates are not characters and stay as is.
    return " " if code < 0x20 or code == 0x85 or 0x2028 <= code <= 0x2029 else _character(code) or match[0]


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else ""


def _typewritten(match: re.Match[str]) -> str:
    return PUNCTUATION.get(match[0]) or chr(ord(match[0]) - FULL_WIDTH)


def _lines(text: str) -> list[_Line]:
    """The lines of a paste that are neither empty nor rules."""
    lines = []
    raws = LINE_END.split(plain(text))
    for number, (raw, (rank, content)) in enumerate(zip(raws, _without_shared([*map(_split, raws)]), strict=True), 1):
        line = " ".join(content.split())
        if line and not _is_rule(line):
            marked = line[-1] in BROKEN and len(content) >= NARROWEST
            if marked:
                line = line[:-1]
                marked = line[-1:] != " "
            apart, indented = content[0].isspace(), len(content) > 1 and content[:2].isspace()
            lines.append(_Line(number, raw, rank, line.rstrip(), len(content), apart, indented, marked))
    return lines


def _broken(lines: Sequence[_Line]) -> set[int]:
    """Indices of the lines that may continue in the next line without a space.

    All parts of a broken line except the last are equally wide, the last is not wider, and none starts like a line of a
    traceback. False positives are harmless: no pattern matches only because of a wrong join.
    """
    broken: set[int] = set()
    for at, (line, after) in enumerate(pairwise(lines)):
        if after.number != line.number + 1 or line.width < NARROWEST or after.apart or after.width > line.width:
            continue
        if at - 1 in broken and line.width < lines[at - 1].width:  # the last part of the broken line before
            continue
        if not _starts_traceback_part(after.text):
            broken.add(at)
    return broken


def _even(widths: Sequence[int]) -> bool:
    """Whether lines of these widths were broken at a fixed column, not at the space before it."""
    if len(widths) == 1:
        return widths[0] % 10 == 0 or widths[0] in USUAL
    return 2 * max(Counter(widths).values(), default=0) > len(widths)


def _starts_traceback_part(line: str) -> bool:
    """Whether a line starts a part of a traceback, which shows that it does not continue the line before."""
    return bool(
        HEADER.match(line) or CHAIN.match(line) or _EXCEPTION.match(line) or _WARNING.match(line) or FRAME.match(line)
    )


def _assemble(lines: Sequence[_Line], broken: Container[int]) -> Cleaned:
    """Join the lines into one text. Lines whose index is in `broken` continue in the next line without a space."""
    cleaned = Cleaned("", [], [], [], [], [], [], [])
    grouper = _Grouper()
    parts: list[str] = []
    offset, role, joined = 0, LOOSE, False
    for at, line in enumerate(lines):
        if not joined:
            role = grouper.role(line, line.text if at not in broken else _whole(lines, broken, at))
        joined = at in broken
        in_word = (joined and not _WORD_END.search(line.text[-1:])) or _in_word(lines, at)
        text = line.text if in_word else f"{line.text} "
        parts.append(text)
        cleaned.starts.append(offset)
        cleaned.numbers.append(line.number)
        cleaned.roles.append(role)
        cleaned.blocks.append(grouper.stream.block)
        cleaned.failures.append(grouper.stream.failure)
        cleaned.ranks.append(grouper.stream.rank)
        cleaned.raws.append(line.raw)
        offset += len(text)
    return replace(cleaned, text="".join(parts))


@dataclass
class _Stream:
    """State after the lines read so far of one rank, or of the lines without a rank."""

    rank: str
    failure: int = 0
    before: int = 0  # number of the failure before the current one
    block: int = 0
    role: int = LOOSE
    in_frames: bool = False
    open: bool = False  # whether the next exception belongs to this failure
    started: bool = False  # whether the traceback comes from a process that was started by a different process


@dataclass
class _Grouper:
    """Goes through the lines of a text, groups them into exceptions, and groups the exceptions into failures.

    A failure groups exceptions that Python chained, an exception sent to a different process with the exception that it
    caused there, and the exceptions of all ranks until a rank raises for a second time.
    """

    streams: dict[str, _Stream] = field(default_factory=dict)
    stream: _Stream = field(default_factory=lambda: _Stream(""))  # stream of the last line
    failure: int = 0
    failed: set[str] = field(default_factory=set)  # ranks with an exception in the current failure
    child: int | None = None  # number of the failure in which a started process last failed

    def role(self, line: _Line, whole: str) -> int:
        """Return the role of a line, and make `stream` its stream. `whole` is the line with its other parts joined."""
        header, chain = HEADER.search(whole), CHAIN.search(whole)
        exception, warning = _EXCEPTION.match(whole), _WARNING.match(whole)
        frame = FRAME.match(whole) or _NATIVE.match(whole)
        if line.rank or header or chain or exception or warning or frame:  # other lines continue the line before
            self.stream = self.streams.setdefault(line.rank, _Stream(line.rank, self.failure, self.failure))
        stream = self.stream
        if chain or NESTED.search(whole):
            stream.open = True
        if header or chain:
            self._start_failure()
            stream.block, stream.role, stream.in_frames, stream.started = line.number, LOOSE, bool(header), False
            return LOOSE
        if warning or (exception and not stream.in_frames and _WARNED.match(whole)):
            stream.block, stream.role, stream.in_frames = line.number, WARNING, False
        elif exception:
            self._start_failure()
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
        elif stream.role == WARNING and line.indented:  # the source line of the warning, which is its last line
            stream.block, stream.role = line.number, LOOSE
            return CODE
        elif stream.in_frames or (stream.role == LOOSE and _SOURCE.match(line.raw)):
            return CODE
        return stream.role

    def _start_failure(self) -> None:
        """Start a new failure for a traceback or an exception, unless it belongs to the current failure."""
        stream = self.stream
        if stream.open:
            return
        if self.failed & {stream.rank, ""}:
            self.failure += 1
            self.failed.clear()
        stream.before, stream.failure, stream.open = stream.failure, self.failure, True


def _whole(lines: Sequence[_Line], broken: Container[int], at: int) -> str:
    """A broken line with all its parts joined."""
    parts = [lines[at].text]
    while at in broken:
        at += 1
        parts.append(lines[at].text)
    return "".join(parts)


def _in_word(lines: Sequence[_Line], at: int) -> bool:
    """Whether a line was certainly broken inside a word: after a hyphen, in a number, or marked by an editor."""
    line = lines[at]
    if line.width < NARROWEST or at + 1 == len(lines):
        return False
    after = lines[at + 1]
    if after.number != line.number + 1 or after.apart:
        return False
    return line.marked or _ONE_WORD.search(f"{line.text[-2:]}\n{after.text[:12]}") is not None


def inside(line: str) -> str:
    """A line without prefixes and without the white space at its end."""
    return _split(line)[1]


def _split(line: str) -> tuple[str, str]:
    """Return the rank in a line's prefixes, and the line without prefixes and without the white space at its end."""
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


def _without_shared(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Remove the prefixes that the lines of a traceback share. One with the same digits throughout names a rank."""
    shared: dict[str, tuple[re.Pattern[str], str]] = {}
    for (_, content), (_, after) in pairwise(lines):
        match = _PREFIXED.match(content) if HEADER.search(content) or '  File "' in content else None
        if match and match["prefix"].strip() and len(shared) < SHARED:
            prefix = match["prefix"]
            pieces = _DIGITS.split(prefix)
            source = "[0-9]{1,30}".join(map(re.escape, pieces))
            pattern = re.compile(source, re.ASCII)
            if pattern.match(after):
                shared.setdefault(source, (pattern, prefix if len(pieces) > 1 and after.startswith(prefix) else ""))
    for at, (rank, content) in enumerate(lines) if shared else ():
        found = next(((match, same) for one, same in shared.values() if (match := one.match(content))), None)
        if found:
            match, same = found
            lines[at] = (rank + (match[0].strip() if same else ""), content[match.end() :])
    return lines


def _is_rule(line: str) -> bool:
    """Whether a stripped line is a rule or the edge of a box. A regular expression would take quadratic time."""
    left = len(line) - len(line.lstrip(RULE_BEGINS))
    right = len(line) - len(line.rstrip(RULE_ENDS))
    if left < len(line) - right and not line[:left].strip("*_"):  # bold text in Markdown
        return False
    return len(line) >= 2 * RULE_SIDES and min(left, right) >= RULE_SIDES and len(line) - left - right <= RULE_TITLE
