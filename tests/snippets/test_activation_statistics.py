import math

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Stateful, Wired, mlp, poison, recurrent
from tests.snippets.untouched import compiles, untouched

activation_statistics = load("activation_statistics").activation_statistics
plot_activations = load("activation_statistics").plot_activations


def problems(model, x):
    return {name: layer.problem for name, layer in activation_statistics(model, x).items() if layer.problem}


def test_nan_dead_constant_and_huge_outputs_are_named():
    model, x = nn.Sequential(mlp(6, 6), nn.Linear(6, 3)), torch.randn(4, 6)
    poison(model[0][2].weight, 1, 3)
    assert problems(model, x) == {"0.2": "NOT FINITE: 4 of 24 values", "1": "NOT FINITE: all values"}
    layer = activation_statistics(model, x)["0.2"]
    assert layer.nonfinite == 4 and math.isfinite(layer.mean)
    model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 3), nn.Linear(3, 3), nn.Linear(3, 40))
    nn.init.constant_(model[0].bias, -100.0)
    nn.init.constant_(model[2].bias, 1.0)
    nn.init.uniform_(model[4].weight, -1e5, 1e5)
    assert problems(model, x) == {"1": "NEARLY ALL ZERO", "2": "ALL EQUAL", "4": "HUGE"}


@pytest.mark.parametrize("training", [True, False])
def test_samples_that_are_all_the_same_are_named(capsys, training):
    model, x = mlp().train(training), torch.randn(1, 6).repeat(32, 1)
    assert set(problems(model, x).values()) == {"ALL EQUAL"}
    assert capsys.readouterr().out.endswith("The inputs are the same for all 32 samples.\n")
    x[7, 3] += 1e-3
    assert problems(model, x) == {}
    assert "The inputs" not in capsys.readouterr().out


def test_the_layer_where_samples_become_equal_is_named_and_none_after_it():
    mean = Wired(lambda model, x: x.mean(0, keepdim=True).expand_as(x))
    model = nn.Sequential(nn.Linear(6, 6), mean, nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 3))
    assert problems(model, torch.randn(4, 6)) == {"1": "ALL EQUAL"}
    layers = [layer for _ in range(24) for layer in (nn.Linear(32, 32), nn.ReLU())]  # the signal vanishes
    assert "ALL EQUAL" in problems(nn.Sequential(*layers), torch.randn(16, 32)).values()


def test_outputs_that_are_equal_by_design_are_no_problem(capsys):
    def forward(model, ids):
        places = torch.arange(ids.shape[1]).expand_as(ids)
        mean = (model.words(ids) + model.places(places) + model.kinds(torch.zeros_like(ids))).mean(1)
        return model.drop(model.norm(model.head(mean))) + mean[:, :3]

    tables = {name: nn.Embedding(20, 8) for name in ("words", "places", "kinds")}
    model = Wired(forward, **tables, head=nn.Linear(8, 3), norm=nn.BatchNorm1d(3), drop=nn.Dropout())
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.norm.weight)
    assert problems(model, torch.randint(20, (16, 5))) == {}
    assert capsys.readouterr().out.count("its weights are 0") == 2


def test_tuples_data_classes_second_calls_attention_and_integers():
    model = nn.Sequential(recurrent(), Wired(lambda model, output: output.logits.argmax(1)))
    names = "0.embed, 0.lstm[0], 0.lstm[1][0], 0.lstm[1][1], 0.shared, 0.shared (call 2), 0.head"
    assert ", ".join(activation_statistics(model, torch.zeros(2, 7, dtype=torch.long))) == names
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)  # its attention counts as one layer
    assert {"self_attn[0]", "linear2"} <= activation_statistics(layer, torch.randn(2, 3, 8)).keys()


def test_everything_stays_as_it_was_also_after_a_failure():
    model, x = Stateful(), torch.randn(4, 6)
    for training in (True, False):
        with untouched(model.train(training)):
            activation_statistics(model, x)
    failing = nn.Sequential(model.train(), nn.Linear(7, 3))
    with untouched(failing), pytest.raises(RuntimeError):
        activation_statistics(failing, x)


def test_compiled_data_parallel_and_empty_models_work():
    compiled = torch.compile(mlp(), backend="eager", fullgraph=True)
    compiled(torch.randn(4, 6))  # compiles the model again, without hooks
    models = compiled, nn.Sequential(compiled), nn.DataParallel(mlp()), nn.Sequential()
    names = [list(activation_statistics(model, torch.randn(4, 6))) for model in models]
    assert names == [["0", "1", "2"], ["0.0", "0.1", "0.2"], ["0", "1", "2"], ["(model)"]] and compiles()
    assert activation_statistics(nn.Identity(), torch.ones(0)) == {}


def test_the_plot_has_one_histogram_per_output_and_marks_the_bad_one(tmp_path):
    pytest.importorskip("matplotlib")
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    statistics = activation_statistics(model, torch.randn(4, 6))
    assert sum(statistics["2"].counts) == 4 * 3
    figure = plot_activations(statistics)
    assert [axes.get_title() for axes in figure.axes] == ["0 Linear", "1 ReLU", "2 Linear"]
    assert figure.axes[1].get_xlabel() == "NEARLY ALL ZERO"
    figure.savefig(tmp_path / "activations.png")
    plot_activations({}).savefig(tmp_path / "nothing.png")


def test_half_precision_and_complex_outputs_are_measured():
    half = activation_statistics(nn.Identity(), torch.tensor([2048.0, 2050.0, 2050.0], dtype=torch.float16))["(model)"]
    both = activation_statistics(nn.Identity(), torch.tensor([1 + 3j, 1 - 3j]))["(model)"]
    assert (half.mean, both.mean, both.high) == (pytest.approx(2049.333), pytest.approx(0.5), 3.0)
