import copy

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.snippets import load
from tests.snippets.models import Cut, Stateful, Wired, mlp, poison
from tests.snippets.untouched import untouched

lr_range_test = load("lr_range_test").lr_range_test
plot_lr_range = load("lr_range_test").plot_lr_range

cross_entropy = nn.functional.cross_entropy


def batches(number=8, size=32, shuffled=False):
    inputs = torch.randn(number * size, 6)
    labels = inputs[:, :3].argmax(1)
    if shuffled:
        labels = labels[torch.randperm(len(labels))]
    return list(zip(inputs.split(size), labels.split(size), strict=True))


def final_loss(model, data, rate, optimizer_class=torch.optim.SGD, loss_fn=cross_entropy, steps=100):
    """The mean loss over all batches after training a copy."""
    model = copy.deepcopy(model)
    optimizer = optimizer_class(model.parameters(), lr=rate)
    for step in range(steps):
        inputs, targets = data[step % len(data)]
        optimizer.zero_grad()
        loss_fn(model(inputs), targets).backward()
        optimizer.step()
    with torch.no_grad():
        return sum(loss_fn(model(inputs), targets).item() for inputs, targets in data) / len(data)


@pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
def test_the_suggested_rate_trains_well_and_others_do_not(optimizer_class, capsys):
    model, data = mlp(), batches()
    rate = lr_range_test(model, data, cross_entropy, optimizer_class).suggestion
    good = final_loss(model, data, rate, optimizer_class)
    assert good < 0.3
    assert final_loss(model, data, rate / 1000, optimizer_class) > 3 * good
    assert not final_loss(model, data, rate * 1000, optimizer_class) < 3 * good  # or NaN
    assert "suggestion" in capsys.readouterr().out


def test_the_rates_rise_evenly_from_start_to_end():
    rates = lr_range_test(mlp(), batches(), cross_entropy, torch.optim.SGD, start=1e-4, end=1e-2, steps=21).rates
    assert rates[0] == pytest.approx(1e-4) and rates[10] == pytest.approx(1e-3) and rates[20] == pytest.approx(1e-2)


def test_every_group_of_the_optimizer_gets_the_rate():
    seen = []

    class Spy(torch.optim.SGD):
        def __init__(self, parameters, lr):
            super().__init__([{"params": [parameter], "lr": lr} for parameter in parameters], lr=lr)

        def step(self):
            seen.append({group["lr"] for group in self.param_groups})
            super().step()

    rates = lr_range_test(mlp(), batches(), cross_entropy, Spy, steps=10, end=1e-3).rates
    assert seen == [{rate} for rate in rates]


def test_a_model_that_cannot_learn_is_told_that_the_rate_is_not_the_fault(capsys):
    model = mlp()
    with torch.no_grad():
        model[0].bias.fill_(-100.0)  # the ReLU lets nothing through
    assert lr_range_test(model, batches(), cross_entropy).suggestion is None
    assert "inconclusive: the loss falls from" in capsys.readouterr().out


def test_shuffled_labels_get_no_suggestion(capsys):
    assert lr_range_test(mlp(), batches(40, shuffled=True), cross_entropy, torch.optim.SGD).suggestion is None


def test_a_loss_that_is_nan_from_the_start_is_told_apart(capsys):
    data = batches()
    poison(data[0][0], 0, 0)
    assert lr_range_test(mlp(), data, cross_entropy).suggestion is None
    assert "the loss is nan at step 0, before the rate can matter" in capsys.readouterr().out


def test_it_ends_early_where_the_loss_explodes():
    result = lr_range_test(mlp(), batches(), cross_entropy, torch.optim.SGD, start=1e-3, end=1e6)
    assert len(result.rates) == len(result.losses) == len(result.measured) < 100
    assert result.suggestion < 10


def test_a_range_that_ends_too_low_says_so(capsys):
    lr_range_test(mlp(), batches(), cross_entropy, torch.optim.SGD, start=1e-3, end=0.3)
    assert "it was still falling at 3.0e-01; a larger end may show a larger rate" in capsys.readouterr().out


def test_the_model_is_afterwards_as_it_was_with_gradients_buffers_and_random_state(capsys):
    model = Stateful()
    model(torch.randn(8, 6)).sum().backward()
    model.drop.eval()
    data = [(inputs, inputs) for inputs, _ in batches()]
    with untouched(model):
        lr_range_test(model, data, nn.functional.mse_loss, torch.optim.SGD, momentum=0.9)


def test_the_model_is_as_it_was_after_an_exception():
    model, data = mlp(), batches()
    data[3] = torch.randn(32, 7), data[3][1]
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"):
        lr_range_test(model, data, cross_entropy)


def test_the_same_training_follows_with_and_without():
    model, data = mlp(), batches()
    expected = final_loss(model, data, 0.1)
    lr_range_test(model, data, cross_entropy)
    assert final_loss(model, data, 0.1) == expected


def test_a_loader_shorter_than_the_test_is_begun_again():
    loader = DataLoader(TensorDataset(*(torch.cat(part) for part in zip(*batches(2), strict=True))), 16, shuffle=True)
    assert len(lr_range_test(mlp(), loader, cross_entropy, end=1e-2).losses) == 100


def test_frozen_and_detached_layers_stay_and_the_rest_is_tested():
    model, data = Cut(), batches()
    model.encoder.bias.requires_grad_(False)
    with untouched(model):
        assert lr_range_test(model, data, cross_entropy).losses


def test_batches_of_dicts_work():
    model = nn.Bilinear(6, 6, 3)
    data = [({"input1": inputs, "input2": inputs}, labels) for inputs, labels in batches()]
    assert lr_range_test(model, data, cross_entropy).losses
    pairs = [((inputs, inputs), labels) for inputs, labels in batches()]
    assert lr_range_test(model, pairs, cross_entropy).losses


