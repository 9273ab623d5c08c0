import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Recurrent, Stateful, Wired, mlp, poison
from tests.snippets.untouched import compiles, untouched

activation_statistics = load("activation_statistics").activation_statistics
plot_activations = load("activation_statistics").plot_activations


def problems(statistics):
    return {name: layer.problem for name, layer in statistics.items() if layer.problem}


def test_a_healthy_model_has_the_numbers_of_its_outputs_and_no_problem(capsys):
    model, x = mlp(), torch.randn(64, 6)
    statistics = activation_statistics(model, x)
    out = model[0](x)
    assert statistics["0"].mean == pytest.approx(out.mean().item(), abs=1e-6)
    assert statistics["0"].std == pytest.approx(out.std(correction=0).item(), rel=1e-5)
    assert statistics["1"].zeros == pytest.approx((out <= 0).float().mean().item())
    assert sum(statistics["0"].counts) == out.numel()
    assert problems(statistics) == {}
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_a_nan_weight_shows_in_the_layer_where_it_begins():
    model = nn.Sequential(mlp(6, 6), nn.Linear(6, 3))
    poison(model[0][2].weight, 1, 3)
    statistics = activation_statistics(model, torch.randn(4, 6))
    assert problems(statistics) == {"0.2": "NOT FINITE: 4 of 24 values", "1": "NOT FINITE: all values"}
    assert statistics["0.2"].nonfinite == 4
    assert math.isfinite(statistics["0.2"].mean)


def test_dead_constant_and_huge_outputs_are_named():
    model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 3), nn.Linear(3, 3), nn.Linear(3, 40))
    nn.init.constant_(model[0].bias, -100.0)
    nn.init.constant_(model[2].bias, 1.0)
    nn.init.uniform_(model[4].weight, -1e5, 1e5)
    found = problems(activation_statistics(model, torch.randn(4, 6)))
    assert found == {"1": "NEARLY ALL ZERO", "2": "ALL EQUAL", "4": "HUGE"}


@pytest.mark.parametrize("training", [True, False])
def test_samples_that_are_all_the_same_are_named(capsys, training):
    model, x = mlp().train(training), torch.randn(1, 6).repeat(32, 1)
    assert set(problems(activation_statistics(model, x)).values()) == {"ALL EQUAL"}
    assert capsys.readouterr().out.endswith("The inputs are the same for all 32 samples.\n")
    x[7, 3] += 1e-3
    assert problems(activation_statistics(model, x)) == {}
    assert "The inputs" not in capsys.readouterr().out


def test_the_layer_where_samples_become_equal_is_named_and_none_after_it():
    mean = Wired(lambda model, x: x.mean(0, keepdim=True).expand_as(x))
    model = nn.Sequential(nn.Linear(6, 6), mean, nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 3))
    assert problems(activation_statistics(model, torch.randn(4, 6))) == {"1": "ALL EQUAL"}


@pytest.mark.parametrize("seed", range(10))
def test_a_signal_that_vanishes_between_layers_is_named(seed):
    torch.manual_seed(seed)
    layers = [layer for _ in range(24) for layer in (nn.Linear(32, 32), nn.ReLU())]
    assert "ALL EQUAL" in problems(activation_statistics(nn.Sequential(*layers), torch.randn(16, 32))).values()


def test_what_is_equal_by_design_is_no_problem(capsys):
    def forward(model, ids):
        places = torch.arange(ids.shape[1]).expand_as(ids)
        mean = (model.words(ids) + model.places(places) + model.kinds(torch.zeros_like(ids))).mean(1)
        return model.drop(model.norm(model.head(mean))) + mean[:, :3]

    tables = {name: nn.Embedding(20, 8) for name in ("words", "places", "kinds")}
    model = Wired(forward, **tables, head=nn.Linear(8, 3), norm=nn.BatchNorm1d(3), drop=nn.Dropout())
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.norm.weight)
    assert problems(activation_statistics(model, torch.randint(20, (16, 5)))) == {}
    assert capsys.readouterr().out.count("its weights are 0") == 2


def test_tuples_data_classes_second_calls_and_whole_numbers():
    model = nn.Sequential(Recurrent(), Wired(lambda model, output: output.logits.argmax(1)))
    statistics = activation_statistics(model, torch.zeros(2, 7, dtype=torch.long))
    assert list(statistics) == [
        "0.embed",
        "0.lstm[0]",
        "0.lstm[1][0]",
        "0.lstm[1][1]",
        "0.shared",
        "0.shared (call 2)",
        "0.head",
    ]


def test_attention_counts_as_one_layer():
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    names = list(activation_statistics(model, torch.randn(2, 3, 8)))
    assert "self_attn[0]" in names and "linear2" in names


def test_half_precision_does_not_round_the_mean_and_complex_counts_both_parts():
    statistics = activation_statistics(nn.Identity(), torch.tensor([2048.0, 2050.0, 2050.0], dtype=torch.float16))
    assert statistics["(model)"].mean == pytest.approx(2049.333)
    statistics = activation_statistics(nn.Identity(), torch.tensor([1 + 3j, 1 - 3j]))
    assert (statistics["(model)"].mean, statistics["(model)"].high) == (pytest.approx(0.5), 3.0)


def test_a_model_on_meta_gets_a_clear_error():
    with pytest.raises(ValueError, match="0 is on the meta device and has no values"):
        activation_statistics(nn.Sequential(nn.Linear(6, 3, device="meta")), torch.empty(4, 6, device="meta"))


@pytest.mark.parametrize("training", [True, False])
def test_everything_stays_as_it_was(training):
    model, x = Stateful().train(training), torch.randn(4, 6)
    with untouched(model):
        activation_statistics(model, x)


def test_everything_stays_as_it_was_after_a_failure():
    model, x = nn.Sequential(Stateful(), nn.Linear(7, 3)), torch.randn(4, 6)
    with untouched(model), pytest.raises(RuntimeError):
        activation_statistics(model, x)


def test_compiled_data_parallel_lazy_and_empty_models_work():
    compiled = torch.compile(mlp(), backend="eager", fullgraph=True)
    compiled(torch.randn(4, 6))  # compiled now, without hooks
    assert list(activation_statistics(compiled, torch.randn(4, 6))) == ["0", "1", "2"]
    assert list(activation_statistics(nn.Sequential(compiled), torch.randn(4, 6))) == ["0.0", "0.1", "0.2"]
    assert compiles()
    assert list(activation_statistics(nn.DataParallel(mlp()), torch.randn(4, 6))) == ["0", "1", "2"]
    assert list(activation_statistics(nn.Sequential(nn.LazyLinear(3)), torch.randn(4, 6))) == ["0"]
    assert list(activation_statistics(nn.Sequential(), torch.randn(4, 6))) == ["(model)"]
    assert activation_statistics(nn.Identity(), torch.ones(0)) == {}


def test_the_plot_has_one_histogram_per_output_and_marks_the_bad_one(tmp_path):
    pytest.importorskip("matplotlib")
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    figure = plot_activations(activation_statistics(model, torch.randn(4, 6)))
    assert [axes.get_title() for axes in figure.axes] == ["0 Linear", "1 ReLU", "2 Linear"]
    assert figure.axes[1].get_xlabel() == "NEARLY ALL ZERO"
    figure.savefig(tmp_path / "activations.png")
    plot_activations({}).savefig(tmp_path / "nothing.png")


def test_what_is_no_model_gets_a_clear_error():
    with pytest.raises(TypeError, match=r"takes an eager nn\.Module and its inputs, not a Tensor"):
        activation_statistics(torch.randn(4, 6), mlp())
