"""The snippets as modules: `from tests.snippets import load`, then `load("shape_tracer").trace_shapes(...)`."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

SNIPPETS = Path(__file__).resolve().parents[2] / "debug-templates" / "snippets"


@cache
def load(name: str) -> ModuleType:
    """The module in `debug-templates/snippets/<name>.py`, under the name it has when saved beside a script."""
    spec = importlib.util.spec_from_file_location(name, SNIPPETS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # data classes and pickles look their module up by its name
    spec.loader.exec_module(module)
    return module
