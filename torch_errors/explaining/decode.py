"""The small language in which the catalog says what the numbers of a message mean.

A text may hold expressions in braces: `the input has {features} features, {features - in_features} too many`.

    names          the named groups of the pattern; digits are numbers, everything else is text
    arithmetic     + - * // %, comparisons == != < <= > >=, and, or, not
    functions      see FUNCTIONS

`{{` and `}}` stand for braces. A text is checked when the catalog is read; it is the catalog's, never the paste's.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Value = int | float | str | bool | list[int]

_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _sizes(text: Value) -> list[int]:
    """`[32, 784]`, `torch.Size([32, 784])` or `32 x 784` as a list."""
    return [int(number) for number in re.findall(r"-?\d+", str(text))]


def _bytes(value: Value) -> str:
    """A number of bytes in the unit that people read."""
    number = float(value)  # type: ignore[arg-type]
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if abs(number) < 1024 or unit == "TiB":
            break
        number /= 1024
    return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "sizes": _sizes,
    "product": lambda sizes: math.prod(size for size in _sizes(sizes)),
    # of a shape with one -1: the product of the others
    "known_product": lambda sizes: math.prod(size for size in _sizes(sizes) if size >= 0),
    "count": lambda sizes: len(_sizes(sizes)),
    "first": lambda sizes: _sizes(sizes)[0],
    "last": lambda sizes: _sizes(sizes)[-1],
    "item": lambda sizes, at: _sizes(sizes)[at],
    "plural": lambda number, one, many: f"{number} {one if number == 1 else many}",
    "bytes": _bytes,
}

_PIECES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def render(text: str, captures: Mapping[str, str]) -> str | None:
    """`text` with its expressions computed; None where a group that it names did not take part in the match."""

    def replace(piece: re.Match[str]) -> str:
        if piece[1] is None:
            return piece[0][0]
        return str(evaluate(piece[1], captures))

    try:
        return _PIECES.sub(replace, text)
    except (LookupError, ArithmeticError, TypeError, ValueError):
        return None


def evaluate(expression: str, captures: Mapping[str, str]) -> Value:
    """The value of one expression. Raises KeyError for a name that was not captured."""
    return _value(ast.parse(expression.strip(), mode="eval").body, captures)


def names_in(text: str) -> set[str]:
    """Names of groups that a text uses. Raises ValueError where an expression is not of this language."""
    names: set[str] = set()
    for piece in _PIECES.finditer(text):
        if piece[1] is not None:
            names |= _check(piece[1])
    rest = _PIECES.sub("", text)
    if "{" in rest or "}" in rest:
        raise ValueError(f"a brace without its partner in {text!r}")
    return names


def expressions(text: str) -> list[str]:
    """The expressions in the braces of a text, as they are written."""
    return [piece[1] for piece in _PIECES.finditer(text) if piece[1] is not None]


def names_in_condition(expression: str) -> set[str]:
    """Names of groups that a condition uses. Raises ValueError where it is not of this language."""
    return _check(expression)


def _check(expression: str) -> set[str]:
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError(f"not an expression: {{{expression}}}") from None
    return set(_names(tree, expression))


def _names(node: ast.expr, whole: str) -> Iterable[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, str)):
        return
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield from _names(node.left, whole)
        yield from _names(node.right, whole)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        yield from _names(node.left, whole)
        yield from _names(node.comparators[0], whole)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _names(value, whole)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield from _names(node.operand, whole)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        for argument in node.args:
            yield from _names(argument, whole)
    else:
        raise ValueError(f"{ast.unparse(node)!r} in {{{whole}}} is not of the language of decoded texts")


def _value(node: ast.expr, captures: Mapping[str, str]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        text = captures[node.id]
        return int(text) if re.fullmatch(r"-?\d{1,300}", text) else text
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, captures), _value(node.right, captures)
        if isinstance(node.op, ast.Mult) and (isinstance(left, str) or isinstance(right, str)):
            raise TypeError("text is not multiplied")  # a captured number could make it as long as it likes
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.Compare):
        return _OPERATORS[type(node.ops[0])](_value(node.left, captures), _value(node.comparators[0], captures))
    if isinstance(node, ast.BoolOp):
        values = (_value(value, captures) for value in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, captures)
        return not value if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](*(_value(argument, captures) for argument in node.args))
    raise ValueError(f"not of the language of decoded texts: {ast.unparse(node)}")
