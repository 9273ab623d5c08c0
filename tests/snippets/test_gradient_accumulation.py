import contextlib
import copy

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Recurrent, Stateful, Wired, mlp, poison
from tests.snippets.untouched import untouched

accumulated_step = load("gradient_accumulation").accumulated_step
compare_with_full_batch = load("gradient_accumulation").compare_with_full_batch
in_groups = load("gradient_accumulation").in_groups

mse = nn.functional.mse_loss


def batch(size=30):
    inputs = torch.randn(size, 6)
    return inputs, inputs @ torch.ones(6, 3)


def parts(data, sizes):
    return list(zip(*(tensor.split(sizes) for tensor in data), strict=True))


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


@pytest.mark.parametrize("sizes", [[10, 10, 10], [14, 14, 2], [30]], ids=["equal", "a small last one", "one"])
def test_the_step_is_that_of_the_large_batch(sizes):
    model, data = mlp(), batch()
    twin = copy.deepcopy(model)
    optimizer = sgd(twin)
    loss = mse(twin(data[0]), data[1])
    loss.backward()
    optimizer.step()
    steps = []
    optimizer = sgd(model)
    optimizer.register_step_post_hook(lambda *args: steps.append(1))
    mean = accumulated_step(model, parts(data, sizes), mse, optimizer)
    assert steps == [1]
    assert mean == pytest.approx(loss.item(), rel=1e-5)
    for one, other in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_old_gradients_are_cleared_first():
    model, data = mlp(), batch()
    twin = copy.deepcopy(model)
    model(data[0]).sum().backward()
    for each in (model, twin):
        accumulated_step(each, parts(data, [15, 15]), mse, sgd(each))
    assert torch.equal(model[0].weight, twin[0].weight)


def test_max_norm_holds_for_the_sum():
    model = mlp()
    before = nn.utils.parameters_to_vector(model.parameters()).clone()
    accumulated_step(model, parts(batch(), [10, 10, 10]), mse, sgd(model), max_norm=0.5)
    change = nn.utils.parameters_to_vector(model.parameters()) - before
    assert change.norm().item() == pytest.approx(0.05, rel=1e-3)


def test_a_loss_over_tokens_is_weighted_by_tokens():
    model = nn.Linear(6, 5)
    inputs, labels = torch.randn(8, 4, 6), torch.randint(5, (8, 4))
    labels[:4, 1:] = -100  # padding: the first half has a quarter of the tokens

    def loss_fn(output, target):
        return nn.functional.cross_entropy(output.flatten(0, 1), target.flatten(), ignore_index=-100)

    def tokens(one):
        return (one[1] != -100).sum().item()

    assert compare_with_full_batch(model, (inputs, labels), loss_fn, parts=2, count=tokens) < 1e-5
    assert compare_with_full_batch(model, (inputs, labels), loss_fn, parts=2) > 0.01


def test_a_healthy_model_has_the_same_gradient(capsys):
    assert compare_with_full_batch(mlp(), batch(), mse) < 1e-5
    assert capsys.readouterr().out == "the same gradient in 4 parts as in one\n"


def test_batch_normalization_is_named(capsys):
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
    assert compare_with_full_batch(model, batch(), mse) > 0.01
    assert "batch normalization averages over each part: 1 (BatchNorm1d)" in capsys.readouterr().out
    assert compare_with_full_batch(model.eval(), batch(), mse) < 1e-5


def test_a_loss_that_sums_is_named(capsys):
    assert compare_with_full_batch(mlp(), batch(32), nn.MSELoss(reduction="sum")) == pytest.approx(0.75, rel=1e-3)
    assert "about 0.25 times as long: is the loss a mean over samples?" in capsys.readouterr().out


def test_a_layer_that_looks_at_the_whole_batch_is_not_blamed_on_something_else(capsys):
    model = nn.Sequential(nn.Linear(6, 8), Wired(lambda model, x: x / x.std(0)), nn.Linear(8, 3))
    assert compare_with_full_batch(model, batch(), mse) > 0.01
    assert "a layer looks at several samples at once" in capsys.readouterr().out


def test_the_comparison_leaves_the_model_as_it_was():
    model, data = Stateful(), (torch.randn(30, 6), torch.randn(30, 6))
    model(data[0]).sum().backward()
    model.drop.eval()
    with untouched(model):
        compare_with_full_batch(model, data, mse)
    wrong = torch.randn(30, 7), data[1]
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"):
        compare_with_full_batch(model, wrong, mse)


def test_sparse_gradients_and_dicts_work():
    model = Recurrent()
    data = {"ids": torch.randint(20, (8, 3))}, torch.randint(5, (8,))

    def loss_fn(output, target):
        return nn.functional.cross_entropy(output.logits, target)

    assert compare_with_full_batch(model, data, loss_fn) < 1e-5
    assert accumulated_step(model, [data, data], loss_fn, sgd(model)) > 0


