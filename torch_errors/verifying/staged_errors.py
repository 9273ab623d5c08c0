"""Finds the places of a script that stage a failure, or hide one, in its syntax tree.

An entry must show what torch does in a user's program. So the scripts of the catalog may not raise, exit, catch, patch
or silence anything themselves.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_ENDING_CALLS = {"exit", "quit", "sys.exit", "os._exit", "os.abort", "os.kill", "os.killpg", "signal.raise_signal"}
_CODE_CALLS = {"exec", "eval", "compile", "__import__"}
# Functions that only turn a number into text.
_FORMATTING = {"print", "str", "repr", "format", "float", "int", "round"}
_SILENCING_MODULES = {"warnings", "mock", "unittest.mock", "unittest"}
# Functions of torch that raise on demand.
_RAISING_CALLS = {"torch._check", "torch._assert", "torch._assert_async"}
_SILENCING_NAMES = {"suppress", "redirect_stderr", "redirect_stdout", "captureWarnings"}
# Settings that torch offers as attributes of its modules, which users may assign.
_SETTINGS = re.compile(r"torch\.(backends|_dynamo\.config|_inductor\.config)\.")


@dataclass(frozen=True)
class Staged:
    """A place where a script does itself what torch should do."""

    line: int
    what: str


def staged(source: str, measure: str | None = None) -> list[Staged]:
    """The places where the failure, or its absence, is staged. `measure`: the name of the promised number, if any.

    Raises SyntaxError if the source is not Python.
    """
    tree = ast.parse(source)
    visitor = _Visitor(_imported_names(tree), measure)
    visitor.visit(tree)
    return sorted(visitor.found, key=lambda place: place.line)


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """The full name of each imported local name."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.split(".")[0]
                names[alias.asname or package] = alias.name if alias.asname else package
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


class _Visitor(ast.NodeVisitor):
    def __init__(self, imported: dict[str, str], measure: str | None):
        self.imported = imported
        self.measure = measure
        self.found: list[Staged] = []

    def add(self, node: ast.AST, what: str) -> None:
        self.found.append(Staged(getattr(node, "lineno", 1), what))

    def visit_Raise(self, node: ast.Raise) -> None:
        self.add(node, "raise")

    def visit_Assert(self, node: ast.Assert) -> None:
        self.add(node, "assert")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.add(node, "except catches what the entry is about")
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name in _SILENCING_MODULES:
                self.add(node, f"import {alias.name}")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module in _SILENCING_MODULES:
            self.add(node, f"from {node.module} import")
        for alias in node.names:
            if alias.name in _SILENCING_NAMES:
                self.add(node, f"import of {alias.name}")

    def visit_Call(self, node: ast.Call) -> None:
        name = self.full_name(node.func)
        if name in _ENDING_CALLS | _CODE_CALLS | _RAISING_CALLS or name.endswith((".throw", ".simplefilter")):
            self.add(node, f"{name}()")
        if name.rpartition(".")[2] in _SILENCING_NAMES | {"set_warn_always"}:
            self.add(node, f"{name}()")
        if name in ("setattr", "delattr") and node.args and self.is_imported(node.args[0]):
            self.add(node, f"{name}() on {ast.unparse(node.args[0])}")
        if name == "print" and self.measure:
            self.check_measure(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.check_target(target)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.check_target(node.target)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.check_target(node.target)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.check_target(target)

    def check_target(self, target: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for inner in target.elts:
                self.check_target(inner)
        if isinstance(target, ast.Starred):
            self.check_target(target.value)
        if isinstance(target, ast.Attribute) and self.is_imported(target):
            name = self.full_name(target)
            if not _SETTINGS.match(name):
                self.add(target, f"{name} is replaced")
        if isinstance(target, ast.Subscript) and "PYTHONWARNINGS" in ast.unparse(target):
            self.add(target, "PYTHONWARNINGS is set")

    def check_measure(self, node: ast.Call) -> None:
        """Report a number after `measure=` that is a constant."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - _FORMATTING
        if f"{self.measure}=" in ast.unparse(node) and not names:
            self.add(node, f"{self.measure} is printed as a constant")
            return
        for argument in node.args:
            parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            for part, after in zip(parts, [*parts[1:], None], strict=True):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    _, found, value = part.value.rpartition(f"{self.measure}=")
                    constant = isinstance(after, ast.FormattedValue) and isinstance(after.value, ast.Constant)
                    if found and (value or after is None or constant):
                        self.add(node, f"{self.measure} is printed as a constant")

    def is_imported(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.imported

    def full_name(self, node: ast.expr) -> str:
        """Dotted name with imports resolved: `F.relu` is `torch.nn.functional.relu`."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        parts.append(self.imported.get(node.id, node.id))
        return ".".join(reversed(parts))
