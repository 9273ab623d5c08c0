import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.snippets import load
from tests.snippets.models import Cut, Recurrent, mlp
from tests.snippets.untouched import untouched

inspect_graph = load("graph_inspection").inspect_graph
unreached_parameters = load("graph_inspection").unreached_parameters


def loss_of(model: nn.Module) -> torch.Tensor:
    return model(torch.randn(4, 6)).square().mean()


def test_a_healthy_model_is_reached_everywhere_before_and_after_backward():
    model = mlp()
    loss = loss_of(model)
    assert unreached_parameters(loss, model) == []
    loss.backward()
    assert unreached_parameters(loss, model) == []


def test_a_layer_that_is_not_called_is_named_and_a_frozen_one_is_not():
    model = mlp()
    model[2].requires_grad_(False)
    model.add_module("forgotten", nn.Linear(3, 3))
    assert unreached_parameters(model[2](model[0](torch.randn(4, 6))).sum(), model) == [
        "forgotten.weight",
        "forgotten.bias",
    ]


def test_a_loss_without_a_graph_reaches_nothing(capsys):
    model = nn.Linear(6, 3)
    with torch.no_grad():
        loss = loss_of(model)
    assert unreached_parameters(loss, model) == ["weight", "bias"]
    assert inspect_graph(loss, model) == []
    assert "No graph" in capsys.readouterr().out


def test_a_detached_branch_is_named_and_the_graph_is_printed_to_its_ends(capsys):
    model = Cut()
    loss = loss_of(model)
    assert unreached_parameters(loss, model) == ["encoder.weight", "encoder.bias"]
    leaves = inspect_graph(loss, model)
    assert {id(leaf) for leaf in leaves} == {id(model.head.weight), id(model.head.bias)}
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "MeanBackward0"
    assert "head.weight [3, 8]" in out and "head.bias [3]" in out
    assert "no gradient: data, a constant or a detached tensor" in out
    assert "encoder" not in out


def test_without_a_model_leaves_have_no_names(capsys):
    inspect_graph(loss_of(nn.Linear(6, 3)))
    assert "leaf [3, 6]" in capsys.readouterr().out


def test_a_tensor_that_is_used_twice_is_printed_once(capsys):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    assert inspect_graph(y * y) == [x]
    out = capsys.readouterr().out
    assert [line.strip() for line in out.splitlines()] == [
        "MulBackward0",
        "ExpBackward0",
        "leaf [2]",
        "ExpBackward0 (see above)",
    ]


def test_a_graph_deeper_than_the_recursion_limit_is_cut(capsys):
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y + 1
    (leaf,) = inspect_graph(y, max_lines=50)
    assert leaf is x
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 51
    assert "cut after 50 lines" in out


def test_leaves_are_described(capsys):
    model = nn.Linear(6, 3)
    assert inspect_graph(model.weight, model)[0] is model.weight
    assert "A leaf: weight [3, 6]" in capsys.readouterr().out
    assert unreached_parameters(model.weight, model) == ["bias"]


def test_recurrent_complex_and_compiled_models_are_reached():
    model = Recurrent()
    assert unreached_parameters(model(torch.tensor([[1, 2]])).logits.sum(), model) == []
    model = nn.Linear(6, 3, dtype=torch.complex64)
    assert unreached_parameters(model(torch.randn(4, 6, dtype=torch.complex64)).abs().sum(), model) == []
    model = torch.compile(mlp(), backend="eager")
    assert unreached_parameters(loss_of(model), model) == []


def test_checkpointing_is_seen_through_or_refused():
    model, x = mlp(), torch.randn(4, 6, requires_grad=True)
    assert unreached_parameters(checkpoint(model, x, use_reentrant=False).sum(), model) == []
    with pytest.raises(ValueError, match="use_reentrant=False"):
        unreached_parameters(checkpoint(model, x, use_reentrant=True).sum(), model)


def test_everything_stays_as_it_was():
    model = mlp()
    loss = loss_of(model)
    with untouched(model):
        inspect_graph(loss, model)
        unreached_parameters(loss, model)
    loss.backward()  # the graph is still whole


def test_what_is_no_tensor_gets_a_clear_error():
    with pytest.raises(TypeError, match="takes a tensor such as the loss, not a float"):
        inspect_graph(1.5)
    with pytest.raises(TypeError, match="takes the loss and then the model, not a Linear"):
        unreached_parameters(nn.Linear(2, 2), torch.ones(()))
