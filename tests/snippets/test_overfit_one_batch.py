import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Recurrent, Stateful, mlp, poison
from tests.snippets.untouched import untouched

overfit_one_batch = load("overfit_one_batch").overfit_one_batch
cross_entropy = nn.CrossEntropyLoss()


def batch(classes: int = 3):
    return torch.randn(8, 6), torch.arange(8) % classes


def test_a_healthy_classifier_and_a_healthy_regression_pass(capsys):
    result = overfit_one_batch(mlp(), batch(), cross_entropy, lr=1e-2)
    assert result.passed and result.reason == ""
    assert result.losses[-1] < 0.05 * result.losses[0]
    out = capsys.readouterr().out
    assert f"step {len(result.losses) - 1:>3}" in out and "PASSED" in out
    assert overfit_one_batch(mlp(6, 1), (torch.randn(8, 6), torch.randn(8, 1)), nn.MSELoss(), lr=1e-2).passed


def test_dropout_does_not_stand_in_the_way():
    assert overfit_one_batch(nn.Sequential(nn.Dropout(0.9), mlp()), batch(), cross_entropy, lr=1e-2).passed


@pytest.mark.parametrize(
    "spoil",
    [
        lambda model: nn.Sequential(model, nn.Softmax(dim=1)),
        lambda model: nn.Sequential(model, nn.Hardtanh(-0.1, 0.1)),
        lambda model: nn.Sequential(model, nn.ReLU(), nn.Hardtanh(0, 0.5)),
    ],
    ids=["softmax", "bounded outputs", "bounded and not negative"],
)
def test_a_model_that_cannot_reach_the_labels_fails(capsys, spoil):
    result = overfit_one_batch(spoil(mlp()), batch(), cross_entropy, lr=1e-2)
    assert not result.passed
    assert "after 300 steps the loss is still at" in result.reason
    assert "FAILED" in capsys.readouterr().out


def test_labels_that_are_shuffled_against_their_inputs_fail():
    generator = torch.Generator().manual_seed(0)

    def shuffling(output, labels):
        return cross_entropy(output, labels[torch.randperm(len(labels), generator=generator)])

    assert not overfit_one_batch(mlp(), batch(), shuffling, lr=1e-2).passed


def test_equal_inputs_with_different_labels_fail():
    inputs, labels = batch()
    assert not overfit_one_batch(mlp(), (torch.ones_like(inputs), labels), cross_entropy, lr=1e-2).passed


def test_a_loss_without_gradient_is_told_from_a_slow_one():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    model[2].requires_grad_(False)
    result = overfit_one_batch(model, batch(), cross_entropy)
    assert result.reason == "no parameter gets a gradient other than zero"
    assert len(result.losses) == 1


def test_a_nan_weight_fails_at_once():
    model = mlp()
    poison(model[2].weight, 1, 3)
    assert overfit_one_batch(model, batch(), cross_entropy).reason == "the loss is nan at step 0"


def test_a_frozen_model_gets_a_clear_error():
    with pytest.raises(ValueError, match="nothing to train"):
        overfit_one_batch(mlp().requires_grad_(False), batch(), cross_entropy)


def test_a_negative_loss_gets_a_clear_error():
    with pytest.raises(ValueError, match="needs a loss whose minimum is 0"):
        overfit_one_batch(mlp(), batch(), lambda output, labels: output.mean() - 10)


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
    assert overfit_one_batch(Model(), ((left, right), labels), cross_entropy, lr=1e-2).passed
    assert overfit_one_batch(Model(), ({"left": left, "right": right}, labels), cross_entropy, lr=1e-2).passed
    whole = {"labels": labels, "left": left, "right": right}
    assert overfit_one_batch(Model(), whole, lambda output, _: output["loss"], lr=1e-2).passed


def test_the_copy_trains_in_training_mode():
    modes = []

    class Model(nn.Linear):
        def forward(self, x):
            modes.append(self.training)
            return super().forward(x)

    overfit_one_batch(Model(6, 3).eval(), batch(), cross_entropy, steps=1)
    assert modes == [True] * 3  # one call for the shape of the output


def test_everything_stays_as_it_was():
    model, data = Stateful().eval(), batch(6)
    with untouched(model), torch.no_grad():
        overfit_one_batch(model, data, cross_entropy, steps=3)


def test_everything_stays_as_it_was_after_a_failure():
    model, data = Stateful(), (torch.randn(8, 6), torch.full((8,), 9))
    with untouched(model), pytest.raises(IndexError):
        overfit_one_batch(model, data, cross_entropy)


def test_compiled_data_parallel_lazy_and_sparse_models_work():
    for model in (torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp()), nn.Sequential(nn.LazyLinear(3))):
        assert len(overfit_one_batch(model, batch(), cross_entropy, steps=2).losses) == 3
    recurrent, ids = Recurrent(), torch.zeros(8, 2, dtype=torch.long)
    recurrent.embed.sparse = False  # Adam takes no sparse gradients
    result = overfit_one_batch(recurrent, (ids, batch()[1]), lambda o, labels: cross_entropy(o.logits, labels), steps=2)
    assert not result.passed


@pytest.mark.parametrize("wrong", [torch.ones(8, 6), (torch.ones(8, 6),), None], ids=["tensor", "one part", "nothing"])
def test_a_batch_of_another_form_gets_a_clear_error(wrong):
    with pytest.raises(TypeError, match=r"batch must be \(inputs, targets\) or one dict"):
        overfit_one_batch(mlp(), wrong, cross_entropy)


def test_what_is_no_model_gets_a_clear_error():
    with pytest.raises(TypeError, match="takes the model first, not a Tensor"):
        overfit_one_batch(torch.ones(2), batch(), cross_entropy)
