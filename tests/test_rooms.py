"""Imports between the rooms of `torch_errors` only point down, as drawn in MAINTAINING.md."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

PACKAGE = ROOT / "torch_errors"
# From the ground up. A room imports only from lower levels, not from its own.
LEVELS = [
    {"errors"},
    {"languages", "reading"},
    {"catalog", "curves", "paste", "markdown"},
    {"explaining"},
    {"doctor"},
    {"prompting", "running", "logs"},
    {"watching"},
    {"verifying"},
    {"callbacks", "ipython", "pytest_plugin", "mcp_server"},
    {"cli"},
    {"__init__", "__main__"},
]
LEVEL_OF = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path, package: str = "torch_errors") -> Iterator[str]:
    """The rooms that a module imports from, including imports in functions and for type checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if "." in node.module else [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith(f"{package}."):
                yield name.split(".")[1]


def _wrong_imports(modules: dict[Path, str]) -> set[str]:
    return {
        f"{path.relative_to(PACKAGE)} imports from {room}"
        for path, own in modules.items()
        for room in _imports(path)
        if room != own and LEVEL_OF[room] >= LEVEL_OF[own]
    }


def test_imports_only_point_down() -> None:
    modules = {path: _room(path) for path in PACKAGE.rglob("*.py")}
    assert set(modules.values()) == LEVEL_OF.keys()
    assert _wrong_imports(modules) == set()


def test_an_import_that_points_up_is_found(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tests.test_rooms.PACKAGE", tmp_path)
    path = tmp_path / "running" / "pool.py"
    path.parent.mkdir()
    path.write_text(
        "from torch_errors.catalog import fields\n\ndef f():\n    from torch_errors.watching import session\n"
    )
    assert _wrong_imports({path: "running"}) == {"running/pool.py imports from watching"}


def test_the_package_imports_neither_the_site_nor_the_tests() -> None:
    paths = [*PACKAGE.rglob("*.py")]
    assert [path.name for path in paths if any(_imports(path, "website")) or any(_imports(path, "tests"))] == []
