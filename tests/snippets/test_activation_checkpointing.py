import copy
import random

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Wired
from tests.snippets.untouched import same_training, untouched

checkpointed = load("activation_checkpointing").checkpointed
compare_checkpointing = load("activation_checkpointing").compare_checkpointing
mse = nn.functional.mse_loss


def stack(*extra):
    layers = [(nn.Linear(16, 64), *copy.deepcopy(extra), nn.GELU(), nn.Linear(64, 16)) for _ in range(6)]
    return nn.Sequential(*(nn.Sequential(*block) for block in layers))


def batch():
    return torch.randn(32, 16), torch.randn(32, 16)


def test_a_training_step_gives_the_same_weights_although_every_layer_runs_twice():
    model, calls, (inputs, targets) = stack(nn.Dropout(0.5)), [], batch()

    def plain(model):
        mse(model(inputs), targets).backward()

    def with_checkpoints(model):
        model[0][1].register_forward_hook(lambda *args: calls.append("inner"))
        model[0].register_forward_hook(lambda *args: calls.append("block"))
        with checkpointed(model):
            loss = mse(model(inputs), targets)
        loss.backward()  # also after the `with` block

    same_training(model, plain, with_checkpoints)
    assert calls == ["inner", "block", "inner"]
    plain(model)
    with checkpointed(model), torch.no_grad():
        model(inputs)
    assert calls == ["inner", "block", "inner"] + ["inner", "block"] * 2


def test_random_numbers_that_torch_does_not_know_are_named():
    random.seed(0)
    layers = [Wired(lambda model, x: model.fc(x).tanh() * random.random(), fc=nn.Linear(16, 16)) for _ in range(3)]
    problems = compare_checkpointing(nn.Sequential(*layers), batch(), mse, layers).problems
    assert "the gradient of 0.fc.weight" in problems


def test_layers_that_save_little_are_named(capsys):
    model = nn.Sequential(*[nn.Linear(16, 16) for _ in range(4)])
    problems = compare_checkpointing(model, batch(), mse, [nn.Linear(16, 16)]).problems
    assert problems == ["it saves little: checkpoint more layers, or smaller parts of one"]
    assert "it saves little" in capsys.readouterr().out


def test_the_model_stays_as_it_was_also_after_an_exception():
    model, data = stack(nn.BatchNorm1d(64), nn.Dropout(0.5)), batch()
    model(data[0]).sum().backward()
    model[0].eval()
    with untouched(model):
        compare_checkpointing(model, data, mse, model)
    wrong = torch.randn(32, 15), data[1]
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"):
        compare_checkpointing(model, wrong, mse, model)
    with untouched(model.eval()), pytest.raises(RuntimeError, match="mat1 and mat2"), checkpointed(model):
        model(wrong[0])
    with untouched(model), pytest.raises(RuntimeError, match="checkpointed already"), checkpointed([*model, model[0]]):
        pass


def test_frozen_layers_tuples_keywords_and_integer_inputs_work():
    def pair(model, ids, *, scale):
        features = model.embed(ids) * scale
        return model.fc(features).tanh(), features

    layers = {"embed": nn.Embedding(10, 16).requires_grad_(False), "fc": nn.Linear(16, 16)}
    inner = Wired(pair, **layers)
    model = Wired(lambda model, ids: model.head(sum(model.pair(ids, scale=2.0))), pair=inner, head=nn.Linear(16, 16))
    comparison = compare_checkpointing(model, (torch.randint(10, (32,)), torch.randn(32, 16)), mse, [inner])
    assert [problem for problem in comparison.problems if "saves little" not in problem] == []
