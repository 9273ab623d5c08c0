"""Evaluate the expressions in the texts and conditions of the catalog with the values that a pattern captured.

`torch_errors/catalog/expressions.py` describes the trees. On the site, `decode.js` evaluates the same trees.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from torch_errors.catalog.expressions import TextTree, Tree

Value: TypeAlias = int | str | bool

# Captured integers with more digits than this are treated as texts. JavaScript computes exactly only up to 2**53, so
# the last digits of larger computed numbers may differ on the site.
DIGITS = 20
_NUMBER = re.compile(rf"-?[0-9]{{1,{DIGITS}}}")
_INTEGER = re.compile(r"-?[0-9]+")


def render(text: TextTree, captures: Mapping[str, str]) -> str | None:
    """Return `text`, its expressions evaluated (a bare name as captured), or None if a value is missing or unfit."""
    if isinstance(text, str):
        return text
    try:
        return "".join(map(str, (_piece(piece, captures) for piece in text)))
    except (LookupError, ArithmeticError, TypeError):
        return None


def holds(condition: Tree | None, captures: Mapping[str, str]) -> bool:
    """Whether a condition is true. None counts as true, and a condition that cannot be evaluated as false."""
    try:
        return condition is None or bool(evaluate(condition, captures))
    except (LookupError, ArithmeticError, TypeError):
        return False


def _piece(piece: Tree, captures: Mapping[str, str]) -> Value:
    return captures[piece[1]] if isinstance(piece, list) and piece[0] == "name" else evaluate(piece, captures)


def evaluate(tree: Tree, captures: Mapping[str, str]) -> Value:
    """Return the value of an expression.

    Raises KeyError if a name was not captured, IndexError if a shape has no such size, TypeError if a number is needed
    and the value is a text, and ArithmeticError if a result does not exist (a division by zero).
    """
    if not isinstance(tree, list):
        return tree
    operation, *operands = tree
    if operation == "name":
        text = captures[operands[0]]
        return int(text) if _NUMBER.fullmatch(text) else text
    if operation == "and":
        return all(evaluate(operand, captures) for operand in operands)
    if operation == "or":
        return any(evaluate(operand, captures) for operand in operands)
    value: Value = _OPERATIONS[operation](*(evaluate(operand, captures) for operand in operands))
    return value


def _of_numbers(operation: Callable[..., Value]) -> Callable[..., Value]:
    """Restrict an operation to whole numbers: in Python, `*` would repeat a text, and `%` would format it."""

    def checked(*values: Value) -> Value:
        if any(type(value) is not int for value in values):
            raise TypeError("needs whole numbers")
        return operation(*values)

    return checked


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    return _of_numbers(operator.add)(left, right)


def _sizes(text: Value) -> list[int]:
    """Return the sizes in `[32, 784]`, `torch.Size([32, 784])` or `32 x 784`."""
    return [int(number) for number in _INTEGER.findall(str(text))]


def _marked(shape: Value, index: Value) -> str:
    """Return a shape for a picture, with one of its sizes marked: `64, *3*, 32, 32`."""
    if type(index) is not int:
        raise TypeError("needs a whole number")
    sizes = _INTEGER.findall(str(shape))
    sizes[index] = f"*{sizes[index]}*"
    return ", ".join(sizes)


def _unlike(shape: Value, other: Value) -> str:
    """Return a shape for a picture; its sizes that differ from those of another, counted from the right, are marked."""
    sizes, others = _INTEGER.findall(str(shape)), _INTEGER.findall(str(other))
    for at in range(1, 1 + min(len(sizes), len(others))):
        if sizes[-at] != others[-at]:
            sizes[-at] = f"*{sizes[-at]}*"
    return ", ".join(sizes)


def _bytes(count: int) -> str:
    """Return a number of bytes in a readable unit, such as `1.5 GiB`."""
    if abs(count) < 1024:
        return f"{count} bytes"
    number, units = count / 1024, ["KiB", "MiB", "GiB", "TiB"]
    while abs(number) >= 1024 and len(units) > 1:
        number /= 1024
        del units[0]
    return f"{number:.1f} {units[0]}"


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": _add,
    "-": _of_numbers(operator.sub),
    "*": _of_numbers(operator.mul),
    "//": _of_numbers(operator.floordiv),
    "%": _of_numbers(operator.mod),
    "==": operator.eq,
    "!=": operator.ne,
    "<": _of_numbers(operator.lt),
    "<=": _of_numbers(operator.le),
    ">": _of_numbers(operator.gt),
    ">=": _of_numbers(operator.ge),
    "not": operator.not_,
    "negative": _of_numbers(operator.neg),
    "product": lambda shape: math.prod(_sizes(shape)),
    # For a shape with a -1: the product of the other sizes.
    "known_product": lambda shape: math.prod(size for size in _sizes(shape) if size >= 0),
    "count": lambda shape: len(_sizes(shape)),
    "first": lambda shape: _sizes(shape)[0],
    "last": lambda shape: _sizes(shape)[-1],
    "item": lambda shape, index: _sizes(shape)[index],
    "marked": _marked,
    "unlike": _unlike,
    "plural": lambda number, singular, plural: f"{number} {singular if number == 1 else plural}",
    "bytes": _of_numbers(_bytes),
    # `contains(line_code, 'spawn(|Process(')`: whether a text contains one of the parts between the bars.
    "contains": lambda text, parts: any(part in str(text) for part in str(parts).split("|")),
}