def test_compiled_and_data_parallel_models_work():
    data = batches()
    for model in (torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp())):
        with untouched(model):
            assert lr_range_test(model, data, cross_entropy).suggestion


def test_the_plot_shows_curve_and_suggestion(tmp_path):
    matplotlib = pytest.importorskip("matplotlib.figure")
    result = lr_range_test(mlp(), batches(), cross_entropy)
    figure = plot_lr_range(result)
    assert isinstance(figure, matplotlib.Figure)
    axes = figure.axes[0]
    assert axes.get_xscale() == "log" and len(axes.lines) == 3
    assert axes.lines[2].get_xdata()[0] == result.suggestion
    figure.savefig(tmp_path / "rates.png")
    assert len(plot_lr_range(result._replace(suggestion=None)).axes[0].lines) == 2
    plot_lr_range(result._replace(losses=[float("nan")], measured=[float("nan")], rates=[1.0], suggestion=None))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 1.0, "end": 0.1}, "0 < start < end"),
        ({"steps": 3}, "at least 10 steps"),
        ({"loader": []}, "the loader gave no batch"),
        ({"loader": iter(batches())}, "can be read only once"),
        ({"model": nn.Linear(6, 3).requires_grad_(False)}, "nothing to train"),
        ({"model": nn.LazyLinear(3)}, "run one batch through the model first"),
    ],
)
def test_what_cannot_be_tested_gets_a_clear_error(change, message):
    arguments = {"model": mlp(), "loader": batches(), "loss_fn": cross_entropy, **change}
    with pytest.raises(ValueError, match=message):
        lr_range_test(**arguments)


def regression(lognormal):
    inputs = torch.randn(512, 20)
    targets = inputs @ torch.randn(20, 1) / 20**0.5 + 0.1 * torch.randn(512, 1)
    return list(zip(inputs.split(8), (targets.exp() if lognormal else targets).split(8), strict=True))


@pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
@pytest.mark.parametrize("lognormal", [False, True], ids=["normal targets", "lognormal targets"])
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.exhaustive] if seed > 1 else []) for seed in range(10)]
)
def test_batches_that_differ_do_not_mislead_it(seed, lognormal, optimizer_class):
    """Of what the best rate of a grid gains, the suggested one gains at least 85 %."""
    torch.manual_seed(seed)
    model, data = mlp(20, 1), regression(lognormal)
    rate = lr_range_test(model, data, nn.functional.mse_loss, optimizer_class).suggestion

    def reached(rate):
        return final_loss(model, data, rate, optimizer_class, nn.functional.mse_loss, steps=200)

    first = reached(0.0)
    grid = [reached(10.0**-power) for power in (1, 1.5, 2, 2.5, 3)]
    best = min(loss for loss in grid if loss == loss)
    assert first - reached(rate) > 0.85 * (first - best)


def test_one_repeated_batch_gets_a_usual_rate():
    assert 1e-4 < lr_range_test(mlp(), batches(1), cross_entropy).suggestion < 0.1


def test_a_cached_activation_is_as_before_and_weight_norm_works():
    def forward(model, x):
        model.last = model.fc(x)
        return model.last

    model = Wired(forward, fc=nn.utils.parametrizations.weight_norm(nn.Linear(6, 3)), last=None)
    data = batches()
    before = model(torch.randn(4, 6))
    with untouched(model):
        lr_range_test(model, data, cross_entropy)
    assert model.last is before


def test_a_model_that_computes_its_loss_and_detection_batches_work():
    images = [torch.randn(3, 4, 4), torch.randn(3, 5, 5)]
    data = [(images, [{"label": torch.ones(1)}, {"label": torch.zeros(1)}])]

    def forward(model, images, targets):
        scores = torch.cat([model.fc(image.mean((1, 2))) for image in images])
        return {"loss": nn.functional.mse_loss(scores, torch.cat([target["label"] for target in targets]))}

    model = Wired(forward, fc=nn.Linear(3, 1))
    rate = lr_range_test(model, data, lambda losses, _: sum(losses.values())).suggestion
    assert rate == lr_range_test(model, data, compute_loss=lambda model, batch: model(*batch)["loss"]).suggestion
    with pytest.raises(TypeError, match="pass either loss_fn"):
        lr_range_test(model, data)


def test_a_loss_with_a_gradient_penalty():
    """The loss on the fixed batches needs a graph, too."""

    def loss_with_penalty(model, batch):
        inputs = batch[0].clone().requires_grad_()
        outputs = model(inputs)
        (slope,) = torch.autograd.grad(outputs.sum(), inputs, create_graph=True)
        return cross_entropy(outputs, batch[1]) + 0.1 * (slope.norm(dim=1) - 1).square().mean()

    result = lr_range_test(mlp(), batches(), None, torch.optim.SGD, compute_loss=loss_with_penalty)
    assert result.suggestion is not None and len(result.measured) == len(result.rates)


def test_a_run_that_diverges_is_not_called_still_falling(capsys):
    """From one step to the next, the loss jumps from its lowest value to above four times the first."""
    weight = nn.Parameter(torch.zeros(()))
    model = nn.ParameterList([weight])

    def cliff(model, batch):
        return torch.where(weight < 1, 2 - weight, 100 * weight)

    result = lr_range_test(model, batches(), None, torch.optim.SGD, compute_loss=cliff, start=0.01, end=1.0, steps=20)
    assert len(result.rates) < 20 and result.measured[-2] == min(result.measured) and result.measured[-1] > 8
    assert "still falling" not in capsys.readouterr().out
