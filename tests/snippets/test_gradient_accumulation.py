import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, sgd, trained, weights
from tests.snippets.untouched import untouched

module = load("gradient_accumulation")
BATCH = torch.randn(30, 6), torch.randn(30, 3)
MSE = nn.MSELoss()


@pytest.mark.parametrize("sizes", [[10, 10, 10], [4, 20, 6]], ids=["equal", "unequal"])
def test_a_step_equals_that_of_the_whole_batch(sizes):
    model = mlp()
    MSE(model(BATCH[0]), BATCH[1]).backward()  # gradients left over from before
    whole = copy.deepcopy(model)
    losses = trained(whole, [BATCH], MSE, sgd(whole))
    parts = list(zip(BATCH[0].split(sizes), BATCH[1].split(sizes), strict=True))
    assert module.accumulated_step(model, parts, MSE, sgd(model)) == pytest.approx(losses[0], rel=1e-5)
    torch.testing.assert_close(weights(model), weights(whole))


def test_the_total_gradient_is_clipped():
    model = mlp()
    before = weights(model)
    module.accumulated_step(model, [BATCH, BATCH], MSE, sgd(model, lr=1.0), max_norm=0.01)
    assert (weights(model) - before).norm().item() == pytest.approx(0.01, rel=1e-3)


def test_groups_keep_every_batch_in_its_order():
    assert list(module.in_groups(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]


def test_batch_normalization_makes_a_difference_and_the_model_stays_as_it_is():
    """Without batch normalization, gradients are the same: see test_healthy.py."""
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3)).eval()
    with untouched(model):
        assert module.compare_with_full_batch(model, BATCH, MSE) > 0.01
