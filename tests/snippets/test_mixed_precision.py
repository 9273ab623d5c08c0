import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, poison
from tests.snippets.untouched import untouched

mixed_precision_step = load("mixed_precision").mixed_precision_step

mse = nn.functional.mse_loss


def batch():
    inputs = torch.randn(32, 6)
    return inputs, inputs @ torch.ones(6, 3)


def sgd(model, lr=0.05):
    return torch.optim.SGD(model.parameters(), lr=lr)


def scaler(scale=2.0**16, **options):
    return torch.amp.GradScaler("cpu", init_scale=scale, **options)


def full_precision_step(model, data, lr=0.05):
    optimizer = sgd(model, lr)
    loss = mse(model(data[0]), data[1])
    loss.backward()
    norm = nn.utils.get_total_norm([parameter.grad for parameter in model.parameters()])
    optimizer.step()
    return loss.item(), norm.item()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_healthy_step_agrees_with_float32_but_is_not_float32(dtype, capsys):
    model, data = mlp(), batch()
    twin = copy.deepcopy(model)
    loss, norm = full_precision_step(twin, data)
    seen = []
    model[0].register_forward_hook(lambda module, args, output: seen.append(output.dtype))
    step = mixed_precision_step(
        model, data, mse, sgd(model), dtype=dtype, scaler=scaler() if dtype == torch.float16 else None
    )
    assert step.loss == pytest.approx(loss, rel=0.01) and step.gradient_norm == pytest.approx(norm, rel=0.02)
    assert not step.skipped and step.loss != loss and seen == [dtype]
    for one, other in zip(model.parameters(), twin.parameters(), strict=True):
        assert one.dtype == torch.float32 and torch.allclose(one, other, atol=2e-3)
    assert capsys.readouterr().out == ""


def tiny(output, target):
    """Its gradients are below what float16 can hold."""
    return 1e-8 * mse(output, target)


def test_the_scaler_saves_gradients_that_float16_would_lose():
    model, data = mlp(), batch()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = tiny(model(data[0]), data[1])
    loss.backward()
    assert all(not parameter.grad.any() for parameter in model.parameters())  # what the refusal below is about
    step = mixed_precision_step(model, data, tiny, sgd(model), dtype=torch.float16, scaler=scaler())
    assert step.gradient_norm > 0


def test_a_step_that_overflows_only_by_the_scale_is_skipped_and_reported():
    model, grad_scaler = mlp(), scaler(2.0**40)
    before = copy.deepcopy(model.state_dict())
    step = mixed_precision_step(model, batch(), mse, sgd(model), dtype=torch.float16, scaler=grad_scaler)
    assert step.skipped and grad_scaler.get_scale() == 2.0**39
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def test_a_scale_that_is_too_high_settles_and_training_goes_on():
    model, data, grad_scaler = mlp(), batch(), scaler(2.0**30)
    optimizer = sgd(model)
    steps = [
        mixed_precision_step(model, data, mse, optimizer, dtype=torch.float16, scaler=grad_scaler) for _ in range(40)
    ]
    skipped = [step.skipped for step in steps]
    assert skipped[0] and not any(skipped[-20:]) and steps[-1].loss < 0.5 * steps[0].loss


def test_an_overflow_of_float16_is_named_and_the_weights_stay():
    model, data = mlp(), batch()
    with torch.no_grad():
        model[2].weight.mul_(1e6)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(
        FloatingPointError,
        match=r"the loss is (inf|nan) in float16, whose largest number is 65504, and .*: use bfloat16",
    ):
        mixed_precision_step(model, data, mse, sgd(model), dtype=torch.float16, scaler=scaler())
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert mixed_precision_step(model, data, mse, sgd(model, lr=0.0)).loss > 1e9


def test_a_nan_weight_is_not_blamed_on_the_precision():
    model = mlp()
    poison(model[0].weight, 0, 0)
    with pytest.raises(FloatingPointError, match="nan in bfloat16 and nan in float32: the data or the model"):
        mixed_precision_step(model, batch(), mse, sgd(model))


def test_bad_gradients_without_a_scaler_stop_before_the_weights_change():
    model = mlp()
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(FloatingPointError, match="its gradients are not finite"):
        mixed_precision_step(model, batch(), lambda output, target: (output * 0).square().sum().sqrt(), sgd(model))
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def test_clipping_comes_after_unscaling():
    model = mlp()
    before = nn.utils.parameters_to_vector(model.parameters()).clone()
    step = mixed_precision_step(
        model, batch(), mse, sgd(model, lr=1.0), dtype=torch.float16, scaler=scaler(2.0**8), max_norm=0.01
    )
    change = nn.utils.parameters_to_vector(model.parameters()) - before
    assert step.gradient_norm > 0.01 and change.norm().item() == pytest.approx(0.01, rel=0.01)


def test_looking_for_the_cause_leaves_training_mode_and_buffers_alone():
    model = nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Dropout(0.5))
    model[2].eval()
    poison(model[0].weight, 0, 0)
    data = batch()[0], torch.zeros(32, 6)
    modes = [module.training for module in model.modules()]
    with pytest.raises(FloatingPointError):
        mixed_precision_step(model, data, mse, sgd(model))
    assert [module.training for module in model.modules()] == modes
    assert model[1].num_batches_tracked == 1  # by the step itself


def test_float16_without_a_scaler_is_refused_and_touches_nothing():
    model = mlp()
    data = batch()
    model(data[0]).sum().backward()
    with untouched(model), pytest.raises(ValueError, match=r"float16 needs a scaler, made once: scaler = torch\.amp"):
        mixed_precision_step(model, data, mse, sgd(model), dtype=torch.float16)


def test_dicts_and_frozen_layers_work():
    model = nn.Bilinear(6, 6, 3)
    model.bias.requires_grad_(False)
    inputs, targets = batch()
    for given in ({"input1": inputs, "input2": inputs}, (inputs, inputs)):
        assert mixed_precision_step(model, (given, targets), mse, sgd(model)).gradient_norm > 0
    assert model.bias.grad is None


@pytest.mark.parametrize(
    ("model", "dtype", "message"),
    [
        (mlp().half(), torch.bfloat16, r"the weights are torch\.float16: keep them float32 \(no \.half\(\)\)"),
        (mlp(), torch.float32, r"dtype must be torch\.bfloat16 or torch\.float16"),
        (mlp().requires_grad_(False), torch.bfloat16, "nothing to train"),
    ],
)
def test_what_makes_no_sense_gets_a_clear_error(model, dtype, message):
    with pytest.raises(ValueError, match=message):
        mixed_precision_step(model, batch(), mse, sgd(model), dtype=dtype)
