import copy
import random

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Wired, mlp
from tests.snippets.untouched import untouched

checkpointed = load("activation_checkpointing").checkpointed
compare_checkpointing = load("activation_checkpointing").compare_checkpointing

mse = nn.functional.mse_loss


def block(*extra, width=64):
    return nn.Sequential(nn.Linear(16, width), *extra, nn.GELU(), nn.Linear(width, 16))


def stack(*extra, number=6):
    return nn.Sequential(*[block(*copy.deepcopy(extra)) for _ in range(number)])


def batch():
    return torch.randn(32, 16), torch.randn(32, 16)


def test_less_is_kept_and_nothing_differs(capsys):
    model = stack(nn.Dropout(0.5), nn.LayerNorm(64))
    comparison = compare_checkpointing(model, batch(), mse, model)
    # Without: the inputs and what each operation keeps. With: the input of each block, the target and the difference.
    assert comparison.checkpointed == 4 * 32 * 16 * 8 and comparison.plain > 5 * comparison.checkpointed
    assert comparison.problems == []
    assert "loss, gradients and buffers are the same" in capsys.readouterr().out


def test_a_training_step_inside_gives_the_same_weights():
    model, (inputs, targets) = stack(nn.Dropout(0.5)), batch()
    twin = copy.deepcopy(model)
    state = torch.get_rng_state()
    mse(twin(inputs), targets).backward()
    after = torch.get_rng_state()
    torch.set_rng_state(state)
    with checkpointed(model):
        loss = mse(model(inputs), targets)
    loss.backward()  # also after the with
    assert torch.equal(torch.get_rng_state(), after)
    for one, other in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(one.grad, other.grad)


def test_every_layer_runs_twice_and_only_inside():
    calls = []

    def forward(model, x):
        calls.append(1)
        return model.fc(x)

    model = nn.Sequential(Wired(forward, fc=nn.Linear(16, 16)), nn.ReLU(), nn.Linear(16, 16))
    inputs, targets = batch()
    with checkpointed(model[:2]):
        mse(model(inputs), targets).backward()
    assert len(calls) == 2
    mse(model(inputs), targets).backward()
    assert len(calls) == 3
    with checkpointed(model[:2]), torch.no_grad():
        model(inputs)
    assert len(calls) == 4


def test_batch_normalization_is_named_because_it_counts_every_batch_twice(capsys):
    model = stack(nn.BatchNorm1d(64))
    problems = compare_checkpointing(model, batch(), mse, model).problems
    assert problems[:3] == [f"the buffer 0.1.{name}" for name in ("running_mean", "running_var", "num_batches_tracked")]
    assert "DIFFERENT: the buffer 0.1.running_mean" in capsys.readouterr().out


def test_random_numbers_that_torch_does_not_know_are_named(capsys):
    def scaled():
        return Wired(lambda model, x: model.fc(x).tanh() * random.random(), fc=nn.Linear(16, 16))

    random.seed(0)
    model = nn.Sequential(scaled(), scaled(), scaled())
    assert "the gradient of 0.fc.weight" in compare_checkpointing(model, batch(), mse, model).problems


def test_a_single_large_layer_is_told_to_save_little(capsys):
    model = nn.Sequential(mlp(16, 16))
    problems = compare_checkpointing(
        nn.Sequential(*[nn.Linear(16, 16) for _ in range(4)]), batch(), mse, [model]
    ).problems
    assert problems == ["it saves little: checkpoint more layers, or smaller parts of one"]
    assert "it saves little" in capsys.readouterr().out


def test_the_comparison_leaves_the_model_as_it_was():
    model, data = stack(nn.BatchNorm1d(64), nn.Dropout(0.5)), batch()
    model(data[0]).sum().backward()
    model[0].eval()
    with untouched(model):
        compare_checkpointing(model, data, mse, model)
    wrong = torch.randn(32, 15), data[1]
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"):
        compare_checkpointing(model, wrong, mse, model)


def test_after_an_exception_inside_the_layers_are_plain_again():
    model, wrong = stack(), torch.randn(2, 15)
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"), checkpointed(model):
        model(wrong)
    with untouched(model), pytest.raises(RuntimeError, match="checkpointed already"), checkpointed([*model, model[0]]):
        pass


def test_frozen_layers_tuples_keywords_and_integer_inputs_work():
    def pair(model, ids, *, scale):
        features = model.embed(ids) * scale
        return model.fc(features).tanh(), features

    model = Wired(
        lambda model, ids: model.head(sum(model.pair(ids, scale=2.0))),
        pair=Wired(pair, embed=nn.Embedding(10, 16), fc=nn.Linear(16, 16)),
        head=nn.Linear(16, 16),
    )
    model.pair.embed.requires_grad_(False)
    data = torch.randint(10, (32,)), torch.randn(32, 16)
    comparison = compare_checkpointing(model, data, mse, [model.pair])
    assert [problem for problem in comparison.problems if "saves little" not in problem] == []


def test_hooks_of_a_layer_run_once():
    model, calls = stack(), []
    model[0].register_forward_hook(lambda *args: calls.append(1))
    with checkpointed(model):
        model(batch()[0]).sum().backward()
    assert calls == [1]


@pytest.mark.parametrize(
    ("layers", "error", "message"),
    [
        (nn.Linear(2, 2), TypeError, r"pass the layers, such as model\.blocks or \[model\.layer1\], not a Linear"),
        ([], ValueError, "no layers to checkpoint"),
        (["blocks.0"], TypeError, "holds a str: pass modules, not their names"),
        ([torch.compile(nn.Linear(2, 2), backend="eager")], TypeError, "a compiled layer cannot be checkpointed"),
    ],
)
def test_what_cannot_be_checkpointed_gets_a_clear_error(layers, error, message):
    with pytest.raises(error, match=message), checkpointed(layers):
        pass
