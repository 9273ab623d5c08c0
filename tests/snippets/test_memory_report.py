import gc
from collections import Counter, deque
from typing import Any

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, recurrent
from tests.snippets.untouched import same_training, untouched

module = load("memory_report")
find_leak, memory_report, peak_memory = module.find_leak, module.memory_report, module.peak_memory


def test_losses_kept_as_tensors_are_a_leak_and_kept_as_numbers_are_not(capsys):
    model, losses, images, labels = mlp(), [], torch.randn(16, 6), torch.randint(3, (16,))
    optimizer = torch.optim.Adam(model.parameters())

    def train():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    assert not find_leak(lambda: losses.append(train().item()))
    assert capsys.readouterr().out == "no leak in 20 steps\n"
    leak = find_leak(lambda: losses.append(train()), iterations=10)
    assert leak["1 x [] float32 on cpu, made by nll_loss_forward, held by a list"] == 4
    assert len(losses) == 30


def test_evaluation_without_no_grad_is_distinguished_from_evaluation_with_it(capsys):
    model, images = mlp(), torch.randn(16, 6)
    kept: dict[int, torch.Tensor] = {}
    hidden, scores = 4 * 16 * 32, 4 * 16 * 3  # the output of the ReLU, kept for the backward pass, and the scores
    step = lambda: kept.update({len(kept): model(images)})  # noqa: E731
    assert find_leak(step) == {
        "1 x [16, 32] float32 on cpu, made by relu, held by a graph": hidden,
        "1 x [16, 3] float32 on cpu, made by addmm, held by a dict": scores,
    }
    out = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in out] == ["LEAK", "  2 KiB", "  192 bytes"]
    assert find_leak(torch.no_grad()(step)).total() == scores


def test_state_that_is_kept_once_or_replaced_is_no_leak():
    model, images, calls = mlp(), torch.randn(16, 6), []
    cache: dict[str, Any] = {}
    window = deque([torch.zeros(())], maxlen=5)

    def step():
        calls.append(1)
        if len(calls) == 18:
            cache["table"] = [torch.zeros(1000) for _ in range(9)]
        cache["output"] = model(images)
        window.append(cache["output"].detach().mean())
        cycle = [mlp()(images)]  # the collector will free it
        cycle.append(cycle)

    gc.disable()
    try:
        assert not find_leak(step)
    finally:
        gc.enable()


def test_a_view_keeps_the_memory_behind_it_and_several_of_a_kind_are_counted():
    kept = []
    leak = find_leak(lambda: kept.append([torch.zeros(10, dtype=torch.float64).add_(1)[:1] for _ in range(3)]))
    assert leak == {"3 x [10] float64 on cpu, made by zeros, held by a list": 240}


def test_the_steps_are_the_same_under_the_detector():
    def step(model):
        model.zero_grad()
        nn.functional.dropout(model(torch.tensor([[1, 2, 3]])).logits).sum().backward()

    same_training(
        recurrent(),
        lambda model: [step(model) for _ in range(6)],
        lambda model: find_leak(lambda: step(model), iterations=6),
    )


@pytest.mark.parametrize("measure", [find_leak, lambda step: peak_memory(step)()])
def test_an_exception_of_the_step_passes_through_and_leaves_nothing_behind(measure):
    model, images = mlp(), torch.randn(4, 7)
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"):
        measure(lambda: model(images))
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


def test_compiled_models_are_watched():
    calls, images = Counter[str](), torch.randn(16, 6)

    def backend(graph, inputs):
        return lambda *args: (calls.update(["compiled"]), graph(*args))[1]

    model, kept = torch.compile(mlp(), backend=backend), []
    model(images)
    assert find_leak(lambda: kept.append(model(images))).total() == 4 * 16 * (32 + 3)
    assert calls["compiled"] == 1  # compiled code, whose operations are not visible, did not run again


def test_the_peak_counts_what_is_alive_together(capsys):
    @peak_memory
    def step(*, scale):
        """A training step."""
        first = torch.zeros(1000)
        second = first + 1
        del first
        third = second * scale  # two tensors are alive here, never three
        del second
        return third[:500] + 1

    assert torch.equal(step(scale=2), torch.full((500,), 3.0))
    assert step.peak == 8000 and step.__doc__ == "A training step."
    assert capsys.readouterr().out == "step: peak 7.812 KiB above the start, 1.953 KiB left at the end\n"

    model, images = nn.Sequential(*[nn.Linear(100, 100) for _ in range(10)]), torch.randn(50, 100)
    forward = peak_memory(lambda: model(images))
    forward()
    assert forward.peak == 10 * 4 * 5000
    torch.no_grad()(forward)()
    assert forward.peak == 2 * 4 * 5000


def test_the_report_lists_the_largest_tensors_once_and_what_the_allocator_of_a_gpu_holds(monkeypatch, capsys):
    before = memory_report()["all tensors"]
    base, layer = torch.zeros(1234, 1000), nn.Linear(500, 500)
    views = [base[:] for _ in range(10)]
    # Neither has memory that is counted: a sparse tensor has no storage of its own, a meta tensor has none at all.
    sparse = torch.eye(3).to_sparse(), torch.ones(3, device="meta")
    capsys.readouterr()
    assert memory_report()["all tensors"] - before == base.nbytes + 4 * (500 * 500 + 500)
    out = capsys.readouterr().out
    assert " 4.707 MiB  [1234, 1000] float32 on cpu\n" in out and "976.6 KiB  [500, 500] float32 on cpu" in out
    del base
    assert memory_report()["[1234, 1000] float32 on cpu"] == views[0].nbytes and len(sparse) == 2 and layer.bias.is_leaf
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for name, size in {"memory_reserved": 8, "max_memory_allocated": 5, "memory_allocated": 3}.items():
        monkeypatch.setattr(torch.cuda, name, lambda size=size: size << 30)
    assert memory_report()["memory_allocated"] == 3 << 30
    assert "     8 GiB  memory_reserved\n     5 GiB  max_memory_allocated\n" in capsys.readouterr().out
