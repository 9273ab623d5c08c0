"""Translate regular expressions of Python to JavaScript, so that the site searches with the program's expressions.

`expression` translates constructs that have an exact equivalent and refuses all others. If it let a construct with a
different meaning pass, nobody would notice until a reader got a wrong answer.

    \\d \\w \\b      match ASCII only in JavaScript, so the Python expression must have re.ASCII
    \\s            six ASCII characters in Python, about 25 characters in JavaScript: written out
    . ^ and $     the languages differ in what ends a line: written out, also for re.MULTILINE
    re.IGNORECASE ASCII letters in Python (with re.ASCII), but more letters in JavaScript: both cases are written out,
                  also in a group `(?i:…)`
    names         `(?P<name>…)` becomes `(?<name>…)`; groups without a name capture only with `capture=True`
    (?P=name)     only if the group has certainly matched: otherwise Python fails and JavaScript matches nothing
    (?<=…) (?<!…) only without groups, because JavaScript matches lookbehinds backwards

The result is meant for the flag `u`, with which characters are code points, as in Python.
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
_MULTILINE_ASSERTIONS = _ASSERTIONS | {c.AT_BEGINNING: r"(?<![^\n])", c.AT_END: r"(?![^\n])"}
_CLASSES = {
    c.CATEGORY_DIGIT: r"\d",
    c.CATEGORY_NOT_DIGIT: r"\D",
    c.CATEGORY_WORD: r"\w",
    c.CATEGORY_NOT_WORD: r"\W",
    c.CATEGORY_SPACE: r"\t-\r ",
    c.CATEGORY_NOT_SPACE: r"\0-\x08\x0e-\x1f!-\u{10ffff}",
}
# Names instead of the constants, because constants of assertions and of classes compare equal as numbers.
_DEPEND_ON_ASCII = {constant.name for constant in (*_CLASSES, c.AT_BOUNDARY, c.AT_NON_BOUNDARY)}


def expression(pattern: re.Pattern[str], *, capture: bool = False) -> str:
    """Return the source of the equivalent expression in JavaScript.

    `capture`: whether groups without a name also capture, with the same numbers as in Python.
    Raises ValueError if the expression might have a different meaning.
    """
    if pattern.flags & ~_UNDERSTOOD_FLAGS:
        raise ValueError(
            f"flags {re.RegexFlag(pattern.flags)!r} of {pattern.pattern!r} have no equivalent in JavaScript"
        )
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
        self.matched: set[int] = set()  # numbers of the groups that have certainly matched
        self.captures = 0  # number of capturing groups so far

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
        """Write a whole expression or the content of a group, where alternatives need no extra group."""
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
                return (_MULTILINE_ASSERTIONS if self.pattern.flags & re.MULTILINE else _ASSERTIONS)[argument]
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
                    raise ValueError(
                        f"a lookbehind in {self.pattern.pattern!r} captures; JavaScript matches it backwards"
                    )
                return f"(?{'<' if direction < 0 else ''}{'=' if code is c.ASSERT else '!'}{written})"
            case c.MAX_REPEAT | c.MIN_REPEAT:
                low, high, tree = argument
                before, written = self.captures, self.atom(tree)
                if high > 1 and self.captures > before:
                    raise ValueError(f"a group in {self.pattern.pattern!r} is repeated; JavaScript forgets its capture")
                return written + _quantifier(low, high) + ("?" if code is c.MIN_REPEAT else "")
        raise ValueError(f"{code} in {self.pattern.pattern!r} has no counterpart in JavaScript")

    def group(self, number: int | None) -> str:
        """Write what follows the opening parenthesis of a group."""
        if number is None or not (self.capture or number in self.names):
            return "?:"
        self.captures += 1
        return f"?<{self.names[number]}>" if number in self.names else ""

    def atom(self, tree: Any) -> str:
        """Write an expression as a unit that a quantifier can follow, in a group if needed."""
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

    def check(self, constant: Any) -> None:
        if constant.name in _DEPEND_ON_ASCII and not self.pattern.flags & re.ASCII:
            raise ValueError(f"{constant} in {self.pattern.pattern!r} depends on the version of Unicode; add re.ASCII")


def _quantifier(low: int, high: Any) -> str:
    if high is c.MAXREPEAT:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    if (low, high) == (0, 1):
        return "?"
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def _other_case(code: int) -> int | None:
    """Return an ASCII letter in the other case, or None for any other character."""
    char = chr(code)
    return ord(char.swapcase()) if char.isascii() and char.isalpha() else None


def _other_cases(first: int, last: int) -> list[str]:
    """Return the ASCII letters of a range in the other case, as ranges."""
    parts = []
    for start, end in (("A", "Z"), ("a", "z")):
        low, high = max(first, ord(start)), min(last, ord(end))
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
