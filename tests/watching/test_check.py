"""`--check` and `torch_errors.check`: one batch is looked at closely, and everything is as before."""

from __future__ import annotations

import copy
import io
import random
import subprocess
import sys
from typing import Any

import numpy
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import torch_errors
from tests.conftest import ROOT
from tests.watching.right_programs import PROGRAMS
from torch_errors.watching.watch import FOUND, start


class Net(nn.Module):
    """Reads two inputs; keeps a counter and its last features, as some modules do."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.3)
        self.second, self.head = nn.Linear(3, 16), nn.Linear(16, 4)
        self.calls, self.seen = 0, [0]

    def forward(self, images: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        self.seen.append(len(images))
        noise = random.random() + numpy.random.rand()
        features = self.drop(self.norm(self.first(images)).relu()) + noise * 0
        return self.head(features + self.second(marks))


class Blind(Net):
    """Reads the first input only, and not its last feature."""

    def forward(self, images: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.first(images)).relu())


class Mixed(Net):
    def forward(self, images: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.first(images)).relu().roll(1, 0) + self.second(marks))


def batch() -> Any:
    return (torch.randn(16, 6), torch.randn(16, 3)), torch.randint(4, (16,))


def found(model: nn.Module, data: Any = None, loss: Any = F.cross_entropy) -> list[str]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return [finding.id for finding in torch_errors.check(model, data or batch(), loss, optimizer)]


def test_everything_is_as_before_bit_for_bit(capsys):
    torch.manual_seed(0)
    model, data = Net(), batch()
    model.head.eval()
    model.first.weight.grad = torch.ones(16, 6)
    optimizer = torch.optim.Adam(model.parameters())
    before = copy.deepcopy((model.state_dict(), data, optimizer.state_dict(), model.first.weight.grad))
    modes = [part.training for part in model.modules()]
    states = torch.get_rng_state(), random.getstate(), numpy.random.get_state()
    assert torch_errors.check(model, data, F.cross_entropy, optimizer) == []
    after = model.state_dict(), data, optimizer.state_dict(), model.first.weight.grad
    torch.testing.assert_close(after, before, rtol=0, atol=0)
    assert [part.training for part in model.modules()] == modes and all(p.grad is None for p in model.head.parameters())
    assert torch.equal(torch.get_rng_state(), states[0]) and random.getstate() == states[1]
    assert all(numpy.array_equal(a, b) for a, b in zip(numpy.random.get_state(), states[2], strict=True))
    assert (model.calls, model.seen) == (0, [0])
    printed = capsys.readouterr().err
    assert "inputs that reach the output of their module: 2" in printed
    assert "the 16 samples do not influence each other" in printed


def test_inputs_samples_and_layers(capsys):
    torch.manual_seed(0)
    assert found(Blind()) == ["input-not-used", "layer-never-called"]
    assert "in Blind, the input `marks` does not reach the output" in capsys.readouterr().err
    assert found(Mixed()) == ["samples-mixed"]
    model = Net()
    with torch.no_grad():
        model.first.weight[:, 4] = 0  # as if the feature were cut off
    assert found(model) == ["input-not-used"]
    assert "a part of the input `images` (1 of the 6 places of dimension 1, such as 4)" in capsys.readouterr().err


class Attention(nn.Module):
    """Padding does not reach the output; one of three experts is not needed."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.layer = (
            nn.Embedding(20, 16, padding_idx=0),
            nn.TransformerEncoderLayer(16, 2, 32, batch_first=True),
        )
        self.experts, self.head = nn.ModuleList(nn.Linear(16, 16) for _ in range(3)), nn.Linear(16, 4)

    def forward(self, words: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        padding = torch.arange(words.shape[1]) >= lengths[:, None]
        features = self.layer(self.words(words), src_key_padding_mask=padding)
        features = features.masked_fill(padding[..., None], 0).sum(1) / lengths[:, None]
        return self.head(self.experts[0](features) + self.experts[2](features))


class Adapted(nn.Module):
    """A frozen layer with a low-rank adapter that begins at zero, and a loss over pairs behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.base, self.down, self.up = nn.Linear(6, 8), nn.Linear(6, 2, bias=False), nn.Linear(2, 8, bias=False)
        self.base.requires_grad_(False)
        nn.init.zeros_(self.up.weight)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.base(inputs) + self.up(self.down(inputs))


class Encoder(nn.Transformer):
    """Uses half of what the class of torch creates."""

    def __init__(self) -> None:
        super().__init__(16, 2, 1, 0, 32, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(inputs).mean(1))


def similar(output: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    output = F.normalize(output)
    return F.cross_entropy(output @ output.T, targets)


class Graph(nn.Module):
    """Spreads the features of nodes along the edges, which are a sparse matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        return torch.sparse.mm(edges, self.layer(nodes))


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_sparse_inputs_switch_no_detector_off(layout, capsys):
    torch.manual_seed(0)
    edges = (torch.eye(16) + (torch.rand(16, 16) < 0.2)).to_sparse(layout=layout)
    assert found(Graph(), ((torch.randn(16, 6), edges), torch.randint(4, (16,)))) == []
    assert "switched off" not in "".join(capsys.readouterr())


def test_right_models_are_silent():
    torch.manual_seed(0)
    lengths = torch.randint(2, 8, (12,))
    words = torch.randint(1, 20, (12, 8)).masked_fill(torch.arange(8) >= lengths[:, None], 0)
    assert found(Attention(), ((words, lengths), torch.randint(4, (12,)))) == []
    assert found(Adapted(), (torch.randn(10, 6), torch.arange(10)), similar) == []
    assert found(Encoder(), (torch.randn(12, 5, 16), torch.randint(4, (12,)))) == []
    model = Net()
    nn.init.zeros_(model.head.weight)
    assert found(model) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_right_programs_go_on_as_before(program):
    torch.manual_seed(0)
    watching = start(out=io.StringIO(), checking="and go on")
    losses, state = program(), torch.get_rng_state()
    watching.finish()
    assert watching.findings == [] and watching.failures == {}
    torch.manual_seed(0)
    assert program() == losses and torch.equal(torch.get_rng_state(), state)


SCRIPT = """
import torch
class Net(torch.nn.Linear):
    def forward(self, first, second):
        return super().forward({second})
model = Net(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    model(torch.randn(8, 4), torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    print("step", step)
"""


@pytest.mark.parametrize(
    ("second", "status"), [("first", FOUND), pytest.param("first - second", 0, marks=pytest.mark.exhaustive)]
)
def test_check_ends_the_program_after_its_first_step_or_goes_on(tmp_path, second, status):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(second=second))
    for options, printed in ((["--check"], ""), (["--check", "--watch"], "step 0 step 1 step 2 step 3 step 4")):
        command = [sys.executable, "-m", "torch_errors", *options, "--watch-strict", str(script)]
        run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert run.returncode == status, run.stderr
        assert " ".join(run.stdout.split("\n")).strip() == printed
        assert ("in Net, the input `second` does not reach the output" in run.stderr) == (status == FOUND)
