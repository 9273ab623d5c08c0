"""Setup of the snippets' tests: the same random numbers for each, and only its own objects to search."""

import gc
from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    torch.manual_seed(0)
    gc.freeze()  # memory_report searches all objects for tensors, and torch has half a million objects
    yield
    gc.unfreeze()
