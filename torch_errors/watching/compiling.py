"""The detectors as compiled code. Imports no torch: the process that scripts are forked from compiles them for all."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import CodeType

from torch_errors.catalog.locate import DETECTOR_FILE, ENTRIES_FOLDER


def detector_files(root: Path) -> list[Path]:
    """Of all entries, in the order of their ids."""
    return sorted((root / ENTRIES_FOLDER).glob(f"*/*/{DETECTOR_FILE}"), key=lambda path: path.parent.name)


@cache
def compiled(path: Path, source: bytes) -> CodeType:
    """Compiled once in a process. Raises what `compile` raises."""
    return compile(source, path, "exec", dont_inherit=True)


@cache
def compile_detectors(root: Path) -> None:
    """What cannot be read or compiled is left to who needs it."""
    for path in detector_files(root):
        try:
            compiled(path, path.read_bytes())
        except (OSError, ValueError, SyntaxError):
            continue
