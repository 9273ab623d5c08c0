"""Series of named numbers in the text of a training log.

A line is read from number to number: what is written before a number names it (`loss: 0.3`, `'loss': '0.3'`,
`Loss 0.3 (0.4)`, `| loss | 0.3 |`), or the column of a table does. The words of a name give its kind and whether it is
of training, validation or test; otherwise the words before it in the line do. Numbers of unknown kinds are left out.

The time is linear in the length of the text: what is read of lines, names and texts is limited (`logs.toml`).
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from torch_errors.paste.cleaning import ANSI, LINE_END

TRAIN, VALIDATION, TEST = "train", "validation", "test"
# Units of memory, in MiB.
UNITS = {"G": 1024.0, "M": 1.0, "K": 1 / 1024}
# Kinds of numbers that say where a row is, or nothing.
_NO_NUMBERS = ("epoch", "step", "")
# What moves the cursor up, and so begins a line.
UP = "\x1b[A"

# A number with its unit and total (`311/ 5000`), which is no part of a word, a time, a date or a version.
_NUMBER = re.compile(
    r"(?<![\w.@%-])(?<!\d[:/])(?P<number>[-+]?(?:\d{1,40}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?)"
    r"(?:(?P<total>\s{0,4}/\s{0,8}\d{1,15})|(?P<unit>\s?(?:[GMK]i?B?|B|ms|us|secs?|s|%)(?![\w/])))?"
    r"(?![\w@.]|[:-]\d|\s{0,4}/\s{0,8}[\d.]|\s\d{1,2}:\d\d)"
    r"|(?<![\w.-])(?P<odd>[-+]?(?:[nN][aA][nN]|[iI]nf(?:inity)?|INF))(?![\w(/-])",
    re.ASCII,
)
# The place of a row in Chinese: 第 3 轮, 第 20 步.
_ORDINAL = re.compile(r"第\s?(\d{1,9})\s?(轮|步|个)", re.ASCII)
# What timm writes before the number of an epoch.
_EPOCH = re.compile(r"\s{0,9}Train: $", re.ASCII)
# What may be between a name and its number besides `:`, `=` and white space.
_WRAPPED = re.compile(r"(?:\b(?:tensor|array|float\d\d))?\([\s\[]{0,3}$", re.ASCII)
_AVERAGE = re.compile(r"\s{0,3}\(\s{0,6}(?:(?:avg|mean|average)[:=]?\s{0,3})?$", re.ASCII)
_IN_BRACKETS = re.compile(r"\s?\([^()]{0,20}\)$", re.ASCII)
# What separates a name from the text before it.
_BEFORE_NAME = re.compile(r"[,;|\[\]{}()\t\"'`<>:=]|\s-\s|\s\s|^[-*#>\s]+", re.ASCII)
_AFTER_NAME = re.compile(r"[\s\"'`*$~]+$", re.ASCII)
_WORD = re.compile(r"[a-z]+", re.ASCII)
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z])", re.ASCII)
_PATH = re.compile(r"^[!-/:-@\[-^{-~]|\.(?:py|sh|cpp|egg|yaml|json)\b|://", re.ASCII)
# A number that is part of the name before it, such as that of a head in `Prec@1 001 97.5`.
_TAG = re.compile(r"0\d+$", re.ASCII)
# Which part of the data the rest of a line is about.
_SPLIT = re.compile(
    r"(?<![\w./-])(?:(?P<train>train(?:ing)?)|(?P<validation>val(?:id(?:at(?:e|ion|ing))?)?|eval(?:uation|uate)?)"
    r"|(?P<test>test(?:ing)?))(?![\w./-])",
    re.ASCII | re.IGNORECASE,
)
_BAR = re.compile(r"%\||\[[=>.\s]{8}|(?:it/s|s/it)\b", re.ASCII)
# A progress bar behind the cells of a row.
_BAR_BEHIND = re.compile(r":?\s{0,9}\d{1,3}%\|", re.ASCII)
_RULER = re.compile(r"[\s|:+=─━_-]*$", re.ASCII)
# What separates the cells of a table, in the order in which it is tried.
STYLES = {
    "|": re.compile(r"\|"),
    "\t": re.compile(r"\t"),
    ",": re.compile(","),
    "wide": re.compile(r"\s\s+", re.ASCII),
}
STYLES[" "] = re.compile(r"\s+", re.ASCII)
# A cell that is a number, or empty.
_CELL = re.compile(
    r"(?P<number>[-+]?(?:\d{1,40}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?|[-+]?(?:[nN][aA][nN]|[iI]nf))"
    r"(?P<total>/\d{1,9})?(?P<unit>[GMK%s]?)$",
    re.ASCII,
)
_ALARM = re.compile(
    r"\bloss (?:is|became|becomes|has become) (?:infinite or )?nan\b|\bnon-?finite loss\b|\bnan loss\b"
    r"|\bnan or inf(?:inite)?(?: found)? in (?:the )?loss\b",
    re.ASCII | re.IGNORECASE,
)
_OVERFLOW = re.compile(r"gradient overflow|overflow!|skipping step|found_inf", re.ASCII | re.IGNORECASE)
# Punctuation and white space of chats and Chinese texts.
_SIGNS = str.maketrans("‘’“”：，；＝｜（）\xa0\u3000\u2009\u202f\ufeff", "''\"\":,;=|()     ")
EXPRESSIONS = {
    "number": _NUMBER, "wrapped": _WRAPPED, "average": _AVERAGE, "inBrackets": _IN_BRACKETS, "beforeName": _BEFORE_NAME,
    "afterName": _AFTER_NAME, "word": _WORD, "camel": _CAMEL, "path": _PATH, "tag": _TAG, "epoch": _EPOCH,
    "ordinal": _ORDINAL, "split": _SPLIT, "bar": _BAR, "barBehind": _BAR_BEHIND, "ruler": _RULER, "cell": _CELL,
    "alarm": _ALARM, "overflow": _OVERFLOW,
}  # fmt: skip
SIGNS = {chr(sign): put if isinstance(put, str) else chr(put) for sign, put in _SIGNS.items()}


@cache
def known() -> dict[str, Any]:
    """The names, limits, texts and rules in `logs.toml`."""
    return tomllib.loads(Path(__file__).with_name("logs.toml").read_text(encoding="utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """A list of words in `logs.toml`, or the words of several lists."""
    return frozenset(" ".join(known()["names"][one] for one in name.split()).split())


class Place(NamedTuple):
    """Where a number is: its epoch and its step as printed, if they are known, and the number of its row from 1."""

    epoch: str | None
    step: str | None
    row: int


class Name(NamedTuple):
    """A name of numbers: its kind, empty if they are no observation, its words, and the part of the data it names."""

    text: str
    kind: str
    words: frozenset[str]
    split: str


@dataclass
class Series:
    """The numbers of one name, in their order."""

    name: str
    kind: str
    split: str  # TRAIN, VALIDATION, TEST, or empty if unknown
    average: bool  # whether it is the second number of `loss 0.3 (0.4)`
    words: frozenset[str]
    values: list[float] = field(default_factory=list)
    raws: list[str] = field(default_factory=list)  # the values as printed
    places: list[Place] = field(default_factory=list)
    overflows: int = 0  # lines that tell an overflow, up to the last value

    @property
    def is_main(self) -> bool:
        """Whether it is a loss as a whole, and not one of several."""
        return self.words <= listed("ordinary train validation test")


@lru_cache(maxsize=4096)
def name_of(text: str) -> Name | None:
    """Return a name with its kind, or None if that is unknown. The words of `valLoss_G` are val, loss and g."""
    if len(text) > known()["limits"]["name"] or _PATH.search(text):
        return None
    english = text
    for chinese, translated in known()["chinese"].items():
        english = english.replace(chinese, translated)
    words = frozenset(_WORD.findall(_CAMEL.sub(" ", english).lower()))
    for kind, alternatives in _kinds():
        if any(words >= all_of for all_of in alternatives):
            splits = (split for split in (VALIDATION, TEST, TRAIN) if words & listed(split))
            return Name(text, kind, words, next(splits, ""))
    return None


@cache
def _kinds() -> list[tuple[str, list[frozenset[str]]]]:
    return [(row["kind"], [frozenset(words.split("+")) for words in row["words"].split()]) for row in known()["kinds"]]


@lru_cache(maxsize=4096)
def _named(gap: str) -> tuple[Name | None, bool]:
    """Return the name at the end of a text before a number, and whether a list of numbers begins there."""
    gap = gap.rstrip(" ")
    text = _AFTER_NAME.sub("", _WRAPPED.sub("", gap.rstrip("[ ")))
    separated = text[-1:] in (":", "=", "|")
    text = _IN_BRACKETS.sub("", _AFTER_NAME.sub("", text.rstrip(":=| ")))
    words = _BEFORE_NAME.split(text)[-1].split()
    while words and words[-1].lower() in listed("filling"):
        words.pop()
    linked = [at for at, word in enumerate(words) if word.lower() in listed("links")]
    words = words[linked[-1] + 1 if linked else 0 :][-known()["limits"]["words"] if separated else -2 :]
    name = name_of(" ".join(words))
    last = name_of(words[-1]) if name and len(words) > 1 and not separated else None
    if name and last and last.kind == name.kind and last.split == name.split:
        name = last
    return name, gap.endswith("[")


class Reader:
    """Collects the series while it reads line by line. `text` must get whole lines."""

    def __init__(self) -> None:
        self.series: dict[tuple[str, str, bool], Series] = {}
        self.count = 0
        self.epoch: str | None = None
        self.step: str | None = None
        self.heading = ""  # part of the data that the line above announced
        self.head: list[Name | None] = []  # columns of the table
        self.style = ""  # what separates its cells
        self.overflows = 0
        self.alarm = ""

    def text(self, text: str) -> None:
        """Read the lines of a text."""
        for line in LINE_END.split(ANSI.sub(lambda match: "\n" if match[0] == UP else "", text).translate(_SIGNS)):
            line = _ORDINAL.sub(lambda found: f"{'step' if found[2] == '步' else 'epoch'} {found[1]};", line)
            self.line(line[: known()["limits"]["line"]])

    def line(self, line: str) -> None:
        if not line.strip():
            self.heading = ""
            return
        if _OVERFLOW.search(line):
            self.overflows += 1
        if not self.alarm and _ALARM.search(line):
            self.alarm = line.strip()
        if self.head and self._row(line):
            return
        found = [*_NUMBER.finditer(line)]
        if not found or _BAR_BEHIND.search(line):
            self._maybe_head(line)
        if found:
            self._pairs(line, found)
        elif len(line) < known()["limits"]["gap"] and (split := _last_split(line)):
            self.heading = split

    def _pairs(self, line: str, found: list[re.Match[str]]) -> None:
        """Read the numbers of a line, each named by the text before it."""
        split, end, listing = "", 0, False
        epochs: list[str] = []
        steps: list[str] = []
        unnamed: list[str] = []  # of the form 20/500
        told: list[tuple[Name, str, str, bool, str]] = []
        before: tuple[Name, str, str, bool, str] | None = None
        for match in found:
            gap, raw, total = line[end : match.start()], match["number"] or match["odd"], match["total"]
            name, begins = _named(gap[-known()["limits"]["gap"] :])
            if match["odd"] and (not name or name.kind in _NO_NUMBERS):
                continue
            split, end = _last_split(gap) or split, match.end()
            if listing and not name and gap.strip() == ",":
                told.append((*told[-1][:2], raw, False, ""))
                continue
            average = before if not name and not match["unit"] and _AVERAGE.match(gap) else None
            before, listing = None, False
            if average:
                told.append((*average[:2], raw, True, ""))
            elif not name and not told and _EPOCH.match(gap):
                epochs.append(raw)
            elif not name:
                unnamed += [raw] if total and not told else []
            elif name.kind == "epoch":
                epochs.append(raw)
            elif name.kind == "step":
                steps += [raw] if raw.isdecimal() or not steps else []
            elif name.kind and not (gap[-1:] == " " and _TAG.match(raw)):
                if total and name.kind == "accuracy":
                    share = float(raw) / max(1.0, float(total.strip(" \t/")))
                    share = math.floor(min(share, 1000) * 10000 + 0.5)
                    raw = f"{share // 10000}.{share % 10000:04d}"
                before, listing = (name, name.split or split, raw, False, match["unit"] or ""), begins
                told.append(before)
        if len(unnamed) > 1 and not epochs:
            epochs.append(unnamed.pop(0))
        steps = steps or unnamed[:1]
        if epochs or steps:
            self.heading = ""
            self.epoch, self.step = epochs[-1] if epochs else self.epoch, steps[-1] if steps else None
        placed, bar = bool(epochs or steps), bool(_BAR.search(line))
        for name, part, raw, is_average, unit in told:
            self._add(name, part or self.heading, raw, is_average, unit.strip(), placed, bar)

    def _add(self, name: Name, split: str, raw: str, average: bool, unit: str, placed: bool, bar: bool) -> None:
        """Append a number to its series. `placed`: whether its line says where it is, `bar`: or is a progress bar."""
        limits, key = known()["limits"], (name.text.lower(), split, average)
        if self.count == limits["values"] or (key not in self.series and len(self.series) == limits["series"]):
            return
        series = self.series.setdefault(key, Series(name.text, name.kind, split, average, name.words))
        place = Place(self.epoch, self.step, len(series.values) + 1)
        if series.values:
            same, again = series.raws[-1] == raw, placed and series.places[-1][:2] == place[:2]
            # Bars repeat what they have told, and the processes of a job repeat each other.
            within = (
                bar and series.places[-1].epoch == place.epoch and (split == VALIDATION or series.kind == "accuracy")
            )
            if same and (again or within):
                return
            if again and bar:
                place = series.places.pop()
                series.values.pop(), series.raws.pop()
        self.count += 1
        sized = name.kind == "memory" and unit[:1] in UNITS
        series.values.append(float(raw) * (UNITS[unit[:1]] if sized else 1.0))
        series.raws.append(raw + unit[:1] if sized else raw)
        series.places.append(place)
        series.overflows = self.overflows

    def _maybe_head(self, line: str) -> None:
        """Read a line as the head of a table, if it has the names of at least two observations."""
        for style in STYLES:
            names = [name_of(cell[: known()["limits"]["name"] + 1].replace("(", " ")) for cell in _cut(line, style)]
            if sum(bool(name and name.kind) for name in names) > 1 and "=" not in line:
                self.head, self.style = names, style
                return

    def _row(self, line: str) -> bool:
        """Read a line as a row of the table, if it is one."""
        if _RULER.match(line):
            return True
        cells = _cut(line, self.style)
        if self.style == "wide" and len(cells) != len(self.head):
            cells = _cut(line, " ")
        if len(cells) == len(self.head) + 1 and self.style in ("wide", " "):
            cells.pop()  # the size of images before YOLO's bar
        read = [_CELL.match(cell) for cell in cells]
        columns = [(name, match) for name, match in zip(self.head, read, strict=False) if name and match]
        places = {name.kind: match["number"] for name, match in columns if name.kind in ("epoch", "step")}
        columns = [(name, match) for name, match in columns if name.kind not in _NO_NUMBERS]
        filled = sum(cell not in known()["table"]["gaps"] for cell in cells)
        if len(cells) != len(self.head) or not columns or 2 * sum(map(bool, read)) < filled:
            return False
        if places:
            self.heading, self.epoch, self.step = "", places.get("epoch"), places.get("step")
        for name, match in columns:
            self._add(name, name.split, match["number"], False, match["unit"], bool(places), False)
        return True


def _cut(line: str, style: str) -> list[str]:
    """The cells of a row, without the progress bar behind them."""
    line = _BAR_BEHIND.split(line)[0].strip()
    cells = STYLES[style].split(line.strip("|") if style == "|" else line)
    return [cell.strip(" \t\"'*") for cell in cells]


def _last_split(text: str) -> str:
    """The part of the data that a text names last, or an empty text."""
    found = ""
    for match in _SPLIT.finditer(text):
        found = match.lastgroup or ""
    return found


def read_series(text: str) -> tuple[list[Series], str]:
    """Read the series of a text, and the first line that says in words that the loss is NaN, or an empty text."""
    reader = Reader()
    reader.text(text)
    return list(reader.series.values()), reader.alarm
