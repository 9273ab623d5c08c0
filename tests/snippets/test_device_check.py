from typing import NamedTuple

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from tests.snippets import load
from tests.snippets.models import Output, Stateful, mlp
from tests.snippets.untouched import untouched

check_devices = load("device_check").check_devices


def meta(*shape):
    return torch.empty(*shape, device="meta")


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


def test_a_batch_left_elsewhere_is_named():
    model, pair = Stateful(), Pair(torch.ones(2), meta(2))
    with untouched(model):
        assert check_devices(model, meta(2)) == ["batch"]
        names = check_devices(model, {"x": {"y": pair}, "z": [["a", "b"], Output(meta(2), (torch.ones(2), meta(2)))]})
    assert names == ["batch['x']['y'].right", "batch['z'][1].logits", "batch['z'][1].hidden[1]"]


def test_parameters_buffers_and_plain_attributes_left_on_meta_are_named(capsys):
    model = mlp()
    model[2] = nn.Linear(32, 3, device="meta")
    model.register_buffer("average", meta(6))
    assert check_devices(model, torch.randn(2, 6)) == ["model.2.weight", "model.2.bias", "model.average"]
    assert "it has no values yet" in capsys.readouterr().out
    model = mlp()  # to() does not move these
    model[0].mask, model.cache = meta(6), {"scales": [torch.ones(2), meta(2)]}
    assert check_devices(model) == ["model.cache['scales'][1]", "model.0.mask"]


def test_layers_in_a_plain_list_are_named(capsys):
    model = mlp()
    model.more = [nn.Linear(2, 2, bias=False, device="meta"), nn.Linear(2, 2)]
    assert check_devices(model) == ["model.more[0].weight"]
    assert "use nn.ModuleList" in capsys.readouterr().out
    model.extra = model.more[0]  # registered as well as listed, so reported once
    assert check_devices(model) == ["model.extra.weight"]


def test_the_device_of_most_parameters_counts_and_lengths_may_stay_on_the_cpu():
    model = nn.Sequential(nn.Linear(50, 50, bias=False, device="meta"), nn.Linear(50, 2))
    assert check_devices(model, torch.randn(2, 50)) == ["model.1.weight", "model.1.bias", "batch"]
    packed = pack_padded_sequence(torch.randn(2, 3, 6), torch.tensor([3, 2]), batch_first=True).to("meta")
    assert packed.data.is_meta and not packed.batch_sizes.is_meta  # the lengths of the sequences
    assert check_devices(nn.LSTM(6, 3, device="meta"), packed) == []
    assert check_devices(nn.Linear(6, 3, device="meta"), {"x": meta(2, 6), "temperature": torch.tensor(0.5)}) == []


def test_models_without_parameters_and_without_anything(capsys):
    assert check_devices(nn.ReLU(), [torch.ones(5), meta(2)]) == ["batch[1]"]
    assert check_devices(nn.ReLU()) == []
    assert "Neither the model nor the batch holds a tensor." in capsys.readouterr().out
