"""The tests, and what they read in `data`."""

import os
from pathlib import Path
from typing import Any

import yaml

from torch_errors.running.pool import THREADS

# Before anything imports torch, and for the processes that tests start, too: several run at a time, and threads of
# each that wait for one another take five times as long.
os.environ |= THREADS


def data(name: str) -> Any:
    """What a file of `tests/data` holds."""
    return yaml.safe_load((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))
