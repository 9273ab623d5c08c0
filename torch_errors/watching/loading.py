"""Loads the detectors of a guide, one from the `watch.py` of each entry that has one."""

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
    # Compiled here, since an import would leave bytecode files in the entry's folder.
    return compile(source, path, "exec", dont_inherit=True)


def compile_detectors(root: Path) -> None:
    """Compile the detectors of a guide in advance, so that this process and its forks load them faster."""
    for path in _detectors_of(root):
        with suppress(SyntaxError, ValueError):  # `load_detector` reports it
            _compiled(path, path.read_bytes())


def load_detector(path: Path) -> type[Detector]:
    """Return the class `Watch` in an entry's `watch.py`. Raises UserError if it can't be loaded."""
    module = ModuleType(DETECTOR_MODULE + path.parent.name)
    try:
        exec(_compiled(path, path.read_bytes()), module.__dict__)
        detector: type[Detector] = module.Watch
    except Exception as error:
        raise UserError(f"{path}: no class `Watch` can be loaded: {type(error).__name__}: {error}") from error
    detector.id = path.parent.name
    return detector


def detector_ids(root: Path) -> list[str]:
    """Ids of the entries that have a detector, sorted."""
    return [path.parent.name for path in _detectors_of(root)]


def load_detectors(root: Path, run: Run) -> list[Detector]:
    """Create the detectors of all entries, sorted by id, with those marked `after_others` at the end."""
    detectors = [load_detector(path)(run) for path in _detectors_of(root)]
    return sorted(detectors, key=lambda detector: detector.after_others)


def _detectors_of(root: Path) -> list[Path]:
    return sorted((root / ENTRIES_FOLDER).glob(f"*/*/{DETECTOR_FILE}"), key=lambda path: path.parent.name)
