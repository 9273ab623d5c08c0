"""What the tests of the snippets share: the same random numbers for each, and nothing to look through but its own."""

import gc
from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    torch.manual_seed(0)
    gc.freeze()  # memory_report looks for tensors among all objects: of torch there are half a million
    yield
    gc.unfreeze()
