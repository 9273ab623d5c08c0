"""From Python's regular expressions to JavaScript's, so that the site searches with the expressions of the program.

`expression` takes what both languages can say alike and refuses the rest: a construct that means something else in
JavaScript would be found by no one until a reader gets the wrong answer.

    \\d \\w \\b      ASCII in both, so the Python expression must carry re.ASCII
    \\s            six characters of ASCII in Python, two dozen in JavaScript: written out
    . ^ and $     both treat other line ends differently: written out, also for re.MULTILINE
    re.IGNORECASE letters of ASCII with re.ASCII, some others too in JavaScript: both cases are written out, also where
                  only a group says so, `(?i:…)`
    names         `(?P<name>…)` becomes `(?<name>…)`, groups without a name capture nothing unless that is asked for
    (?P=name)     only of a group that has matched for certain: where it has not, Python fails and JavaScript goes on
    (?<=…) (?<!…) without groups: JavaScript matches them backwards

The result is for the flag `u`: characters are code points, as in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_UNDERSTOOD_FLAGS = re.UNICODE | re.ASCII | re.VERBOSE | re.MULTILINE | re.IGNORECASE
_SPECIAL = frozenset("^$\\.*+?()[]{}|/")
_SPECIAL_IN_CLASS = frozenset("\\]^-[")
_ASSERTIONS = {c.AT_BEGINNING: "^", c.AT_END: r"(?=\n?$)", c.AT_BOUNDARY: r"\b", c.AT_NON_BOUNDARY: r"\B"}
_OF_LINES = _ASSERTIONS | {c.AT_BEGINNING: r"(?<![^\n])", c.AT_END: r"(?![^\n])"}
_CLASSES = {
    c.CATEGORY_DIGIT: r"\d",
    c.CATEGORY_NOT_DIGIT: r"\D",
    c.CATEGORY_WORD: r"\w",
    c.CATEGORY_NOT_WORD: r"\W",
    c.CATEGORY_SPACE: r"\t-\r ",
    c.CATEGORY_NOT_SPACE: r"\0-\x08\x0e-\x1f!-\u{10ffff}",
}
# By name: the constants of places and of classes are equal numbers.
_DEPEND_ON_ASCII = {what.name for what in (*_CLASSES, c.AT_BOUNDARY, c.AT_NON_BOUNDARY)}


def expression(pattern: re.Pattern[str], *, capture: bool = False) -> str:
    """The source of the same expression in JavaScript.

    `capture`: whether groups without a name capture, too, with the numbers that they have in Python.
    Raises ValueError where it might not be the same.
    """
    if pattern.flags & ~_UNDERSTOOD_FLAGS:
        raise ValueError(f"flags {re.RegexFlag(pattern.flags)!r} of {pattern.pattern!r} have no counterpart here")
    if (pattern.flags & re.IGNORECASE or "(?i:" in pattern.pattern) and not pattern.flags & re.ASCII:
        raise ValueError(f"re.IGNORECASE of {pattern.pattern!r} depends on the version of Unicode; add re.ASCII")
    tree = _parser.parse(pattern.pattern, pattern.flags)
    return _Writer(pattern, capture).whole(tree)


class _Writer:
    """Writes a parsed expression as JavaScript."""

    def __init__(self, pattern: re.Pattern[str], capture: bool) -> None:
        self.pattern = pattern
        self.names = {number: name for name, number in pattern.groupindex.items()}
        self.capture = capture
        self.ignore_case = bool(pattern.flags & re.IGNORECASE)
        self.matched: set[int] = set()  # groups that have matched for certain
        self.captures = 0  # groups that capture, so far

    def whole(self, tree: Any) -> str:
        if len(tree) == 1 and tree[0][0] is c.BRANCH:
            return self.alternatives(tree)
        parts = []
        for code, argument in tree:
            parts.append(self.item(code, argument))
            if code is c.SUBPATTERN:
                self.matched.add(argument[0])
        return "".join(parts)

    def alternatives(self, tree: Any) -> str:
        """A whole expression or the content of a group, which need no brackets around alternatives."""
        if len(tree) == 1 and tree[0][0] is c.BRANCH:
            return "|".join(self.sequence(branch) for branch in tree[0][1][1])
        return self.sequence(tree)

    def sequence(self, tree: Any) -> str:
        return "".join(self.item(code, argument) for code, argument in tree)

    def item(self, code: Any, argument: Any) -> str:
        match code:
            case c.LITERAL:
                if self.ignore_case and _other_case(argument) is not None:
                    return self.character_class([(code, argument)])
                return _character(argument, _SPECIAL)
            case c.NOT_LITERAL:
                return self.character_class([(c.NEGATE, None), (c.LITERAL, argument)])
            case c.ANY:
                return r"[^\n]"
            case c.IN:
                return self.character_class(argument)
            case c.AT if argument in _ASSERTIONS:
                self.check(argument)
                return (_OF_LINES if self.pattern.flags & re.MULTILINE else _ASSERTIONS)[argument]
            case c.BRANCH:
                return f"(?:{self.alternatives([(code, argument)])})"
            case c.SUBPATTERN if argument[1] in (0, re.IGNORECASE) and not argument[2]:
                outside, self.ignore_case = self.ignore_case, self.ignore_case or bool(argument[1])
                written = f"({self.group(argument[0])}{self.alternatives(argument[3])})"
                self.ignore_case = outside
                return written
            case c.GROUPREF if argument in self.matched and argument in self.names and not self.ignore_case:
                return rf"\k<{self.names[argument]}>"
            case c.ASSERT | c.ASSERT_NOT:
                direction, tree = argument
                before, written = self.captures, self.alternatives(tree)
                if direction < 0 and self.captures > before:
                    raise ValueError(f"a lookbehind of {self.pattern.pattern!r} captures: JavaScript goes backwards")
                return f"(?{'<' if direction < 0 else ''}{'=' if code is c.ASSERT else '!'}{written})"
            case c.MAX_REPEAT | c.MIN_REPEAT:
                low, high, tree = argument
                before, written = self.captures, self.atom(tree)
                if high > 1 and self.captures > before:
                    raise ValueError(f"a group is repeated in {self.pattern.pattern!r}: JavaScript forgets it")
                return written + _quantifier(low, high) + ("?" if code is c.MIN_REPEAT else "")
        raise ValueError(f"{code} in {self.pattern.pattern!r} has no counterpart here")

    def group(self, number: int | None) -> str:
        """What follows the opening bracket of a group."""
        if number is None or not (self.capture or number in self.names):
            return "?:"
        self.captures += 1
        return f"?<{self.names[number]}>" if number in self.names else ""

    def atom(self, tree: Any) -> str:
        """A single unit, grouped if needed, that a quantifier can follow."""
        written = self.sequence(tree)
        single = len(tree) == 1 and tree[0][0] in (c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN, c.BRANCH, c.SUBPATTERN)
        return written if single else f"(?:{written})"

    def character_class(self, items: Iterable[Any]) -> str:
        parts = []
        for code, argument in items:
            match code:
                case c.NEGATE:
                    parts.append("^")
                case c.LITERAL:
                    codes = [argument, _other_case(argument)] if self.ignore_case else [argument]
                    parts += [_character(code, _SPECIAL_IN_CLASS) for code in codes if code is not None]
                case c.RANGE:
                    parts.append(_range(*argument))
                    parts += _other_cases(*argument) if self.ignore_case else []
                case c.CATEGORY:
                    self.check(argument)
                    parts.append(_CLASSES[argument])
        if parts in ([r"\d"], [r"\w"], [r"\D"], [r"\W"]):
            return parts[0]
        return f"[{''.join(parts)}]"

    def check(self, what: Any) -> None:
        if what.name in _DEPEND_ON_ASCII and not self.pattern.flags & re.ASCII:
            raise ValueError(f"{what} in {self.pattern.pattern!r} depends on the version of Unicode; add re.ASCII")


def _quantifier(low: int, high: Any) -> str:
    if high is c.MAXREPEAT:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    if (low, high) == (0, 1):
        return "?"
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def _other_case(code: int) -> int | None:
    """An ASCII letter in the other case; None for other characters."""
    char = chr(code)
    return ord(char.swapcase()) if char.isascii() and char.isalpha() else None


def _other_cases(first: int, last: int) -> list[str]:
    """The ASCII letters in a range, in the other case, as ranges."""
    parts = []
    for begin, end in (("A", "Z"), ("a", "z")):
        low, high = max(first, ord(begin)), min(last, ord(end))
        if low <= high:
            parts.append(_range(ord(chr(low).swapcase()), ord(chr(high).swapcase())))
    return parts


def _range(first: int, last: int) -> str:
    return "-".join(_character(end, _SPECIAL_IN_CLASS) for end in (first, last))


def _character(code: int, special: frozenset[str]) -> str:
    char = chr(code)
    if char in special:
        return f"\\{char}"
    return char if char.isprintable() else f"\\u{{{code:x}}}"
