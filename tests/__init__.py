"""The tests, and the function that reads the files in `data`."""

import os
from pathlib import Path
from typing import Any

import yaml

from torch_errors.running.pool import THREADS

# Set before anything imports torch, also for the processes that tests start: several of them run at a time, and their
# threads would wait for each other, which takes five times as long.
os.environ |= THREADS


def data(name: str) -> Any:
    """The content of a YAML file in `tests/data`."""
    return yaml.safe_load((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))
