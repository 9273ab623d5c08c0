import contextlib

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Output, Stateful, Wired, mlp, recurrent
from tests.snippets.untouched import compiles, untouched

trace_shapes = load("shape_tracer").trace_shapes


def two(second):
    """A model with two branches, a layer that is not called, and `second`, which may not fit."""
    layers = {"first": nn.Linear(6, 6), "second": second, "forgotten": nn.Linear(6, 6)}
    return Wired(lambda model, x: model.second(model.first(x)), **layers)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.BatchNorm1d(7), "7 channels"),
        (nn.LayerNorm(7), "ends in (7,)"),
        (nn.Conv1d(7, 3, 1), "7 channels"),
        (nn.LSTM(7, 3), "7 values in the last dimension"),
        (nn.Linear(6, 3, dtype=torch.float64), "its weights are float64 on cpu"),
        (nn.Linear(6, 3, device="meta"), "its weights are float32 on meta"),
        (nn.Embedding(7, 3), "whole numbers from 0 to 7 - 1"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
def test_the_layer_that_fails_is_named_with_what_it_got_and_expects(capsys, layer, expected):
    with pytest.raises((RuntimeError, ValueError)):
        trace_shapes(two(layer), torch.randn(4, 6))
    out = capsys.readouterr().out
    assert f"The layer that fails is second: {type(layer).__name__}" in out
    (row,) = [line for line in out.splitlines() if line.endswith("Error")]
    assert row.startswith("second ")
    assert "got      [4, 6] float32 on cpu" in out
    assert expected in out.splitlines()[-1]


def test_a_failure_is_found_in_the_deepest_layer_or_between_the_layers(capsys):
    with pytest.raises(RuntimeError):
        trace_shapes(two(nn.Sequential(nn.ReLU(), nn.Sequential(nn.Linear(7, 3)))), torch.randn(4, 6))
    assert "The layer that fails is second.1.0: Linear" in capsys.readouterr().out
    block = Wired(lambda model, x: model.fc(x).view(5, -1), fc=nn.Linear(6, 6))
    with pytest.raises(RuntimeError):
        trace_shapes(two(block), torch.randn(4, 6))
    assert "second fails in its own code, Wired.forward(), after second.fc" in capsys.readouterr().out


def test_a_layer_whose_error_the_model_catches_is_not_blamed(capsys):
    def forward(model, x):
        with contextlib.suppress(RuntimeError):
            return model.broken(x)
        return model.fc(x)

    model = Wired(forward, broken=nn.Linear(7, 3), fc=nn.Linear(6, 3))
    assert [call.name for call in trace_shapes(model, torch.randn(4, 6))] == ["fc", "(model)"]
    assert "fails" not in capsys.readouterr().out


def test_layers_that_are_never_called_are_listed_but_not_the_parts_of_attention(capsys):
    trace_shapes(two(nn.Linear(6, 3)), torch.randn(4, 6))
    assert capsys.readouterr().out.splitlines()[-1] == "Never called: forgotten"
    layers = {"attention": nn.MultiheadAttention(6, 2, batch_first=True), "fc": nn.Linear(6, 3)}
    model = Wired(lambda model, x: model.fc(model.attention(x, x, x)[0]), **layers)
    trace = trace_shapes(model, torch.randn(4, 5, 6))
    assert trace[0].name == "attention" and trace[0].output == ([4, 5, 6], [4, 5, 5])
    assert "Never called" not in capsys.readouterr().out


def test_structures_of_inputs_and_outputs_are_kept():
    trace = {call.name: call for call in trace_shapes(recurrent(), torch.zeros(2, 7, dtype=torch.long))}
    assert trace["lstm"].output == ([2, 7, 8], ([1, 2, 8], [1, 2, 8]))
    assert trace["shared (call 2)"].input == [2, 8]
    assert trace["(model)"].output == {"logits": [2, 5], "hidden": ([1, 2, 8], [1, 2, 8])}
    model = Wired(lambda model, batch, *, mask=None, deep=False: {"out": batch["x"]})
    (call,) = trace_shapes(model, {"x": torch.ones(2, 3)}, mask=torch.ones(2), deep=True)
    assert call.input == ({"x": [2, 3]}, {"mask": [2], "deep": True}) and call.output == {"out": [2, 3]}


def test_everything_stays_as_it_was_also_after_a_failure():
    model, x = Stateful(), torch.randn(4, 6)
    failing = nn.Sequential(model, nn.Linear(7, 3))
    with untouched(failing), pytest.raises(RuntimeError):
        trace_shapes(failing, x)
    loss = model.eval()(x).sum()
    with untouched(model):
        trace_shapes(model, x)
    loss.backward()  # this would raise for buffers changed in place


def test_nested_tensors_of_the_transformer_work():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 1).eval()
    padding = torch.tensor([[False, False], [False, True]])
    with torch.no_grad(), pytest.warns(UserWarning, match="nested"):
        trace = trace_shapes(model, torch.randn(2, 2, 8), src_key_padding_mask=padding)
    assert trace[-1].output == [2, 2, 8] and any(call.output == "nested" for call in trace)


def test_compiled_models_are_traced_inside():
    compiled = torch.compile(mlp(), backend="eager", fullgraph=True)
    part = nn.Sequential(compiled)
    part(torch.randn(4, 6))  # compiles the model again, without hooks
    assert [call.name for call in trace_shapes(compiled, torch.randn(4, 6))] == ["0", "1", "2", "(model)"]
    assert [call.name for call in trace_shapes(part, torch.randn(4, 6))] == ["0.0", "0.1", "0.2", "(model)"]
    assert compiles()


def test_lazy_empty_and_data_parallel_models_work():
    lazy = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d())
    for model, width in ((lazy, 3), (nn.Sequential(), 6), (nn.DataParallel(mlp()), 3)):
        assert trace_shapes(model, torch.randn(4, 6))[-1].output == [4, width]
    assert trace_shapes(nn.Identity(), Output(torch.ones(1), (torch.ones(2), torch.ones(3))))[0].type == "Identity"
