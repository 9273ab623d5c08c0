"""What every find of an expression contains: without one of these literals nothing has to be searched for.

The prefilter of RE2 and of Google Code Search (Russ Cox, "Regular Expression Matching with a Trigram Index", 2012),
and the `keywords` of gitleaks, here derived from the expression, so that none can be forgotten.
"""

from __future__ import annotations

import re
from itertools import product
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

# More alternatives are too many searches; classes of more characters are not written out.
_MOST, _MOST_OF_CLASS = 100, 6
_LINE_END = ord("\n")


def literals(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Small letters, one of which the small letters of every find contain, or those around it that it looks at.

    Empty where nothing is certain.
    """
    found = _required(_parser.parse(pattern.pattern, pattern.flags)) or set()
    return tuple(sorted(word for word in found if not any(other in word for other in found - {word})))


def _required(tree: Any) -> set[str] | None:
    """The best set among the items of a sequence: the longest shortest literal, then the fewest."""
    candidates: list[set[str]] = []
    run: set[str] = {""}  # what the literals one behind the other are

    def end() -> None:
        nonlocal run
        if "" not in run:
            candidates.append(run)
        run = {""}

    for code, argument in tree:
        if (chars := _characters(code, argument)) is not None:
            if len(run) * len(chars) > _MOST:
                end()
            run = {before + char for before, char in product(run, chars)}
            continue
        if code is c.AT or code is c.ASSERT_NOT:
            continue
        end()
        candidates += [found] if (found := _of_item(code, argument)) else []
    end()
    candidates = [found for found in candidates if len(found) <= _MOST]
    return max(candidates, key=lambda found: (min(4, *map(len, found)), -len(found)), default=None)


def _characters(code: Any, argument: Any) -> set[str] | None:
    """The one character that an item stands for, or the few."""
    if code is c.LITERAL:
        return {chr(argument).lower()}
    if code is c.IN and all(kind is c.LITERAL for kind, _ in argument):
        chars = {chr(char).lower() for _, char in argument}
        return chars if len(chars) <= _MOST_OF_CLASS else None
    return None


def _of_item(code: Any, argument: Any) -> set[str] | None:
    if code is c.SUBPATTERN:
        return _required(argument[3])
    if code is c.ASSERT:
        return _required(argument[1])
    if code in (c.MAX_REPEAT, c.MIN_REPEAT) and argument[0] > 0:
        return _required(argument[2])
    if code is c.BRANCH:
        branches = [_required(branch) for branch in argument[1]]
        return None if None in branches else set().union(*(branch for branch in branches if branch))
    return None


def beginnings(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Small letters, with one of which the small letters of every find begin. Empty where nothing is certain."""
    found = _first(_parser.parse(pattern.pattern, pattern.flags)) or set()
    if not all(len(word) > 1 for word in found):
        return ()
    return tuple(sorted(word for word in found if not any(word.startswith(other) for other in found - {word})))


def _first(tree: Any) -> set[str] | None:
    run = {""}
    for code, argument in tree:
        if (chars := _characters(code, argument)) is not None and len(run) * len(chars) <= _MOST:
            run = {before + char for before, char in product(run, chars)}
        elif code is c.ASSERT or code is c.ASSERT_NOT or code is c.AT:
            continue
        elif run != {""}:
            break
        elif code is c.SUBPATTERN:
            return _first(argument[3])
        elif code is c.BRANCH:
            branches = [_first(branch) for branch in argument[1]]
            return None if None in branches else set().union(*(branch for branch in branches if branch))
        else:
            return None
    return None if run == {""} else run


def crosses_lines(pattern: re.Pattern[str]) -> bool:
    """Whether a find, or what it looks at before and behind it, may hold an end of a line."""
    return _takes_line_end(_parser.parse(pattern.pattern, pattern.flags))


def _takes_line_end(tree: Any) -> bool:
    for code, argument in tree:
        inner: list[Any] = []
        match code:
            case c.LITERAL if argument == _LINE_END:
                return True
            case c.NOT_LITERAL if argument != _LINE_END:
                return True
            case c.IN if _class_takes_line_end(argument):
                return True
            case c.SUBPATTERN:
                inner = [argument[3]]
            case c.ASSERT | c.ASSERT_NOT:
                inner = [argument[1]]
            case c.MAX_REPEAT | c.MIN_REPEAT:
                inner = [argument[2]]
            case c.BRANCH:
                inner = argument[1]
        if any(_takes_line_end(part) for part in inner):
            return True
    return False


def _class_takes_line_end(items: Any) -> bool:
    negated = taken = False
    for kind, argument in items:
        match kind:
            case c.NEGATE:
                negated = True
            case c.LITERAL:
                taken |= argument == _LINE_END
            case c.RANGE:
                taken |= argument[0] <= _LINE_END <= argument[1]
            case c.CATEGORY:
                taken |= argument in (c.CATEGORY_SPACE, c.CATEGORY_NOT_DIGIT, c.CATEGORY_NOT_WORD)
    return negated != taken
