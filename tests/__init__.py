"""The tests, and what they read in `data`."""

from pathlib import Path
from typing import Any

import yaml


def data(name: str) -> Any:
    """What a file of `tests/data` holds."""
    return yaml.safe_load((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))
