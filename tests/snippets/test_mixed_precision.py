import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, poison, sgd, trained, weights

mixed_precision_step = load("mixed_precision").mixed_precision_step
mse = nn.functional.mse_loss


def batch():
    inputs = torch.randn(32, 6)
    return inputs, inputs @ torch.ones(6, 3)


def in_float16(model, data, loss_fn=mse, lr=0.1, scale=2.0**16, **options):
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    return mixed_precision_step(model, data, loss_fn, sgd(model, lr), dtype=torch.float16, scaler=scaler, **options)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_healthy_step_agrees_with_float32_but_is_not_float32(dtype):
    model, data = mlp(), batch()
    twin = copy.deepcopy(model)
    (loss,) = trained(twin, [data], mse, sgd(twin))
    norm = nn.utils.get_total_norm([parameter.grad for parameter in twin.parameters()])
    seen = []
    model[0].register_forward_hook(lambda module, args, output: seen.append(output.dtype))
    float16 = dtype == torch.float16
    step = in_float16(model, data) if float16 else mixed_precision_step(model, data, mse, sgd(model))
    assert step.loss == pytest.approx(loss, rel=0.01) and step.loss != loss
    assert step.gradient_norm == pytest.approx(norm.item(), rel=0.02)
    assert not step.skipped and seen == [dtype]
    assert weights(model).dtype == torch.float32 and torch.allclose(weights(model), weights(twin), atol=2e-3)


def test_a_scale_that_is_too_high_skips_steps_until_it_settles():
    model, data = mlp(), batch()
    scaler, optimizer, before = torch.amp.GradScaler("cpu", init_scale=2.0**30), sgd(model), weights(model)
    steps = [mixed_precision_step(model, data, mse, optimizer, dtype=torch.float16, scaler=scaler)]
    assert steps[0].skipped and scaler.get_scale() == 2.0**29 and torch.equal(weights(model), before)
    for _ in range(39):
        steps.append(mixed_precision_step(model, data, mse, optimizer, dtype=torch.float16, scaler=scaler))
    assert not any(step.skipped for step in steps[-20:]) and steps[-1].loss < 0.5 * steps[0].loss


def test_bad_values_stop_before_the_weights_change():
    model, data = mlp(), batch()
    before = weights(model)
    infinite = lambda output, target: (output * 0).square().sum().sqrt()  # noqa: E731
    with pytest.raises(FloatingPointError, match="its gradients are not finite"):
        mixed_precision_step(model, data, infinite, sgd(model))
    assert torch.equal(weights(model), before)
    with torch.no_grad():
        model[2].weight.mul_(1e6)
    before = weights(model)
    with pytest.raises(FloatingPointError, match=r"the loss is (inf|nan) in float16"):
        in_float16(model, data)
    assert torch.equal(weights(model), before)


def test_clipping_comes_after_unscaling_and_dicts_and_frozen_layers_work():
    model, (inputs, targets) = mlp(), batch()
    before = weights(model)
    step = in_float16(model, batch(), lr=1.0, scale=2.0**8, max_norm=0.01)
    assert step.gradient_norm > 0.01 and (weights(model) - before).norm().item() == pytest.approx(0.01, rel=0.01)
    model = nn.Bilinear(6, 6, 3)
    model.bias.requires_grad_(False)
    for given in ({"input1": inputs, "input2": inputs}, (inputs, inputs)):
        assert mixed_precision_step(model, (given, targets), mse, sgd(model)).gradient_norm > 0
    assert model.bias.grad is None


def test_a_nan_weight_is_not_blamed_on_the_precision_and_modes_and_buffers_stay():
    model = nn.Sequential(nn.Linear(6, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    model[2].eval()
    poison(model[0].weight, 0, 0)
    modes = [module.training for module in model.modules()]
    with pytest.raises(FloatingPointError, match="nan in bfloat16 and nan in float32: the data or the model"):
        mixed_precision_step(model, batch(), mse, sgd(model))
    assert [module.training for module in model.modules()] == modes
    assert model[1].num_batches_tracked == 1  # changed by the step itself
