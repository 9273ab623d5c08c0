"""training_step_check: what the two steps on one batch show, and that they leave model and optimizer as they were."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import cut, mlp, poison
from tests.snippets.untouched import untouched

check = load("training_step_check").training_step_check
BATCH = torch.randn(16, 6), torch.arange(16) % 3
CROSS_ENTROPY = nn.CrossEntropyLoss()


def sgd(model: nn.Module, lr: float = 0.1) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=lr)


def test_a_healthy_step_has_no_problem_and_model_and_optimizer_stay_as_they_are(capsys):
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3)).eval()
    optimizer = torch.optim.AdamW(model.parameters())
    with untouched(model):
        assert check(model, optimizer, BATCH, CROSS_ENTROPY) == []
    assert not optimizer.state
    printed = capsys.readouterr().out
    assert "output [16, 3] float32, targets [16] int64" in printed and "No problem found." in printed


def dead() -> nn.Module:
    model = mlp()
    nn.init.constant_(model[0].bias, -1000)  # no unit of the ReLU is ever active
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
    model = nn.Linear(6, 1)  # as many targets above the output as below
    batch = BATCH[0], 100.0 * torch.tensor([1, -1] * 8)[:, None]
    assert check(model, sgd(model), batch, nn.L1Loss()) == []


def test_parameters_that_the_optimizer_does_not_have_or_change():
    model = mlp()
    assert check(model, sgd(model[2]), BATCH, CROSS_ENTROPY) == ["not in the optimizer: 0.weight, 0.bias"]
    problems = check(model, sgd(model, lr=1e-20), BATCH, CROSS_ENTROPY)
    assert problems == ["the optimizer does not change 0.weight, 0.bias, 2.weight, 2.bias"]
    assert check(model, sgd(model, lr=0.0), BATCH, CROSS_ENTROPY) == []  # a warm-up may begin so


def test_frozen_parameters_are_left_out():
    model = mlp()
    model[0].requires_grad_(False)
    assert check(model, sgd(model[2]), BATCH, CROSS_ENTROPY) == []
    model.requires_grad_(False)
    assert "the loss has no graph" in check(model, sgd(model), BATCH, CROSS_ENTROPY)[0]


@pytest.mark.parametrize(("shape", "broadcasts"), [((16, 1), False), ((16,), True)])
def test_a_loss_that_broadcasts(shape, broadcasts):
    model = mlp(outputs=1)
    problems = check(model, sgd(model), (BATCH[0], torch.randn(shape)), nn.MSELoss())
    assert [problem.startswith("the loss broadcasts [16, 1] and [16]") for problem in problems] == [True] * broadcasts


def test_batches_of_another_form():
    model = mlp()
    batch = {"x": BATCH[0], "label": BATCH[1]}

    def loss(model, batch):
        return CROSS_ENTROPY(model(batch["x"]), batch["label"])

    assert check(model, sgd(model), batch, compute_loss=loss) == []
    assert check(model, sgd(model[0]), batch, compute_loss=loss) == ["not in the optimizer: 2.weight, 2.bias"]


def test_the_steps_are_those_of_a_loop(capsys):
    """In training mode, without gradients that are left from before."""
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
    plain = copy.deepcopy(model)
    CROSS_ENTROPY(model.eval()(BATCH[0]), BATCH[1]).backward()
    check(model, sgd(model), BATCH, CROSS_ENTROPY)
    losses, optimizer = [], sgd(plain)
    for _ in range(2):
        loss = CROSS_ENTROPY(plain(BATCH[0]), BATCH[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert f"loss {losses[0]:.3g} at the first step, {losses[1]:.3g} at the second" in capsys.readouterr().out
