"""The small language in which the catalog says what the numbers of a message mean.

A text may hold expressions in braces: `the input has {features} features, {features - in_features} too many`.

    names          the named groups of the pattern; digits are numbers, everything else is text
    arithmetic     + - * // % and comparisons < <= > >= of whole numbers, + of texts, == and != of anything
    logic          and, or, not
    functions      see FUNCTIONS

`{{` and `}}` stand for braces. A text is checked when the catalog is read; it is the catalog's, never the paste's.
The site computes the same in JavaScript (website/docs/assets/explain.js), so nothing here may differ there.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Value = int | str | bool | list[int]

_Operator = Callable[[Any, Any], Any]


def _of_numbers(operation: _Operator) -> _Operator:
    """Refuses all but whole numbers: a captured text must neither be repeated by a captured number nor be a format."""

    def checked(left: Value, right: Value) -> Any:
        if not isinstance(left, int) or not isinstance(right, int):
            raise TypeError("needs whole numbers")
        return operation(left, right)

    return checked


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    return _of_numbers(operator.add)(left, right)


OPERATORS: dict[type, tuple[str, _Operator]] = {
    ast.Add: ("+", _add),
    ast.Sub: ("-", _of_numbers(operator.sub)),
    ast.Mult: ("*", _of_numbers(operator.mul)),
    ast.FloorDiv: ("//", _of_numbers(operator.floordiv)),
    ast.Mod: ("%", _of_numbers(operator.mod)),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", _of_numbers(operator.lt)),
    ast.LtE: ("<=", _of_numbers(operator.le)),
    ast.Gt: (">", _of_numbers(operator.gt)),
    ast.GtE: (">=", _of_numbers(operator.ge)),
}


def _sizes(text: Value) -> list[int]:
    """`[32, 784]`, `torch.Size([32, 784])` or `32 x 784` as a list."""
    return [int(number) for number in re.findall(r"-?[0-9]+", str(text))]


def _bytes(value: Value) -> str:
    """A number of bytes in the unit that people read."""
    if not isinstance(value, int):
        raise TypeError("needs a whole number")
    number = float(value)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if abs(number) < 1024 or unit == "TiB":
            break
        number /= 1024
    return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"


FUNCTIONS: dict[str, Any] = {
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
    try:
        return "".join(piece if isinstance(piece, str) else str(_value(piece, captures)) for piece in pieces(text))
    except (LookupError, ArithmeticError, TypeError, ValueError):
        return None


def evaluate(expression: str, captures: Mapping[str, str]) -> Value:
    """The value of one expression. Raises KeyError for a name that was not captured."""
    return _value(parse(expression), captures)


def parse(expression: str) -> ast.expr:
    return ast.parse(expression.strip(), mode="eval").body


def pieces(text: str) -> list[str | ast.expr]:
    """A text as its parts in order: what is said as it stands, and expressions."""
    found: list[str | ast.expr] = []
    end = 0
    for piece in _PIECES.finditer(text):
        found += [text[end : piece.start()], piece[0][0] if piece[1] is None else parse(piece[1])]
        end = piece.end()
    return [piece for piece in [*found, text[end:]] if piece]


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
        tree = parse(expression)
    except SyntaxError:
        raise ValueError(f"not an expression: {{{expression}}}") from None
    return set(_names(tree, expression))


def _names(node: ast.expr, whole: str) -> Iterable[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, str)):
        return
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield from _names(node.left, whole)
        yield from _names(node.right, whole)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        yield from _names(node.left, whole)
        yield from _names(node.comparators[0], whole)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _names(value, whole)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield from _names(node.operand, whole)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and _takes(node.func.id, node):
        for argument in node.args:
            yield from _names(argument, whole)
    else:
        raise ValueError(f"{ast.unparse(node)!r} in {{{whole}}} is not of the language of decoded texts")


def _takes(name: str, call: ast.Call) -> bool:
    """Whether there is such a function, and it takes as many arguments."""
    return name in FUNCTIONS and not call.keywords and len(call.args) == FUNCTIONS[name].__code__.co_argcount


def _value(node: ast.expr, captures: Mapping[str, str]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        text = captures[node.id]
        return int(text) if re.fullmatch(r"-?[0-9]{1,300}", text) else text
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)][1](_value(node.left, captures), _value(node.right, captures))
    if isinstance(node, ast.Compare):
        return OPERATORS[type(node.ops[0])][1](_value(node.left, captures), _value(node.comparators[0], captures))
    if isinstance(node, ast.BoolOp):
        values = (_value(value, captures) for value in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, captures)
        return not value if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](*(_value(argument, captures) for argument in node.args))
    raise ValueError(f"not of the language of decoded texts: {ast.unparse(node)}")
