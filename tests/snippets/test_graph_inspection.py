import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.snippets import load
from tests.snippets.models import mlp
from tests.snippets.untouched import untouched

inspect_graph = load("graph_inspection").inspect_graph
unreached_parameters = load("graph_inspection").unreached_parameters


def test_model_and_graph_stay_as_they_were():
    model = mlp()
    loss = model(torch.randn(4, 6)).sum()
    with untouched(model):
        unreached_parameters(loss, model)
        inspect_graph(loss, model)
    loss.backward()
    assert unreached_parameters(loss, model) == []


def test_a_layer_that_is_not_called_is_named_and_a_frozen_one_is_not():
    model = mlp()
    model[2].requires_grad_(False)
    model.add_module("forgotten", nn.Linear(3, 3))
    loss = model[2](model[0](torch.randn(4, 6))).sum()
    assert unreached_parameters(loss, model) == ["forgotten.weight", "forgotten.bias"]


def test_a_loss_without_a_graph_reaches_nothing(capsys):
    model = nn.Linear(6, 3)
    with torch.no_grad():
        loss = model(torch.randn(4, 6)).sum()
    assert unreached_parameters(loss, model) == ["weight", "bias"]
    assert inspect_graph(loss, model) == []
    assert "No graph" in capsys.readouterr().out


def test_a_tensor_that_is_used_twice_is_printed_once(capsys):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    assert inspect_graph(y * y) == [x]
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["MulBackward0", "ExpBackward0", "leaf [2]", "ExpBackward0 (see above)"]


def test_a_graph_deeper_than_the_recursion_limit_is_cut(capsys):
    x = y = torch.ones(2, requires_grad=True)
    for _ in range(5000):
        y = y + 1
    (leaf,) = inspect_graph(y, max_lines=50)
    lines = capsys.readouterr().out.splitlines()
    assert leaf is x and len(lines) == 51 and "cut after 50 lines" in lines[-1]


def test_checkpointed_models_are_inspected_or_refused():
    model, x = mlp(), torch.randn(4, 6, requires_grad=True)
    assert unreached_parameters(checkpoint(model, x, use_reentrant=False).sum(), model) == []
    with pytest.raises(ValueError, match="use_reentrant=False"):
        unreached_parameters(checkpoint(model, x, use_reentrant=True).sum(), model)


def test_leaves_are_described(capsys):
    model = nn.Linear(6, 3)
    assert inspect_graph(model.weight, model)[0] is model.weight
    assert "A leaf: weight [3, 6]" in capsys.readouterr().out
    assert unreached_parameters(model.weight, model) == ["bias"]
