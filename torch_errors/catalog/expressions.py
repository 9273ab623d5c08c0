"""The expression language in which the catalog explains the numbers of a message, and its compiled form.

A text may contain expressions in braces: `the input has {features} features, {features - in_features} too many`.

    names          the named groups of the pattern; a group of digits is a number, any other group is a text. Besides
                   them, of the reader's own code that raised the error, and empty if the paste does not show it:
                   `line_code` (the source line), `line_function`, and `own_functions` (all functions of the reader's
                   frames, outermost first)
    arithmetic     + - * // % and comparisons < <= > >= of whole numbers, + of texts, == and != of any values
    logic          and, or, not
    functions      the FUNCTIONS below, implemented in `torch_errors/explaining/decode.py`

`{{` and `}}` are literal braces. Expressions are parsed once, when the catalog is read and compiled. The command and
the site evaluate the compiled form, which is plain JSON:

    a text         a string, or a list of strings and trees
    a tree         a whole number, a string, `["name", "rows"]`, or a list of an operation and its operands:
                   `["plural", ["name", "rows"], "row", "rows"]`
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

Tree: TypeAlias = int | str | list[Any]
TextTree: TypeAlias = str | list[Tree]

# Number of arguments of each function.
FUNCTIONS = {
    "product": 1, "known_product": 1, "count": 1, "first": 1, "last": 1, "item": 2, "plural": 3, "bytes": 1,
    "contains": 2, "marked": 2, "unlike": 2,
}  # fmt: skip
# The names that describe the reader's own line, and the exception that a wrapper passes on.
OF_THE_LINE = ("line_code", "line_function", "own_functions", "inner_error")
_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Eq: "==", ast.NotEq: "!=",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.And: "and", ast.Or: "or", ast.Not: "not",
    ast.USub: "negative",
}  # fmt: skip
# From this number on, JavaScript does not represent all whole numbers exactly.
_INEXACT = 2**53

_PIECES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def compile_text(text: str) -> TextTree:
    """Return the compiled form of a text. Raises ValueError if an expression is not valid."""
    pieces: list[Tree] = []
    end = 0
    for piece in _PIECES.finditer(text):
        pieces += [text[end : piece.start()], piece[0][0] if piece[1] is None else compile_expression(piece[1])]
        end = piece.end()
    pieces = [piece for piece in [*pieces, text[end:]] if piece != ""]
    rest = _PIECES.sub("", text)
    if "{" in rest or "}" in rest:
        raise ValueError(f"unmatched brace in {text!r}; write {{{{ or }}}} for a literal brace")
    return pieces if any(isinstance(piece, list) for piece in pieces) else "".join(map(str, pieces))


@cache
def compile_expression(expression: str) -> Tree:
    """Return the tree of an expression or a condition. Raises ValueError if it is not valid."""
    try:
        return _tree(ast.parse(expression.strip(), mode="eval").body, expression)
    except SyntaxError:
        raise ValueError(f"not a valid expression: {{{expression}}}") from None


def _tree(node: ast.expr, whole: str) -> Tree:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Constant(value=int() as number) if not isinstance(number, bool) and number < _INEXACT:
            return number
        case ast.Name(id=name):
            return ["name", name]
        case ast.Call(func=ast.Name(id=name), args=operands, keywords=[]) if FUNCTIONS.get(name) == len(operands):
            return _operation(name, operands, whole)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _operation(_OPERATORS[type(operator)], [left, right], whole)
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _OPERATORS:
            return _operation(_OPERATORS[type(comparison)], [left, right], whole)
        case ast.BoolOp(op=joint, values=operands):
            return _operation(_OPERATORS[type(joint)], operands, whole)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _OPERATORS:
            return _operation(_OPERATORS[type(sign)], [operand], whole)
    raise ValueError(f"{ast.unparse(node)!r} in {{{whole}}} is not allowed in an expression of the catalog")


def _operation(name: str, operands: list[ast.expr], whole: str) -> Tree:
    return [name, *(_tree(operand, whole) for operand in operands)]


def names_in(text: str) -> set[str]:
    """Return the names of the groups that a text uses. Raises ValueError if an expression is not valid."""
    pieces = compile_text(text)
    return set() if isinstance(pieces, str) else {name for piece in pieces for name in _names(piece)}


def names_in_condition(expression: str) -> set[str]:
    """Return the names of the groups that a condition uses. Raises ValueError if it is not valid."""
    return set(_names(compile_expression(expression)))


def _names(tree: Tree) -> Iterator[str]:
    if not isinstance(tree, list):
        return
    operation, *operands = tree
    if operation == "name":
        yield operands[0]
    else:
        for operand in operands:
            yield from _names(operand)


def expressions(text: str) -> list[str]:
    """Return the source of the expressions in the braces of a text."""
    return [piece[1] for piece in _PIECES.finditer(text) if piece[1] is not None]
