import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp
from tests.snippets.untouched import untouched

EarlyStopping = load("early_stopping").EarlyStopping


def epochs_until_stop(stopping, values):
    for epoch, value in enumerate(values):
        if stopping.step(value):
            return epoch
    return None


def test_a_loss_that_rises_again_stops_and_the_best_epoch_is_named(capsys):
    stopping = EarlyStopping(patience=3)
    assert epochs_until_stop(stopping, [1.0, 0.5, 0.6, 0.55, 0.7, 0.8]) == 4
    assert (stopping.best, stopping.best_epoch) == (0.5, 1)
    assert capsys.readouterr().out == "stopped after epoch 4: no better than 0.5 of epoch 1 for 3 epochs\n"


def test_a_loss_that_falls_or_swings_shortly_does_not_stop_and_prints_nothing(capsys):
    assert epochs_until_stop(EarlyStopping(patience=1), [1 / (1 + epoch) for epoch in range(50)]) is None
    assert epochs_until_stop(EarlyStopping(patience=3), [1.0, 1.2, 1.1, 0.9, 1.2, 1.1, 0.8]) is None
    assert capsys.readouterr().out == ""


def test_a_small_gain_does_not_count_where_min_delta_says_so():
    creeping = [1.0 - 0.001 * epoch for epoch in range(10)]
    assert epochs_until_stop(EarlyStopping(patience=3), creeping) is None
    assert epochs_until_stop(EarlyStopping(patience=3, min_delta=0.01), creeping) == 3


def test_an_accuracy_is_better_when_it_is_higher():
    values = [0.5, 0.7, 0.6, 0.65]
    assert epochs_until_stop(EarlyStopping(patience=2, mode="max"), values) == 3
    assert epochs_until_stop(EarlyStopping(patience=2, mode="min"), values) == 2


def test_nan_is_named_and_not_counted_as_no_improvement():
    stopping = EarlyStopping(patience=3)
    stopping.step(1.0)
    with pytest.raises(FloatingPointError, match="the value of epoch 1 is NaN"):
        stopping.step(float("nan"))


@pytest.mark.parametrize("values", [[math.inf] * 3, [torch.tensor(1.0), torch.tensor(2.0), torch.tensor(2.0)]])
def test_infinite_numbers_and_tensors_are_values(values):
    assert epochs_until_stop(EarlyStopping(patience=2), values) == 2


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
        stopping.step(value)
    assert not torch.equal(states[1]["0.weight"], states[3]["0.weight"])
    stopping.restore_best()
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, states[1][name]), name


def test_the_model_is_untouched_until_it_is_restored():
    model = mlp()
    with untouched(model):
        epochs_until_stop(EarlyStopping(model, patience=2), [1.0, 0.5, 0.9, 0.9])


def test_it_goes_on_after_a_checkpoint_that_is_read_with_weights_only(tmp_path):
    model = mlp()
    first = EarlyStopping(model, patience=3)
    epochs_until_stop(first, [1.0, 0.5, 0.6])
    torch.save(first.state_dict(), tmp_path / "stopping.pt")
    second = EarlyStopping(model, patience=3)
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


def test_restoring_without_a_model_or_a_step_gets_a_clear_error():
    for stopping in (EarlyStopping(), EarlyStopping(mlp())):
        with pytest.raises(RuntimeError, match="no state was kept"):
            stopping.restore_best()
