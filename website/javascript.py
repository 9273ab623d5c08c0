"""From Python's regular expressions to JavaScript's, so that the site searches with the expressions of the program.

`expression` takes what both languages can say alike and refuses the rest: a construct that means something else in
JavaScript would be found by no one until a reader gets the wrong answer.

    \\d \\w \\b      ASCII in both, so the Python expression must carry re.ASCII
    \\s            six characters of ASCII in Python, two dozen in JavaScript: written out
    . and $       both treat other line ends differently: written out
    names         `(?P<name>…)` becomes `(?<name>…)`, groups without a name capture nothing

The result is for the flag `u`: characters are code points, as in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_UNDERSTOOD_FLAGS = re.UNICODE | re.ASCII | re.VERBOSE
_SPECIAL = frozenset("^$\\.*+?()[]{}|/")
_SPECIAL_IN_CLASS = frozenset("\\]^-[")
_ASSERTIONS = {c.AT_BEGINNING: "^", c.AT_END: r"(?=\n?$)", c.AT_BOUNDARY: r"\b", c.AT_NON_BOUNDARY: r"\B"}
_CLASSES = {
    c.CATEGORY_DIGIT: r"\d",
    c.CATEGORY_NOT_DIGIT: r"\D",
    c.CATEGORY_WORD: r"\w",
    c.CATEGORY_NOT_WORD: r"\W",
    c.CATEGORY_SPACE: r"\t-\r ",
    c.CATEGORY_NOT_SPACE: r"\0-\x08\x0e-\x1f!-\u{10ffff}",
}
_DEPEND_ON_ASCII = (*_CLASSES, c.AT_BOUNDARY, c.AT_NON_BOUNDARY)


def expression(pattern: re.Pattern[str]) -> str:
    """The source of the same expression in JavaScript. Raises ValueError where it might not be the same."""
    if pattern.flags & ~_UNDERSTOOD_FLAGS:
        raise ValueError(f"flags {re.RegexFlag(pattern.flags)!r} of {pattern.pattern!r} have no counterpart here")
    names = {number: name for name, number in pattern.groupindex.items()}
    tree = _parser.parse(pattern.pattern, pattern.flags)
    return _Writer(pattern, names).alternatives(tree)


class _Writer:
    """Writes the parsed expression down."""

    def __init__(self, pattern: re.Pattern[str], names: dict[int, str]) -> None:
        self.pattern = pattern
        self.names = names

    def alternatives(self, tree: Any) -> str:
        """An expression that stands between brackets, or alone."""
        if len(tree) == 1 and tree[0][0] is c.BRANCH:
            return "|".join(self.sequence(branch) for branch in tree[0][1][1])
        return self.sequence(tree)

    def sequence(self, tree: Any) -> str:
        return "".join(self.item(code, argument) for code, argument in tree)

    def item(self, code: Any, argument: Any) -> str:
        match code:
            case c.LITERAL:
                return _character(argument, _SPECIAL)
            case c.NOT_LITERAL:
                return f"[^{_character(argument, _SPECIAL_IN_CLASS)}]"
            case c.ANY:
                return r"[^\n]"
            case c.IN:
                return self.character_class(argument)
            case c.AT if argument in _ASSERTIONS:
                self.check(argument)
                return _ASSERTIONS[argument]
            case c.BRANCH:
                return f"(?:{self.alternatives([(code, argument)])})"
            case c.SUBPATTERN if not argument[1] and not argument[2]:
                name = self.names.get(argument[0])
                return f"({f'?<{name}>' if name else '?:'}{self.alternatives(argument[3])})"
            case c.ASSERT if argument[0] == 1:
                return f"(?={self.alternatives(argument[1])})"
            case c.ASSERT_NOT if argument[0] == 1:
                return f"(?!{self.alternatives(argument[1])})"
            case c.MAX_REPEAT | c.MIN_REPEAT:
                low, high, tree = argument
                if high > 1 and "(?<" in self.sequence(tree):
                    raise ValueError(f"a named group is repeated in {self.pattern.pattern!r}: JavaScript forgets it")
                lazy = "?" if code is c.MIN_REPEAT else ""
                return self.atom(tree) + _quantifier(low, high) + lazy
        raise ValueError(f"{code} in {self.pattern.pattern!r} has no counterpart here")

    def atom(self, tree: Any) -> str:
        """What a quantifier may stand behind."""
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
                    parts.append(_character(argument, _SPECIAL_IN_CLASS))
                case c.RANGE:
                    parts.append("-".join(_character(end, _SPECIAL_IN_CLASS) for end in argument))
                case c.CATEGORY:
                    self.check(argument)
                    parts.append(_CLASSES[argument])
        if parts in ([r"\d"], [r"\w"], [r"\D"], [r"\W"]):
            return parts[0]
        return f"[{''.join(parts)}]"

    def check(self, what: Any) -> None:
        if what in _DEPEND_ON_ASCII and not self.pattern.flags & re.ASCII:
            raise ValueError(f"{what} in {self.pattern.pattern!r} depends on the version of Unicode; add re.ASCII")


def _quantifier(low: int, high: Any) -> str:
    if high is c.MAXREPEAT:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    if (low, high) == (0, 1):
        return "?"
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def _character(code: int, special: frozenset[str]) -> str:
    char = chr(code)
    if char in special:
        return f"\\{char}"
    return char if char.isprintable() else f"\\u{{{code:x}}}"
