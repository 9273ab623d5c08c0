"""five_minute_check: its four steps, and the problems that they find."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Cut, Wired, mlp, poison
from tests.snippets.untouched import untouched

check = load("five_minute_check").five_minute_check
INPUTS, LABELS = torch.randn(16, 6, generator=torch.Generator().manual_seed(1)), torch.arange(16) % 3
CROSS_ENTROPY = nn.CrossEntropyLoss()


def with_value(value: float) -> torch.Tensor:
    inputs = INPUTS.clone()
    inputs[3, 2] = value
    return inputs


@pytest.mark.parametrize(
    "model",
    [
        mlp(),
        nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 3)),
        nn.Linear(6, 3),
    ],
    ids=["mlp", "batch norm", "linear"],
)
def test_nothing_is_found_in_a_healthy_model(model, capsys):
    with untouched(model.eval()):
        assert check(model, (INPUTS, LABELS), CROSS_ENTROPY) == []
    lines = capsys.readouterr().out.splitlines()
    assert [line[0] for line in lines if line[0].isdigit()] == ["1", "2", "3", "4"]
    assert "  targets [16] torch.int64 on cpu, 0 to 2" in lines and lines[-1] == "No problem found."


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        (INPUTS[:1].expand(16, 6), "inputs: all samples are the same"),
        (with_value(150.0), "inputs from -3.33 to 150 are not scaled: bring them near -1 to 1"),
        (with_value(float("nan")), "inputs: 1 values are NaN or infinite"),
    ],
    ids=["identical", "unscaled", "nan"],
)
def test_data(inputs, problem):
    assert problem in check(mlp(), (inputs, LABELS), CROSS_ENTROPY)


def test_whole_numbers_need_no_scaling():
    model = nn.Sequential(nn.EmbeddingBag(1000, 8), nn.Linear(8, 3))
    assert check(model, (torch.arange(160).view(16, 10) * 6, LABELS), CROSS_ENTROPY) == []


def test_parameters_without_a_gradient():
    problems = check(Cut(), (INPUTS, LABELS), CROSS_ENTROPY)
    assert problems == ["no gradient reaches encoder.weight, encoder.bias"]


def test_frozen_parameters_need_none():
    model = mlp()
    model[0].requires_grad_(False)
    assert check(model, (INPUTS, LABELS), CROSS_ENTROPY) == []


def test_a_dead_model():
    model = mlp()
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    dead = nn.Sequential(model, nn.ReLU())
    assert check(dead, (INPUTS, LABELS), CROSS_ENTROPY) == [
        "the norm of the gradient is 0",
        "the loss of the small run does not fall by half in 100 steps",
    ]


def test_nan_in_a_weight():
    model = mlp()
    poison(model[0].weight, 0, 0)
    assert "the norm of the gradient is nan" in check(model, (INPUTS, LABELS), CROSS_ENTROPY)


def test_softmax_before_cross_entropy():
    model = mlp().append(nn.Softmax(dim=1))
    problems = check(model, (INPUTS, LABELS), CROSS_ENTROPY)
    assert problems == ["the loss of the small run does not fall by half in 100 steps"]


def test_batches_of_another_form():
    def loss(model, batch):
        return CROSS_ENTROPY(model(batch["x"]), batch["label"])

    batch = {"x": INPUTS, "label": LABELS}
    assert check(mlp(), batch, compute_loss=loss) == []
    assert check(Cut(), batch, compute_loss=loss) == ["no gradient reaches encoder.weight, encoder.bias"]


def test_errors_of_the_model_are_passed_on():
    def fails(model, x):
        raise RuntimeError("shapes")

    with pytest.raises(RuntimeError, match="shapes"):
        check(Wired(fails, layer=nn.Linear(6, 3)), (INPUTS, LABELS), CROSS_ENTROPY)
