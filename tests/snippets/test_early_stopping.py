import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp
from tests.snippets.untouched import untouched

EarlyStopping = load("early_stopping").EarlyStopping


def stops(values, **options):
    """After which epoch it stops, if it does."""
    stopping = EarlyStopping(**options)
    return next((epoch for epoch, value in enumerate(values) if stopping.step(value)), None)


@pytest.mark.parametrize(
    ("values", "options", "epoch"),
    [
        ([1.0, 0.5, 0.6, 0.55, 0.7, 0.8], {"patience": 3}, 4),
        ([1 / (1 + epoch) for epoch in range(50)], {"patience": 1}, None),
        ([1.0, 1.2, 1.1, 0.9, 1.2, 1.1, 0.8], {"patience": 3}, None),  # swings
        ([1.0 - 0.001 * epoch for epoch in range(10)], {"patience": 3}, None),
        ([1.0 - 0.001 * epoch for epoch in range(10)], {"patience": 3, "min_delta": 0.01}, 3),
        ([0.5, 0.7, 0.6, 0.65], {"patience": 2, "mode": "max"}, 3),
        ([0.5, 0.7, 0.6, 0.65], {"patience": 2, "mode": "min"}, 2),
        ([math.inf] * 3, {"patience": 2}, 2),
        ([torch.tensor(1.0), torch.tensor(2.0), torch.tensor(2.0)], {"patience": 2}, 2),
    ],
)
def test_it_stops_after_as_many_epochs_without_a_gain_as_it_is_told(values, options, epoch, capsys):
    assert stops(values, **options) == epoch
    out = capsys.readouterr().out
    assert out.startswith(f"stopped after epoch {epoch}: no better than") if epoch else out == ""


def test_the_best_epoch_is_named_and_nan_is_not_counted_as_no_improvement(capsys):
    stopping = EarlyStopping(patience=1)
    assert [stopping.step(value) for value in (1.0, 0.5, 0.6)] == [False, False, True]
    assert (stopping.best, stopping.best_epoch) == (0.5, 1)
    assert capsys.readouterr().out == "stopped after epoch 2: no better than 0.5 of epoch 1 for 1 epochs\n"
    with pytest.raises(FloatingPointError, match="the value of epoch 1 is NaN"):
        stops([1.0, float("nan")], patience=3)


def test_the_best_weights_and_buffers_come_back_although_training_went_on():
    model = nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    stopping = EarlyStopping(model, patience=2)
    states = []
    for value in (1.0, 0.5, 0.9, 0.9):
        optimizer.zero_grad()
        model(torch.randn(8, 6)).square().mean().backward()
        optimizer.step()
        states.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
        with untouched(model):
            stopping.step(value)
    assert not torch.equal(states[1]["0.weight"], states[3]["0.weight"])
    stopping.restore_best()
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, states[1][name]), name


def test_it_goes_on_after_a_checkpoint_that_is_read_with_weights_only(tmp_path):
    first, second = (EarlyStopping(mlp(), patience=3) for _ in range(2))
    assert not any(first.step(value) for value in (1.0, 0.5, 0.6))
    torch.save(first.state_dict(), tmp_path / "stopping.pt")
    second.load_state_dict(torch.load(tmp_path / "stopping.pt", weights_only=True))
    assert not second.step(0.7) and second.step(0.7)
    assert (second.best, second.best_epoch) == (0.5, 1)
    second.restore_best()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"model": 5}, TypeError, "write patience=5"),
        ({"mode": "accuracy"}, ValueError, 'must be "min"'),
        ({"patience": 0}, ValueError, "patience must be at least 1"),
        ({"min_delta": -1.0}, ValueError, "min_delta at least 0"),
    ],
)
def test_wrong_settings_get_a_clear_error(arguments, error, message):
    with pytest.raises(error, match=message):
        EarlyStopping(**arguments)
    for stopping in (EarlyStopping(), EarlyStopping(mlp())):
        with pytest.raises(RuntimeError, match="no state was kept"):
            stopping.restore_best()
