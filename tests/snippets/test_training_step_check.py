import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import cut, mlp, poison, sgd, trained
from tests.snippets.untouched import untouched

check = load("training_step_check").training_step_check
BATCH = torch.randn(16, 6), torch.arange(16) % 3
CROSS_ENTROPY = nn.CrossEntropyLoss()


def test_a_healthy_step_has_no_problem_and_model_and_optimizer_stay_as_they_are():
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3)).eval()
    optimizer = torch.optim.AdamW(model.parameters())
    with untouched(model):
        assert check(model, optimizer, BATCH, CROSS_ENTROPY) == []
    assert not optimizer.state


def dead() -> nn.Module:
    model = mlp()
    nn.init.constant_(model[0].bias, -1000)  # all units of the ReLU are inactive
    return model


@pytest.mark.parametrize(
    ("build", "problems"),
    [
        (cut, ["no gradient reaches encoder.weight, encoder.bias"]),
        (dead, ["the gradient is zero in 0.weight, 0.bias, 2.weight"]),
    ],
    ids=["cut", "dead"],
)
def test_gradients_that_are_missing_or_zero_are_named(build, problems):
    model = build()
    assert check(model, sgd(model), BATCH, CROSS_ENTROPY)[: len(problems)] == problems


def test_nan_is_named_and_a_single_number_may_have_a_gradient_of_zero():
    model = mlp()
    poison(model[0].weight, 1, 2)
    loss, *problems = check(model, sgd(model), BATCH, CROSS_ENTROPY)
    assert loss.startswith("the loss is not finite")
    assert any(problem.startswith("the gradient is not finite in 0.weight") for problem in problems)
    model = nn.Linear(6, 1)  # half of the targets are above the output
    batch = BATCH[0], 100.0 * torch.tensor([1, -1] * 8)[:, None]
    assert check(model, sgd(model), batch, nn.L1Loss()) == []


def test_parameters_that_the_optimizer_does_not_change_and_a_loss_without_a_graph():
    model = mlp()
    problems = check(model, sgd(model, lr=1e-20), BATCH, CROSS_ENTROPY)
    assert problems == ["the optimizer does not change 0.weight, 0.bias, 2.weight, 2.bias"]
    assert check(model, sgd(model, lr=0.0), BATCH, CROSS_ENTROPY) == []  # as at the start of a warm-up
    model.requires_grad_(False)
    assert "the loss has no graph" in check(model, sgd(model), BATCH, CROSS_ENTROPY)[0]


def test_the_steps_are_those_of_a_loop(capsys):
    """They run in training mode, without gradients left over from before."""
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
    plain = copy.deepcopy(model)
    CROSS_ENTROPY(model.eval()(BATCH[0]), BATCH[1]).backward()
    check(model, sgd(model), BATCH, CROSS_ENTROPY)
    losses = trained(plain, [BATCH, BATCH], CROSS_ENTROPY, sgd(plain))
    assert f"loss {losses[0]:.3g} at the first step, {losses[1]:.3g} at the second" in capsys.readouterr().out
