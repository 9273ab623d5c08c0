import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.untouched import untouched

EarlyStopping = load("early_stopping").EarlyStopping


@pytest.mark.parametrize(
    ("values", "options", "epoch"),
    [
        ([1.0, 1.2, 1.1, 0.9, 1.2, 1.1, 0.8], {"patience": 3}, None),  # oscillates
        ([1.0 - 0.001 * epoch for epoch in range(10)], {"patience": 3}, None),
        ([1.0 - 0.001 * epoch for epoch in range(10)], {"patience": 3, "min_delta": 0.01}, 3),
        ([0.5, 0.7, 0.6, 0.65], {"patience": 2, "mode": "max"}, 3),
        ([math.inf] * 3, {"patience": 2}, 2),
        ([torch.tensor(1.0), torch.tensor(2.0), torch.tensor(2.0)], {"patience": 2}, 2),
    ],
)
def test_it_stops_after_the_given_number_of_epochs_without_a_gain(values, options, epoch):
    stopping = EarlyStopping(**options)
    assert next((epoch for epoch, value in enumerate(values) if stopping.step(value)), None) == epoch


def test_nan_is_not_counted_as_no_improvement():
    stopping = EarlyStopping(patience=3)
    stopping.step(1.0)
    with pytest.raises(FloatingPointError, match="the value of epoch 1 is NaN"):
        stopping.step(math.nan)


def test_it_continues_after_a_checkpoint_and_restores_the_best_buffers(tmp_path):
    models = nn.BatchNorm1d(6), nn.BatchNorm1d(6)
    first, second = (EarlyStopping(model, patience=3) for model in models)
    averages = []
    for value in (1.0, 0.5, 0.6):
        models[0](torch.randn(8, 6))
        averages.append(models[0].running_mean.clone())
        with untouched(models[0]):
            assert not first.step(value)
    torch.save(first.state_dict(), tmp_path / "stopping.pt")
    second.load_state_dict(torch.load(tmp_path / "stopping.pt", weights_only=True))
    assert not second.step(0.7) and second.step(0.7)
    second.restore_best()
    assert (second.best, second.best_epoch) == (0.5, 1) and torch.equal(models[1].running_mean, averages[1])
