import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Cut, Recurrent, Stateful, Wired, mlp, poison
from tests.snippets.untouched import untouched

gradient_report = load("gradient_report").gradient_report


def trained(model: nn.Module, inputs: int = 6) -> nn.Module:
    model(torch.randn(4, inputs)).square().sum().backward()
    return model


def test_a_healthy_model_has_no_problem_and_the_norm_of_clip_grad_norm(capsys):
    model = trained(mlp())
    problems, total_norm = gradient_report(model)
    assert problems == {}
    assert total_norm == pytest.approx(nn.utils.clip_grad_norm_(model.parameters(), math.inf).item(), rel=1e-5)
    out = capsys.readouterr().out
    assert all(word not in out for word in ("NO GRADIENT", "ZERO", "NOT FINITE", "frozen", "No gradient"))


def test_a_detached_branch_has_no_gradient(capsys):
    assert gradient_report(trained(Cut())).problems == {
        "encoder.weight": "no gradient",
        "encoder.bias": "no gradient",
    }
    assert capsys.readouterr().out.count("NO GRADIENT") == 2


def test_a_layer_frozen_on_purpose_is_reported_and_no_problem(capsys):
    model = mlp()
    model[0].requires_grad_(False)
    assert gradient_report(trained(model)).problems == {}
    assert capsys.readouterr().out.count("frozen") == 2


def test_a_frozen_parameter_with_an_old_gradient_is_a_problem():
    model = trained(mlp())
    model[0].weight.requires_grad_(False)
    before = model[0].weight.clone()
    assert gradient_report(model).problems == {"0.weight": "left over"}
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert not torch.equal(model[0].weight, before)  # what the report warns of is true


def test_zero_gradients_behind_dead_units_are_named():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    problems = gradient_report(trained(model)).problems
    assert problems == {"0.weight": "zero", "0.bias": "zero", "2.weight": "zero"}


def classified(model: nn.Module) -> nn.Module:
    inputs, labels = torch.randn(16, 6), torch.arange(16) % 3
    nn.functional.cross_entropy(model(inputs), labels).backward()
    return model


def deep(activation, gain: float = 1.0) -> nn.Sequential:
    layers = [layer for _ in range(20) for layer in (nn.Linear(32, 32), activation())]
    model = nn.Sequential(nn.Linear(6, 32), *layers, nn.Linear(32, 3))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(gain if parameter.dim() > 1 else 1.0)
    return model


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 10))])
def test_vanishing_gradients_are_named_from_the_first_layer_on(capsys, seed):
    torch.manual_seed(seed)
    for activation in (nn.ReLU, nn.Sigmoid):
        problems, _ = gradient_report(classified(deep(activation)))
        assert problems["0.weight"] == problems["1.weight"] == "vanishing"
        assert not any(name.startswith("41.") for name in problems)
    assert "VANISHING: too small to change the weight" in capsys.readouterr().out
    assert gradient_report(classified(deep(nn.ReLU, 6**0.5))).problems == {}  # He's initialization


def test_gradients_that_are_small_everywhere_are_the_end_of_training(capsys):
    """A linear regression that has found its minimum."""
    inputs = torch.randn(64, 6, dtype=torch.float64)
    targets = inputs @ torch.ones(6, 1, dtype=torch.float64) + torch.randn(64, 1, dtype=torch.float64)
    model = nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 1)).double()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=500, tolerance_grad=0, tolerance_change=0)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        return loss

    for _ in range(20):
        optimizer.step(closure)
    problems, total_norm = gradient_report(model)
    assert total_norm < 1e-12 and problems == {}
    assert "No gradient changes a weight: training has reached a minimum" in capsys.readouterr().out


def test_a_branch_that_is_scaled_down_is_no_problem():
    def forward(model, x):
        x = model.stem(x)
        return model.head(x + 1e-9 * model.body(x))

    model = Wired(forward, stem=nn.Linear(6, 6), body=mlp(6, 6), head=nn.Linear(6, 3))
    assert gradient_report(classified(model)).problems == {}


def test_a_head_that_begins_at_zero_is_no_problem(capsys):
    model = mlp()
    nn.init.zeros_(model[2].weight)
    nn.init.zeros_(model[2].bias)
    assert gradient_report(classified(model)).problems == {}
    assert "0 as long as 2.weight is 0: look again after a step" in capsys.readouterr().out
    for parameter in model.parameters():
        nn.init.zeros_(parameter)  # all of them: nothing but the last bias learns
    model.zero_grad()
    assert gradient_report(classified(model)).problems == dict.fromkeys(["0.weight", "0.bias", "2.weight"], "zero")


def test_a_nan_weight_shows_in_every_gradient_that_it_reaches(capsys):
    model = mlp()
    poison(model[2].weight, 1, 3)
    problems, total_norm = gradient_report(trained(model))
    # Only the second output is NaN, and with it the second row of the last layer and all of the layer before.
    assert problems == {name: "not finite" for name, _ in model.named_parameters()}
    assert "NOT FINITE: 1 of 3 values" in capsys.readouterr().out
    assert math.isnan(total_norm)


def test_a_parameter_left_on_meta_is_named():
    model = nn.Linear(6, 3, device="meta")
    model(torch.randn(4, 6, device="meta")).sum().backward()
    assert gradient_report(model).problems == {"weight": "on meta", "bias": "on meta"}


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda model: model, "call this after loss.backward()"),
        (lambda model: model.requires_grad_(False), "every parameter is frozen"),
    ],
    ids=["before backward", "frozen"],
)
def test_no_gradient_at_all_is_explained(capsys, prepare, message):
    gradient_report(prepare(mlp()))
    assert message in capsys.readouterr().out


def test_sparse_gradients_of_an_embedding_are_measured():
    model = Recurrent()
    model(torch.tensor([[1, 1, 2]])).logits.sum().backward()
    assert model.embed.weight.grad.is_sparse
    problems, total_norm = gradient_report(model)
    assert problems == {}
    model.embed.weight.grad = model.embed.weight.grad.to_dense()
    assert gradient_report(model).total_norm == pytest.approx(total_norm)


def test_norms_of_half_precision_do_not_overflow():
    model = nn.Linear(2, 2).half()
    model.weight.grad = torch.full((2, 2), 60000.0, dtype=torch.float16)  # the norm is above 65504
    model.bias.grad = torch.ones(2, dtype=torch.float16)
    problems, total_norm = gradient_report(model)
    assert problems == {}
    assert total_norm == pytest.approx(120000, rel=1e-3)


def test_complex_parameters_work():
    model = nn.Linear(6, 3, dtype=torch.complex64)
    model(torch.randn(4, 6, dtype=torch.complex64)).abs().sum().backward()
    assert gradient_report(model).problems == {}


def test_empty_and_compiled_models_work():
    assert gradient_report(nn.ReLU()) == ({}, 0.0)
    assert gradient_report(trained(torch.compile(mlp(), backend="eager"))).problems == {}


def test_everything_stays_as_it_was():
    model = trained(Stateful())
    with untouched(model):
        gradient_report(model)


def test_a_loss_in_place_of_the_model_gets_a_clear_error():
    with pytest.raises(TypeError, match=r"takes the model, after loss\.backward\(\), not a Tensor"):
        gradient_report(torch.ones(()))
