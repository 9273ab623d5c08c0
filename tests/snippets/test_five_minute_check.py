import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Cut, Stateful, mlp, poison
from tests.snippets.untouched import untouched

module = load("five_minute_check")
five_minute_check = module.five_minute_check
cross_entropy = nn.CrossEntropyLoss()


def batch(classes: int = 3):
    return torch.randn(8, 6), torch.arange(8) % classes


def found(model, data, loss_fn=cross_entropy):
    return five_minute_check(model, data, loss_fn, lr=1e-2).problems


def test_a_healthy_model_passes_four_timed_steps(capsys):
    problems, seconds = five_minute_check(mlp(), batch(), cross_entropy, lr=1e-2)
    assert problems == []
    assert list(seconds) == ["environment", "data", "model", "small run"]
    assert sum(seconds.values()) < 30
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line[0].isdigit()] == ["1 environment", "2 data", "3 model", "4 small run"]
    assert out[-1] == "No problem found."
    assert "took" not in " ".join(out)


def test_a_healthy_regression_passes():
    assert found(mlp(6, 1), (torch.randn(8, 6), torch.randn(8, 1)), nn.MSELoss()) == []


def changed(values, index, value):
    values = values.clone()
    values[index] = value
    return values


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda x, y: (changed(x, (2, 3), float("nan")), y), "inputs: 1 of 48 values are NaN or infinite"),
        (lambda x, y: (x * 0 + 1, y), "inputs: all values are 1"),
        (lambda x, y: (x.abs() * 200, y), "are not scaled; bring them near -1 to 1"),
        (lambda x, y: (x, changed(y, 0, 3)), "labels from 0 to 3, but the output has 3 classes"),
        (lambda x, y: (x, changed(y, 0, -1)), "labels from -1 to 2, but the output has 3 classes"),
    ],
    ids=["nan", "constant", "not scaled", "label too large", "label negative"],
)
def test_faults_of_the_data_are_named(capsys, spoil, problem):
    problems = found(mlp(), spoil(*batch()))
    assert any(problem in text for text in problems), problems
    assert f"  - {problems[0]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spoil", "error", "report"),
    [
        (lambda x, y: (x.double(), y), RuntimeError, "inputs is float64, the model's weights are float32"),
        (lambda x, y: (x.to("meta"), y), RuntimeError, "inputs is on meta, the model on cpu"),
        (lambda x, y: (x, y[:5]), ValueError, "different numbers of samples: inputs 8, targets 5"),
    ],
    ids=["dtype", "left on meta", "numbers of samples"],
)
def test_what_the_model_refuses_is_raised_after_the_report_of_the_data(capsys, spoil, error, report):
    with pytest.raises(error):
        found(mlp(), spoil(*batch()))
    out = capsys.readouterr().out
    assert f"  - {report}" in out[out.index("Problems found before the exception:") :]


def test_a_detached_branch_is_named():
    assert "no gradient reaches encoder.weight, encoder.bias" in found(Cut(), batch())


def test_a_layer_frozen_on_purpose_is_no_problem_and_a_frozen_model_is_one():
    model = mlp()
    model[0].requires_grad_(False)
    assert found(model, batch()) == []
    assert found(model.requires_grad_(False), batch()) == ["no parameter has requires_grad=True: nothing is trained"]


def test_dead_units_are_named():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    assert "the gradient is zero in 0.weight, 0.bias, 2.weight" in found(model, batch())


def test_a_nan_weight_is_named():
    model = mlp()
    poison(model[2].weight, 1, 3)
    assert found(model, batch()) == ["the loss is nan"]


def test_softmax_before_cross_entropy_is_named():
    model = nn.Sequential(mlp(), nn.Softmax(dim=1))
    assert any("softmax stands before the cross-entropy" in text for text in found(model, batch()))


def test_labels_that_are_shuffled_do_not_fall():
    def wrong(output, labels):
        return cross_entropy(output, torch.randint(0, 3, labels.shape))

    assert any("does not fall by half" in text for text in found(mlp(), batch(), wrong))


def test_a_loss_that_is_no_number_or_has_no_graph_is_named():
    each = nn.CrossEntropyLoss(reduction="none")
    assert found(mlp(), batch(), each) == ["the loss has shape [8]; backward() needs one number"]
    detached = found(mlp(), batch(), lambda output, labels: cross_entropy(output.detach(), labels))
    assert detached == ["the loss is not connected to the parameters"]


def test_a_model_on_meta_is_named(capsys):
    with pytest.raises(RuntimeError):
        found(nn.Linear(6, 3, device="meta"), batch())
    assert "the model is on the meta device" in capsys.readouterr().out


def test_a_step_that_takes_too_long_says_so(capsys, monkeypatch):
    ticks = iter(range(0, 10**9, 40))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(ticks))
    found(mlp(), batch())
    assert "took 40 s, more than 30 s" in capsys.readouterr().out


def test_images_with_a_label_per_pixel_and_ignored_labels_work():
    labels = torch.randint(0, 3, (4, 5, 5))
    labels[0] = -100
    assert found(nn.Conv2d(2, 3, 3, padding=1), (torch.randn(4, 2, 5, 5), labels)) == []


def test_a_score_per_word_is_not_taken_for_a_score_per_class():
    def loss_fn(output, labels):
        return cross_entropy(output.flatten(0, 1), labels.flatten())

    model = nn.Sequential(nn.Embedding(11, 16), nn.Linear(16, 11))
    ids = torch.randint(0, 11, (4, 5))
    assert found(model, (ids, (ids + 1) % 11), loss_fn) == []


def test_inputs_in_dicts_and_tuples_and_a_batch_that_is_one_dict():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = mlp(12)

        def forward(self, left, right, labels=None):
            logits = self.body(torch.cat([left, right], 1))
            return logits if labels is None else {"loss": cross_entropy(logits, labels)}

    left, labels = batch()
    right = torch.randn(8, 6)
    assert found(Model(), ((left, right), labels)) == []
    assert found(Model(), ({"left": left, "right": right}, labels)) == []
    assert found(Model(), {"labels": labels, "left": left, "right": right}, lambda output, _: output["loss"]) == []


@pytest.mark.parametrize("training", [True, False])
def test_everything_stays_as_it_was(training):
    model, data = Stateful().train(training), batch(6)
    with untouched(model), torch.no_grad():
        problems, _ = five_minute_check(model, data, cross_entropy)
    assert "the loss is not connected to the parameters" not in problems


def test_everything_stays_as_it_was_after_a_failure():
    model, data = nn.Sequential(Stateful(), nn.Linear(7, 3)), batch()
    with untouched(model), pytest.raises(RuntimeError):
        five_minute_check(model, data, cross_entropy)


def test_compiled_data_parallel_and_lazy_models_work():
    for model in (torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp()), nn.Sequential(nn.LazyLinear(3))):
        assert found(model, batch()) == []


def test_other_forms_get_a_clear_error():
    with pytest.raises(TypeError, match="takes the model first, not a Tensor"):
        five_minute_check(torch.ones(2), batch(), cross_entropy)
    with pytest.raises(TypeError, match=r"batch must be \(inputs, targets\) or one dict"):
        five_minute_check(mlp(), torch.ones(8, 6), cross_entropy)
