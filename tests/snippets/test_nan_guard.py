import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.snippets import load
from tests.snippets.models import Wired, mlp, poison, recurrent
from tests.snippets.untouched import compiles, same_training, untouched

check_finite = load("nan_guard").check_finite
nan_guard = load("nan_guard").nan_guard


def root():
    """A model with a square root, whose derivative is infinite at zero."""
    return Wired(lambda model, x: model.relu(model.fc(x)).sqrt(), fc=nn.Linear(6, 6), relu=nn.ReLU())


def log():
    return Wired(lambda model, x: x.log())


def refused(model, message, *args, **kwargs):
    """Assert that the guard raises with this message when the model is called."""
    with untouched(model), pytest.raises(FloatingPointError, match=message), nan_guard(model):
        model(*args, **kwargs)


def test_a_nan_weight_is_named_with_its_layer_and_index():
    model, x = nn.Sequential(mlp(6, 6), nn.Linear(6, 3)), torch.randn(4, 6)
    poison(model[0][2].weight, 1, 3)
    message = (
        r"the output of 0\.2 \(Linear\): 4 of 24 values are NaN, the first at \[0, 1\]; "
        r"its parameter 0\.2\.weight: 1 of 192 values are NaN, the first at \[1, 3\]"
    )
    refused(model, message, x)
    model(x)  # the guard is removed
    model = recurrent()  # a tuple and a data class inside
    poison(model.lstm.weight_hh_l0, 0, 0)
    refused(model, r"the output of lstm \(LSTM\) at \[0\]", torch.tensor([[1, 2]]))
    single = nn.BatchNorm1d(6).eval()
    poison(single.running_mean, 2)
    refused(single, r"\(model\) \(BatchNorm1d\).*its buffer running_mean: 1 of 6", x)


def test_nan_inputs_are_distinguished_from_nan_made_by_the_layer():
    x = torch.randn(4, 6)
    poison(x, 2, 5)
    refused(mlp(), r"its input 0: 1 of 24 values are NaN, the first at \[2, 5\]", x)
    scaled = Wired(lambda model, x, *, scale: x * scale)
    message = "its argument scale: 1 of 1 values are infinite"
    refused(scaled, message, torch.ones(2), scale=torch.tensor([float("inf")]))
    message = r"the output of 1 \(Wired\): 1 of 2 .* infinite.* made them itself"
    refused(nn.Sequential(nn.ReLU(), log()), message, torch.tensor([1.0, -1.0]))
    model = mlp()
    nn.init.constant_(model[0].weight, 5e20)
    nn.init.constant_(model[2].weight, 5e20)
    message = r"its (input 0|parameter 2\.weight) is finite, but as large as .*e\+2\d \(float32 ends at 3\.4e\+38\)"
    refused(model, f"infinite.*{message}", torch.ones(4, 6))


def test_a_gradient_that_is_not_finite_is_named_in_the_backward_pass():
    model, layer = root(), nn.Linear(6, 3)
    message = r"the gradient with respect to the output of relu \(ReLU\)"
    with pytest.raises(FloatingPointError, match=message), nan_guard(model):
        model(torch.randn(4, 6)).sum().backward()
    with pytest.raises(FloatingPointError, match="the gradient with respect to weight"), nan_guard(layer):
        (layer.weight * 0).sqrt().sum().backward()


def test_gradients_and_infinite_values_can_be_ignored_and_the_guard_is_removed_after_the_with():
    model, logarithm, x = root(), nn.Sequential(log()), torch.randn(4, 6)
    with untouched(model), nan_guard(model):
        loss = model(x).sum()
    loss.backward()  # the guard refuses this gradient, see above
    with nan_guard(model, gradients=False):
        model(x).sum().backward()
    with nan_guard(logarithm, allow_inf=True):
        logarithm(torch.zeros(2))
    with pytest.raises(FloatingPointError, match="NaN"), nan_guard(logarithm, allow_inf=True):
        logarithm(-torch.ones(2))


def test_operations_in_place_and_checkpointing_work_inside():
    def forward(model, x):
        y = model.flat(model.fc(x).view(-1, 2, 3))
        y += 1
        return model.relu(y)

    def guarded(model):
        with nan_guard(model):
            checkpoint(model, x, use_reentrant=False).sum().backward()

    model, x = Wired(forward, fc=nn.Linear(6, 6), flat=nn.Flatten(), relu=nn.ReLU(inplace=True)), torch.randn(4, 6)
    same_training(model, lambda model: model(x).sum().backward(), guarded)


def test_compiled_and_data_parallel_models_are_guarded():
    model = mlp()
    compiled = torch.compile(model, backend="eager")
    compiled(torch.randn(4, 6))  # compiles the model again, without hooks
    poison(model[2].weight, 1, 3)
    for wrapped in (compiled, nn.DataParallel(model)):
        with pytest.raises(FloatingPointError, match=r"the output of (module\.)?2 \(Linear\)"), nan_guard(wrapped):
            wrapped(torch.randn(4, 6))
        assert compiles()


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (torch.tensor([[1.0, 2.0], [3.0, float("nan")]]), r"x: 1 of 4 values are NaN, the first at \[1, 1\]"),
        (torch.tensor(float("-inf")), r"x: 1 of 1 values are infinite, the first at \[\]"),
        (torch.tensor([float("nan"), float("inf"), 0]), r"x: 2 of 3 values are NaN or infinite, the first at \[0\]"),
        (torch.tensor([1, float("inf")], dtype=torch.float16), r"x: 1 of 2 values are infinite"),
        (torch.tensor([1j, complex(float("nan"), 0)]), r"x: 1 of 2 values are NaN"),
        (torch.tensor([0.0, float("nan")]).to_sparse(), r"x: 1 of 1 values are NaN"),
    ],
    ids=["matrix", "number", "both", "half", "complex", "sparse"],
)
def test_check_finite_names_the_tensor_and_the_first_index(tensor, message):
    with pytest.raises(FloatingPointError, match=message):
        check_finite(tensor, "x")


def test_check_finite_returns_finite_tensors():
    for tensor in (torch.ones(2), torch.ones(2).long(), torch.ones(0), torch.ones(2, device="meta")):
        assert check_finite(tensor, "x") is tensor
