"""What the tests of the snippets share: the same random numbers for each."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)
