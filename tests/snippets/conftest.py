"""What the tests of the snippets share: the same random numbers for each."""

import pytest
import torch

# Several processes run tests: more threads in each would wait for one another.
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)
