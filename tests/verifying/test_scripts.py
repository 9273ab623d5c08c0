"""Checks of a script that do not run it: marked lines and staged failures."""

from __future__ import annotations

import pytest

from torch_errors.catalog.entries import marked_lines
from torch_errors.verifying.staged_errors import staged


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("x = 1  # error\n", [1]),
        ("x = 1  #error", [1]),
        ("x = (\n    1 +  # error\n    2\n)\n", [2]),
        ("x = 1  # error\ny = 2  # error\n", [1, 2]),
        ("x = 1  # error: the layer is too small\n", []),
        ("x = 1  # an error\n", []),
        ("x = 1  # errors\n", []),
        ('x = "# error"\n', []),
        ('x = """\n# error\n"""\n', []),
        ("", []),
    ],
)
def test_marked_lines(source: str, lines: list[int]) -> None:
    assert marked_lines(source) == lines


# In addition to the violations in data/violations.yaml.
STAGED = {
    "try:\n    pass\nexcept* RuntimeError:\n    pass": "except catches",
    "exit()": "exit()",
    "quit(1)": "quit()",
    "from sys import exit as leave\nleave(1)": "sys.exit()",
    "import os as system\nsystem.abort()": "os.abort()",
    "__import__('warnings')": "__import__()",
    "import warnings as w": "import warnings",
    "from warnings import filterwarnings": "from warnings import",
    "from unittest.mock import patch": "from unittest.mock import",
    "import contextlib\nwith contextlib.redirect_stderr(None):\n    pass": "contextlib.redirect_stderr()",
    "import logging\nlogging.captureWarnings(True)": "logging.captureWarnings()",
    "import torch\ntorch.set_warn_always(False)": "torch.set_warn_always()",
    "import torch\nsetattr(torch.nn, 'Linear', None)": "setattr() on torch.nn",
    "from torch import nn\nnn.Linear.forward = None": "torch.nn.Linear.forward is replaced",
    "import torch.nn.functional as F\nF.relu = abs": "torch.nn.functional.relu is replaced",
    "import torch\ndel torch.relu": "torch.relu is replaced",
    "def step():\n    if True:\n        raise ValueError": "raise",
}


@pytest.mark.parametrize("source", STAGED)
def test_staged_failure_is_found(source: str) -> None:
    places = staged(source)
    assert [place.what for place in places if place.what.startswith(STAGED[source])] == [places[-1].what]
    assert 1 <= places[-1].line <= source.count("\n") + 1


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nmodel = torch.nn.Linear(2, 3)\nmodel.weight = None\nmodel.bias.data = 3\nsetattr(model, 'a', 1)",
        "import torch\ntorch.backends.cudnn.deterministic = True",
        "import torch._dynamo\ntorch._dynamo.config.suppress_errors = False",
        "import os\nos.environ['OMP_NUM_THREADS'] = '1'",
        "import torch\nfor torch_rate in (0.1, 0.2):\n    rate = torch_rate",
        "class Net:\n    def exit(self):\n        return self.raised\nNet().exit()",
        "try:\n    value = 1\nfinally:\n    value = 2",
    ],
)
def test_code_of_users_does_not_count_as_staged(source: str) -> None:
    assert staged(source, "final_loss") == []


@pytest.mark.parametrize(
    ("line", "constant"),
    [
        ("print(f'final_loss=3{unit}')", True),
        ("print(f'final_loss={loss}')", False),
        ("print(f'final_loss={loss.item():.3f}')", False),
        ("print(f'step={3} final_loss={loss}')", False),
        ("print('other_loss=3')", False),
        ("print(loss)", False),
    ],
)
def test_a_measure_must_be_computed(line: str, constant: bool) -> None:
    assert [place.what for place in staged(line, "final_loss")] == ["final_loss is printed as a constant"] * constant
    assert staged(line) == []


def test_staged_places_are_in_the_order_of_the_lines() -> None:
    places = staged("def f():\n    raise ValueError\n\nassert f\nexit()\n")
    assert [place.line for place in places] == [2, 4, 5]