def test_parallel_models_exchange_gradients_once():
    calls = []

    @contextlib.contextmanager
    def quiet():
        calls.append("(")
        yield
        calls.append(")")

    model = mlp()
    model.no_sync = quiet
    model.register_forward_hook(lambda *args: calls.append("f"))
    accumulated_step(model, parts(batch(), [10, 10, 10]), mse, sgd(model))
    assert "".join(calls) == "(f)(f)f"


def test_groups_hold_what_is_left_and_read_no_further_than_needed():
    assert list(in_groups(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    source = iter(range(10))
    next(in_groups(source, 4))
    assert next(source) == 4


def test_what_makes_no_sense_gets_a_clear_error():
    model = mlp()
    with pytest.raises(ValueError, match="parts must be from 2 to the 30 samples"):
        compare_with_full_batch(model, batch(), mse, parts=31)
    with pytest.raises(ValueError, match="a group has at least one batch"):
        next(in_groups([1], 0))
    with pytest.raises(ValueError, match="hold nothing"):
        accumulated_step(model, [], mse, sgd(model))


def dropping():
    """Dropout in attention, between recurrent layers and in the functional form; stochastic depth."""

    def forward(model, x):
        x = model.lstm(model.layer(x))[0]
        x = x * torch.empty(len(x), 1, 1, dtype=x.dtype).bernoulli_(0.8).div_(0.8)
        x = nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.3)
        return model.head(model.drop(nn.functional.dropout(x, 0.3)).mean(1))

    return Wired(
        forward,
        layer=nn.TransformerEncoderLayer(8, 2, 16, dropout=0.3, batch_first=True),
        lstm=nn.LSTM(8, 8, 2, dropout=0.3, batch_first=True),
        drop=nn.Dropout(0.5),
        head=nn.Linear(8, 3),
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.exhaustive] if seed > 1 else []) for seed in range(10)]
)
def test_no_dropout_and_no_rounding_disturbs_the_comparison(seed, dtype, capsys):
    torch.manual_seed(seed)
    model = dropping().to(dtype)
    difference = compare_with_full_batch(
        model, (torch.randn(16, 5, 8, dtype=dtype), torch.randn(16, 3, dtype=dtype)), mse
    )
    assert capsys.readouterr().out.startswith("the same gradient in 4 parts as in one")
    assert difference < 1e-5 or dtype == torch.bfloat16


def test_bfloat16_does_not_hide_a_loss_that_sums(capsys):
    for dtype in (torch.bfloat16, torch.float16):
        data = [tensor.to(dtype) for tensor in batch(32)]
        assert compare_with_full_batch(mlp().to(dtype), data, nn.MSELoss(reduction="sum")) > 0.7
        assert "about 0.25 times as long" in capsys.readouterr().out


def test_autocast_is_noticed(capsys):
    def forward(model, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model.body(x)

    compare_with_full_batch(Wired(forward, body=mlp()), batch(), lambda output, targets: mse(output.float(), targets))
    assert "within the rounding of bfloat16" in capsys.readouterr().out


def test_random_numbers_are_not_called_a_wrong_gradient(capsys):
    noisy = Wired(lambda model, x: model.fc(x + torch.randn_like(x)), fc=nn.Linear(6, 3))
    compare_with_full_batch(noisy, batch(), mse)
    assert "CANNOT TELL" in capsys.readouterr().out


def test_a_gradient_that_is_nan_is_not_compared(capsys):
    model = mlp()
    poison(model[0].weight, 0, 0)
    compare_with_full_batch(model, batch(), mse)
    assert "the gradient is NaN or infinite" in capsys.readouterr().out


def test_detection_batches_and_models_that_compute_their_loss_work(capsys):
    def forward(model, images, targets):
        scores = torch.cat([model.fc(image.mean((1, 2))) for image in images])
        return {"loss": mse(scores, torch.cat([target["label"] for target in targets]))}

    images = [torch.randn(3, 4 + number, 4) for number in range(5)]
    data = images, [{"label": torch.randn(1), "boxes": torch.rand(2, 4)} for _ in images]
    model = Wired(forward, fc=nn.Linear(3, 1))
    compare_with_full_batch(model, data, lambda losses, _: sum(losses.values()), parts=3)
    compare_with_full_batch(model, data, compute_loss=lambda model, batch: model(*batch)["loss"], parts=5)
    out = capsys.readouterr().out
    assert out == "the same gradient in 3 parts as in one\nthe same gradient in 5 parts as in one\n"
    optimizer = sgd(model)
    loss = accumulated_step(
        model, [data, data], None, optimizer, compute_loss=lambda model, batch: model(*batch)["loss"]
    )
    assert loss > 0
    with pytest.raises(TypeError, match="pass either loss_fn"):
        accumulated_step(model, [data], None, optimizer)


def test_a_batch_without_anything_to_count_is_left_out():
    model = nn.Linear(6, 5)
    padding = torch.randn(4, 6), torch.full((4,), -100)
    labelled = torch.randn(4, 6), torch.randint(5, (4,))
    loss = accumulated_step(
        model,
        [labelled, padding],
        nn.functional.cross_entropy,
        sgd(model),
        count=lambda one: (one[1] != -100).sum().item(),
    )
    assert loss == loss and model.weight.isfinite().all()
