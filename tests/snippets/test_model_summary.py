import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Stateful, Wired, mlp
from tests.snippets.untouched import untouched

summarize = load("model_summary").summarize


def test_the_model_stays_as_it_was():
    model = Stateful()
    with untouched(model):
        summarize(model)
    assert summarize(nn.ReLU()) == (0, 0, 0, [])


def test_a_frozen_model_is_named(capsys):
    summarize(mlp().requires_grad_(False))
    assert "Nothing is trained" in capsys.readouterr().out


def test_layers_in_lists_and_dicts_and_plain_tensors_are_named():
    head = nn.Linear(2, 2)
    forgetful = Wired(
        None,
        head=head,
        blocks=[nn.Linear(2, 2), nn.ReLU()],
        by_name={"a": nn.Linear(2, 2)},
        scale=torch.ones(2, requires_grad=True),
        table=torch.ones(2),  # a constant: it needs no gradient
        order=[head],  # registered as well as listed
    )
    assert summarize(nn.Sequential(forgetful)).unregistered == ["0.blocks[0]", "0.by_name['a']", "0.scale"]


def test_shared_parameters_count_once_and_say_with_whom(capsys):
    model = nn.ModuleDict({"embed": nn.Embedding(10, 4), "head": nn.Linear(4, 10, bias=False)})
    model["head"].weight = model["embed"].weight
    assert summarize(model).parameters == 40
    assert "weight is shared with embed.weight" in capsys.readouterr().out


def test_sizes_follow_the_types_and_buffers_are_no_parameters():
    model = nn.ParameterList([torch.ones(3, dtype=torch.complex64), torch.ones(3, dtype=torch.bfloat16)])
    assert summarize(model)[:3] == (6, 6, 30)
    assert summarize(nn.BatchNorm1d(4, dtype=torch.float16))[:3] == (8, 8, 8 * 2 + 8 * 2 + 8)  # a counter of 8 bytes


def test_parameters_that_are_also_in_a_list_count_as_registered():
    body = mlp()
    listed = Wired(
        None,
        recurrent=nn.LSTM(4, 4, num_layers=2),
        body=body,
        decayed=[body[0].weight],
        by_name=dict(body.named_parameters()),
        teacher=[mlp().requires_grad_(False)],  # not a parameter on purpose
    )
    body[1].parent = [body]
    assert summarize(listed).unregistered == []


def test_parameters_on_meta_or_lazy_are_named_and_the_model_is_not_called_frozen(capsys):
    assert summarize(nn.Sequential(nn.Linear(2, 2, device="meta"), nn.LazyLinear(3))).parameters == 6
    out = capsys.readouterr().out
    assert "weight is on meta and has no values yet" in out
    assert "weight has no shape before the first batch" in out
    model = nn.Sequential(nn.LazyLinear(3))
    summarize(model)
    out = capsys.readouterr().out
    assert "2 lazy parameters are not initialized and not counted: run one batch first." in out
    model(torch.randn(2, 5))
    assert summarize(model).trained == 18
    assert "lazy" not in capsys.readouterr().out
    summarize(nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.LazyLinear(3)))
    assert "Nothing is trained" not in out + capsys.readouterr().out
