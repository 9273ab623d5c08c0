"""Loads the detectors of a guide from the `watch.py` of its entries."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

from torch_errors.catalog.locate import DETECTOR_FILE, ENTRIES_FOLDER
from torch_errors.errors import UserError
from torch_errors.watching.detector import DETECTOR_MODULE, Detector, Run


@cache
def _compiled(path: Path, source: bytes) -> CodeType:
    # Not imported: that would leave bytecode in the entry's folder.
    return compile(source, path, "exec", dont_inherit=True)


def compile_detectors(root: Path) -> None:
    """Compile the detectors of a guide, so that this process and its forks load them in less time."""
    for path in _detectors_of(root):
        with suppress(SyntaxError, ValueError):  # said where it is loaded
            _compiled(path, path.read_bytes())


def load_detector(path: Path) -> type[Detector]:
    """The class in the `watch.py` of an entry. Raises UserError where there is none."""
    module = ModuleType(DETECTOR_MODULE + path.parent.name)
    try:
        exec(_compiled(path, path.read_bytes()), module.__dict__)
        detector: type[Detector] = module.Watch
    except Exception as error:
        raise UserError(f"{path}: no class `Watch` can be loaded: {type(error).__name__}: {error}") from error
    detector.id = path.parent.name
    return detector


def load_detectors(root: Path, run: Run) -> list[Detector]:
    """The detectors of all entries, in the order of their ids, those at the end that leave the word to others."""
    return sorted((load_detector(path)(run) for path in _detectors_of(root)), key=lambda one: one.after_others)


def _detectors_of(root: Path) -> list[Path]:
    return sorted((root / ENTRIES_FOLDER).glob(f"*/*/{DETECTOR_FILE}"), key=lambda path: path.parent.name)
