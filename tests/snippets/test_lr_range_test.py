import copy
import itertools

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.snippets import load
from tests.snippets.models import Stateful, mlp, poison, trained
from tests.snippets.untouched import untouched

lr_range_test = load("lr_range_test").lr_range_test
plot_lr_range = load("lr_range_test").plot_lr_range
cross_entropy = nn.functional.cross_entropy
SGD = torch.optim.SGD


def batches(number=8, shuffled=False):
    inputs = torch.randn(number * 32, 6)
    labels = inputs[:, :3].argmax(1)
    labels = labels[torch.randperm(len(labels))] if shuffled else labels
    return list(zip(inputs.split(32), labels.split(32), strict=True))


def final_loss(model, data, rate, optimizer_class, loss_fn):
    """The mean loss over all batches after training a copy for 200 steps."""
    model = copy.deepcopy(model)
    optimizer = optimizer_class(model.parameters(), lr=rate)
    trained(model, itertools.islice(itertools.cycle(data), 200), loss_fn, optimizer)
    with torch.no_grad():
        return sum(loss_fn(model(inputs), targets).item() for inputs, targets in data) / len(data)


def test_the_rates_of_every_group_rise_evenly_from_start_to_end():
    seen = []

    class Spy(torch.optim.SGD):
        def __init__(self, parameters, lr):
            super().__init__([{"params": [parameter], "lr": lr} for parameter in parameters], lr=lr)

        def step(self):
            seen.append({group["lr"] for group in self.param_groups})
            super().step()

    rates = lr_range_test(mlp(), batches(), cross_entropy, Spy, start=1e-4, end=1e-2, steps=21).rates
    assert seen == [{rate} for rate in rates]
    assert rates[0] == pytest.approx(1e-4) and rates[10] == pytest.approx(1e-3) and rates[20] == pytest.approx(1e-2)


def test_shuffled_labels_and_nan_get_no_suggestion(capsys):
    data = batches()
    assert lr_range_test(mlp(), batches(40, shuffled=True), cross_entropy, SGD).suggestion is None
    poison(data[0][0], 0, 0)
    assert lr_range_test(mlp(), data, cross_entropy).suggestion is None
    assert "the loss is nan at step 0, before the rate can matter" in capsys.readouterr().out


def test_a_range_that_ends_too_low_is_reported_but_not_if_the_run_diverges(capsys):
    lr_range_test(mlp(), batches(), cross_entropy, SGD, start=1e-3, end=0.3)
    assert "it was still falling at 3.0e-01; a larger end may show a larger rate" in capsys.readouterr().out
    # In one step, this loss jumps from its lowest value to more than four times the first.
    model = nn.ParameterList([nn.Parameter(torch.zeros(()))])
    cliff = lambda model, batch: torch.where(model[0] < 1, 2 - model[0], 100 * model[0])  # noqa: E731
    result = lr_range_test(model, batches(), None, SGD, compute_loss=cliff, start=0.01, end=1.0, steps=20)
    assert len(result.rates) < 20 and result.measured[-2] == min(result.measured) and result.measured[-1] > 8
    assert "still falling" not in capsys.readouterr().out


def test_model_and_random_state_are_restored():
    model, data = Stateful(), [(inputs, inputs) for inputs, _ in batches()]
    model(data[0][0]).sum().backward()
    with untouched(model.eval()):
        lr_range_test(model, data, nn.functional.mse_loss, SGD, momentum=0.9)


def test_a_loader_shorter_than_the_test_is_restarted():
    loader = DataLoader(TensorDataset(*(torch.cat(part) for part in zip(*batches(2), strict=True))), 16, shuffle=True)
    assert len(lr_range_test(mlp(), loader, cross_entropy, end=1e-2).losses) == 100
    assert 1e-4 < lr_range_test(mlp(), batches(1), cross_entropy).suggestion < 0.1  # the same batch, repeated


def test_the_plot_shows_curve_and_suggestion(tmp_path):
    pytest.importorskip("matplotlib.figure")
    result = lr_range_test(mlp(), batches(), cross_entropy)
    figure = plot_lr_range(result)
    axes = figure.axes[0]
    assert axes.get_xscale() == "log" and len(axes.lines) == 3
    assert axes.lines[2].get_xdata()[0] == result.suggestion
    figure.savefig(tmp_path / "rates.png")
    assert len(plot_lr_range(result._replace(suggestion=None)).axes[0].lines) == 2
    plot_lr_range(result._replace(losses=[float("nan")], measured=[float("nan")], rates=[1.0], suggestion=None))


@pytest.mark.parametrize("optimizer_class", [SGD, torch.optim.AdamW])
@pytest.mark.parametrize("lognormal", [False, True], ids=["normal targets", "lognormal targets"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))])
def test_differences_between_batches_do_not_mislead_it(seed, lognormal, optimizer_class):
    """The suggested learning rate achieves at least 85% of the gain of the best one in a grid."""
    torch.manual_seed(seed)
    model, inputs = mlp(20, 1), torch.randn(512, 20)
    targets = inputs @ torch.randn(20, 1) / 20**0.5 + 0.1 * torch.randn(512, 1)
    data = list(zip(inputs.split(8), (targets.exp() if lognormal else targets).split(8), strict=True))
    mse = nn.functional.mse_loss
    suggested = lr_range_test(model, data, mse, optimizer_class).suggestion
    rates = (0.0, suggested, *(10.0**-power for power in (1, 1.5, 2, 2.5, 3)))
    first, reached, *grid = (final_loss(model, data, rate, optimizer_class, mse) for rate in rates)
    assert first - reached > 0.85 * (first - min(loss for loss in grid if loss == loss))
    assert not final_loss(model, data, 1000 * suggested, optimizer_class, mse) < reached  # or NaN
