"""A build hook for hatch that adds the compiled data of `explain` to the wheel."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledCatalog(BuildHookInterface):
    """Compiles the catalog of the checkout from which the wheel is built and adds the file to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        from torch_errors.explaining.compiled import NAME, compiled_text

        folder = Path(tempfile.mkdtemp(prefix="torch-errors-"))
        (folder / NAME).write_text(compiled_text(Path(self.root)), encoding="utf-8")
        build_data["force_include"][str(folder / NAME)] = f"torch_errors/guide/{NAME}"
