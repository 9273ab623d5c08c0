"""gradient_accumulation: the accumulated gradient is that of the whole batch, and the comparison notices where not."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, recurrent
from tests.snippets.untouched import untouched

module = load("gradient_accumulation")
BATCH = torch.randn(30, 6), torch.randn(30, 3)
MSE = nn.MSELoss()


@pytest.mark.parametrize("sizes", [[10, 10, 10], [4, 20, 6]], ids=["equal", "unequal"])
def test_a_step_is_that_of_the_whole_batch(sizes):
    model = mlp()
    MSE(model(BATCH[0]), BATCH[1]).backward()  # left from before
    whole = copy.deepcopy(model)
    optimizer = torch.optim.SGD(whole.parameters(), lr=0.1)
    loss = MSE(whole(BATCH[0]), BATCH[1])
    loss.backward()
    optimizer.step()
    parts = list(zip(BATCH[0].split(sizes), BATCH[1].split(sizes), strict=True))
    mean = module.accumulated_step(model, parts, MSE, torch.optim.SGD(model.parameters(), lr=0.1))
    assert mean == pytest.approx(loss.item(), rel=1e-5)
    for one, other in zip(model.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_the_total_gradient_is_clipped():
    model = mlp()
    before = nn.utils.parameters_to_vector(model.parameters()).clone()
    module.accumulated_step(model, [BATCH, BATCH], MSE, torch.optim.SGD(model.parameters(), lr=1.0), max_norm=0.01)
    moved = (nn.utils.parameters_to_vector(model.parameters()) - before).norm()
    assert moved.item() == pytest.approx(0.01, rel=1e-3)


def test_groups_keep_every_batch_in_its_order():
    assert list(module.in_groups(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]


def test_the_same_gradient_and_the_model_stays_as_it_is(capsys):
    """Of more models: test_healthy.py."""
    model = mlp().append(nn.Dropout()).eval()
    with untouched(model):
        assert module.compare_with_full_batch(model, BATCH, MSE) < 1e-4
    assert capsys.readouterr().out == "the same gradient in 4 parts as in one\n"


def test_the_same_with_dropout_in_a_layer_and_sparse_gradients():
    model = recurrent()
    model.lstm = nn.LSTM(8, 8, num_layers=2, dropout=0.5, batch_first=True)
    loss = nn.CrossEntropyLoss()
    batch = torch.randint(20, (12, 5)), torch.arange(12) % 5
    assert module.compare_with_full_batch(model, batch, lambda output, labels: loss(output.logits, labels)) < 1e-4


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (mlp(), nn.MSELoss(reduction="sum")),
        (nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)), MSE),
    ],
    ids=["sum", "batch norm"],
)
def test_another_gradient(model, loss, capsys):
    assert module.compare_with_full_batch(model, BATCH, loss) > 0.01
    assert "NOT the same gradient" in capsys.readouterr().out
