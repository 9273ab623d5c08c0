import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Stateful, Wired, mlp, poison, recurrent
from tests.snippets.untouched import untouched

gradient_report = load("gradient_report").gradient_report


def trained(model: nn.Module, dtype: torch.dtype = torch.float32) -> nn.Module:
    model(torch.randn(4, 6, dtype=dtype)).abs().square().sum().backward()
    return model


def classified(model: nn.Module) -> nn.Module:
    nn.functional.cross_entropy(model(torch.randn(16, 6)), torch.arange(16) % 3).backward()
    return model


def test_a_healthy_model_has_no_problem_and_the_norm_of_clip_grad_norm():
    model = trained(Stateful())
    with untouched(model):
        problems, total_norm = gradient_report(model)
    assert problems == {}
    assert total_norm == pytest.approx(nn.utils.clip_grad_norm_(model.parameters(), math.inf).item(), rel=1e-5)


def test_a_layer_frozen_on_purpose_is_no_problem_but_an_old_gradient_of_it_is(capsys):
    model = mlp()
    model[0].requires_grad_(False)
    assert gradient_report(trained(model)).problems == {}
    assert capsys.readouterr().out.count("frozen") == 2
    model[2].weight.requires_grad_(False)
    before = model[2].weight.clone()
    assert gradient_report(model).problems == {"2.weight": "left over"}
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert not torch.equal(model[2].weight, before)  # the warning of the report is true


def deep(activation, gain: float = 1.0) -> nn.Sequential:
    layers = [layer for _ in range(20) for layer in (nn.Linear(32, 32), activation())]
    model = nn.Sequential(nn.Linear(6, 32), *layers, nn.Linear(32, 3))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(gain if parameter.dim() > 1 else 1.0)
    return model


@pytest.mark.parametrize("seed", range(3))
def test_vanishing_gradients_are_named_from_the_first_layer_on(capsys, seed):
    torch.manual_seed(seed)
    for activation in (nn.ReLU, nn.Sigmoid):
        problems, _ = gradient_report(classified(deep(activation)))
        assert problems["0.weight"] == problems["1.weight"] == "vanishing"
        assert not any(name.startswith("41.") for name in problems)
    assert "VANISHING: too small to change the weight" in capsys.readouterr().out
    assert gradient_report(classified(deep(nn.ReLU, 6**0.5))).problems == {}  # Kaiming initialization


def test_gradients_that_are_small_everywhere_are_the_end_of_training(capsys):
    """As in a linear regression at its minimum."""
    inputs = torch.randn(64, 6, dtype=torch.float64)
    targets = inputs @ torch.ones(6, 1, dtype=torch.float64) + torch.randn(64, 1, dtype=torch.float64)
    model = nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 1)).double()
    nn.init.eye_(model[0].weight)
    nn.init.zeros_(model[0].bias)
    solution = torch.linalg.lstsq(torch.cat([inputs, torch.ones_like(targets)], 1), targets).solution.T
    with torch.no_grad():
        model[1].weight.copy_(solution[:, :6])
        model[1].bias.copy_(solution[:, 6])
    nn.functional.mse_loss(model(inputs), targets).backward()
    problems, total_norm = gradient_report(model)
    assert total_norm < 1e-12 and problems == {}
    assert "No gradient changes a weight: training has reached a minimum" in capsys.readouterr().out


def test_a_branch_that_is_scaled_down_is_no_problem():
    def forward(model, x):
        x = model.stem(x)
        return model.head(x + 1e-9 * model.body(x))

    model = Wired(forward, stem=nn.Linear(6, 6), body=mlp(6, 6), head=nn.Linear(6, 3))
    assert gradient_report(classified(model)).problems == {}


def test_zero_gradients_are_named_but_not_before_a_head_that_starts_at_zero(capsys):
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)  # dead units
    assert gradient_report(trained(model)).problems == dict.fromkeys(["0.weight", "0.bias", "2.weight"], "zero")
    model = mlp()
    nn.init.zeros_(model[2].weight)
    nn.init.zeros_(model[2].bias)
    assert gradient_report(classified(model)).problems == {}
    assert "0 as long as 2.weight is 0: look again after a step" in capsys.readouterr().out
    for parameter in model.parameters():
        nn.init.zeros_(parameter)  # all units are dead, so that only the last bias learns
    model.zero_grad()
    assert gradient_report(classified(model)).problems == dict.fromkeys(["0.weight", "0.bias", "2.weight"], "zero")


def test_a_nan_weight_shows_in_every_gradient_that_it_reaches(capsys):
    model = mlp()
    poison(model[2].weight, 1, 3)
    problems, total_norm = gradient_report(trained(model))
    # The second output is NaN, and so the second row of the last layer and the whole layer before it.
    assert problems == {name: "not finite" for name, _ in model.named_parameters()}
    assert "NOT FINITE: 1 of 3 values" in capsys.readouterr().out
    assert math.isnan(total_norm)


def test_no_gradient_at_all_is_explained(capsys):
    gradient_report(mlp())
    assert "call this after loss.backward()" in capsys.readouterr().out
    gradient_report(mlp().requires_grad_(False))
    assert "every parameter is frozen" in capsys.readouterr().out
    assert gradient_report(nn.ReLU()) == ({}, 0.0)


def test_sparse_half_complex_and_meta_gradients_are_measured():
    model = recurrent()
    model(torch.tensor([[1, 1, 2]])).logits.sum().backward()
    assert model.embed.weight.grad.is_sparse
    problems, total_norm = gradient_report(model)
    model.embed.weight.grad = model.embed.weight.grad.to_dense()
    assert problems == {} and gradient_report(model).total_norm == pytest.approx(total_norm)

    half = nn.Linear(2, 2).half()
    half.weight.grad = torch.full((2, 2), 60000.0, dtype=torch.float16)  # the norm is above 65504
    half.bias.grad = torch.ones(2, dtype=torch.float16)
    assert gradient_report(half) == ({}, pytest.approx(120000, rel=1e-3))

    assert gradient_report(trained(nn.Linear(6, 3, dtype=torch.complex64), torch.complex64)).problems == {}
    meta = nn.Linear(6, 3, device="meta")
    meta(torch.randn(4, 6, device="meta")).sum().backward()
    assert gradient_report(meta).problems == {"weight": "on meta", "bias": "on meta"}
