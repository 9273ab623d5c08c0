"""The snippets as modules: `from tests.snippets import load`, then `load("shape_tracer").trace_shapes(...)`."""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

SNIPPETS = Path(__file__).resolve().parents[2] / "debug-templates" / "snippets"


@cache
def load(name: str) -> ModuleType:
    """Import `debug-templates/snippets/<name>.py` as `<name>`, the name it has when saved beside a script."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SNIPPETS))
        return import_module(name)
