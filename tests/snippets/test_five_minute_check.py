import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import cut, mlp, poison
from tests.snippets.untouched import untouched

check = load("five_minute_check").five_minute_check
INPUTS, LABELS = torch.randn(16, 6, generator=torch.Generator().manual_seed(1)), torch.arange(16) % 3
CROSS_ENTROPY = nn.CrossEntropyLoss()
NOT_MEMORIZED = "the loss of the small run does not fall by half in 100 steps"


def test_nothing_is_found_in_a_healthy_model_and_it_stays_as_it_is():
    model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 3)).eval()
    with untouched(model):
        assert check(model, (INPUTS, LABELS), CROSS_ENTROPY) == []


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        (INPUTS[:1].expand(16, 6), "inputs: all samples are the same"),
        (INPUTS / (INPUTS.max() != INPUTS), "inputs: 1 values are NaN or infinite"),
    ],
    ids=["identical", "infinite"],
)
def test_problems_of_the_data(inputs, problem):
    assert problem in check(mlp(), (inputs, LABELS), CROSS_ENTROPY)


def test_integers_need_no_scaling():
    model = nn.Sequential(nn.EmbeddingBag(1000, 8), nn.Linear(8, 3))
    assert check(model, (torch.arange(160).view(16, 10) * 6, LABELS), CROSS_ENTROPY) == []


def dead() -> nn.Module:
    model = mlp().append(nn.ReLU())
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    return model


def with_nan() -> nn.Module:
    model = mlp()
    poison(model[0].weight, 0, 0)
    return model


@pytest.mark.parametrize(
    ("build", "problems"),
    [
        (cut, ["no gradient reaches encoder.weight, encoder.bias"]),
        (dead, ["the norm of the gradient is 0", NOT_MEMORIZED]),
        (with_nan, ["the norm of the gradient is nan", NOT_MEMORIZED]),
        (lambda: mlp().append(nn.Softmax(dim=1)), [NOT_MEMORIZED]),
    ],
    ids=["cut", "dead", "nan", "softmax"],
)
def test_problems_of_the_model_and_of_a_short_run(build, problems):
    assert check(build(), (INPUTS, LABELS), CROSS_ENTROPY) == problems
