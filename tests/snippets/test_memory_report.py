import copy
import gc
from collections import deque
from typing import Any

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Recurrent, mlp
from tests.snippets.untouched import untouched

find_leak = load("memory_report").find_leak
memory_report = load("memory_report").memory_report
peak_memory = load("memory_report").peak_memory


@pytest.fixture(autouse=True)
def _only_what_the_test_makes():
    """The collector then passes over the million objects of pytest and torch: each test is five times as fast."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


class Training:
    """A healthy training step, to which a test adds its leak."""

    def __init__(self):
        self.model = mlp()
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.batch = torch.randn(16, 6), torch.randint(3, (16,))

    def __call__(self):
        self.optimizer.zero_grad()
        output = self.model(self.batch[0])
        loss = nn.functional.cross_entropy(output, self.batch[1])
        loss.backward()
        self.optimizer.step()
        return output, loss


def test_a_healthy_training_has_no_leak(capsys):
    leak = find_leak(Training())
    assert leak == (0, 0, [])
    assert capsys.readouterr().out == "no leak in 20 steps\n"


def test_kept_losses_are_named_with_the_graph_that_they_hold(capsys):
    step, losses = Training(), []
    leak = find_leak(lambda: losses.append(step()[1]))
    assert leak.bytes_per_step >= 4 and leak.nodes_per_step > 0
    out = capsys.readouterr().out
    assert "LEAK" in out and "every step adds 1 tensor [] with its graph (NllLossBackward0): keep loss.item()" in out


def test_a_running_total_is_found_by_its_growing_graph(capsys):
    """After backward() it keeps no tensor but itself, so the bytes of tensors alone do not show it."""
    step, total = Training(), torch.zeros(())

    def run():
        nonlocal total
        total = total + step()[1]

    leak = find_leak(run)
    assert leak.nodes_per_step > 0
    assert any("the graph above [] (AddBackward0) grows by" in finding for finding in leak.findings)
    assert "add loss.item()" in capsys.readouterr().out


def test_evaluation_without_no_grad_is_told_from_evaluation_with_it(capsys):
    model, images, outputs = mlp(), torch.randn(16, 6), []
    leak = find_leak(lambda: outputs.append(model(images)))
    per_step = 4 * 16 * (32 + 3)  # the ReLU's output, kept for backward, and the scores
    assert leak.bytes_per_step == per_step
    assert "1 x [16, 32] float32 on cpu, made by relu" in capsys.readouterr().out
    outputs.clear()
    with torch.no_grad():
        assert find_leak(lambda: outputs.append(model(images))).bytes_per_step == 4 * 16 * 3
    assert "no graph holds them: look for a list" in capsys.readouterr().out


def test_state_that_is_kept_once_or_replaced_is_no_leak(capsys):
    model, images = mlp(), torch.randn(16, 6)
    cache: dict[str, Any] = {}
    latest, window = {}, deque([torch.zeros(())], maxlen=5)

    def step():
        cache["calls"] = cache.get("calls", 0) + 1
        if cache["calls"] == 8:
            cache["table"] = torch.zeros(1000)
        output = model(images)
        latest["output"] = output
        window.append(output.detach().mean())

    assert find_leak(step) == (0, 0, [])
    assert "no leak" in capsys.readouterr().out


def test_a_leak_is_measured_exactly_and_a_view_keeps_the_memory_behind_it():
    kept: dict[int, torch.Tensor] = {}
    leak = find_leak(lambda: kept.update({len(kept): torch.zeros(10, 10, dtype=torch.float64)}))
    assert leak.bytes_per_step == 800
    assert find_leak(lambda: kept.update({len(kept): torch.randn(1000)[:1]})).bytes_per_step == 4000


def test_the_steps_are_the_same_under_the_detector(capsys):
    model = Recurrent()
    twin, ids = copy.deepcopy(model), torch.tensor([[1, 2, 3]])

    def step(model):
        model.zero_grad()
        nn.functional.dropout(model(ids).logits).sum().backward()

    state = torch.get_rng_state()
    for _ in range(9):
        step(twin)
    after = torch.get_rng_state()
    torch.set_rng_state(state)
    assert find_leak(lambda: step(model), iterations=6).findings == []
    assert torch.equal(torch.get_rng_state(), after)
    for one, other in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(one.grad.to_dense(), other.grad.to_dense())


def test_an_exception_of_the_step_passes_through_and_leaves_nothing_behind():
    model, images = mlp(), torch.randn(4, 7)
    with untouched(model), pytest.raises(RuntimeError, match="mat1 and mat2"):
        find_leak(lambda: model(images))
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


def test_compiled_models_are_watched():
    calls = []

    def backend(graph, inputs):
        def run(*args):
            calls.append(1)
            return graph(*args)

        return run

    model, kept = torch.compile(mlp(), backend=backend), []
    images = torch.randn(16, 6)
    model(images)
    assert find_leak(lambda: kept.append(model(images))).bytes_per_step == 4 * 16 * (32 + 3)
    assert calls == [1]  # the compiled code, which shows no operations, did not run again


def test_garbage_that_the_collector_will_free_is_no_leak():
    def step():
        cycle = [mlp()(torch.randn(16, 6))]
        cycle.append(cycle)

    gc.disable()
    try:
        assert find_leak(step).findings == []
    finally:
        gc.enable()


def test_the_peak_counts_what_is_alive_together(capsys):
    @peak_memory
    def step():
        first = torch.zeros(1000)
        second = first + 1
        del first
        third = second * 2  # two are alive here, never three
        del second
        return third[:500] + 1

    result = step()
    assert step.peak == 8000 and torch.equal(result, torch.full((500,), 3.0))
    assert capsys.readouterr().out == "step: peak 7.81 KiB above the start, 1.95 KiB still there at the end\n"

    model, images = nn.Sequential(*[nn.Linear(100, 100) for _ in range(10)]), torch.randn(50, 100)
    forward = peak_memory(lambda: model(images))
    forward()
    assert forward.peak == 10 * 4 * 5000
    with torch.no_grad():
        forward()
    assert forward.peak == 2 * 4 * 5000


def test_the_decorated_function_keeps_its_name_and_its_exceptions():
    @peak_memory
    def explode(value, *, wrong=False):
        """What it does."""
        raise KeyError(value)

    assert explode.__name__ == "explode" and explode.__doc__ == "What it does."
    with pytest.raises(KeyError, match="7"):
        explode(7, wrong=True)


def test_the_report_lists_the_largest_tensors(capsys):
    gc.collect()
    large = torch.zeros(1234, 1000)
    report = memory_report("cpu")
    assert report["tensors"] >= large.nbytes
    out = capsys.readouterr().out
    assert out.startswith("cpu: ") and "4.71 MiB in [1234, 1000] float32 on cpu" in out
    del large
    assert report["tensors"] - memory_report("cpu")["tensors"] == 1234 * 1000 * 4
    layer = nn.Linear(500, 500)  # parameters are tensors, too
    capsys.readouterr()
    memory_report("cpu")
    assert "977 KiB in [500, 500]" in capsys.readouterr().out and layer.weight.requires_grad


def test_memory_shared_by_views_is_counted_once(capsys):
    before = memory_report("cpu")["tensors"]
    base = torch.zeros(100_000)
    views = [base[:] for _ in range(10)]
    assert memory_report("cpu")["tensors"] - before == 400_000
    assert "391 KiB in [100000] float32 on cpu" in capsys.readouterr().out
    del views, base
    with torch.inference_mode():
        part = torch.zeros(100_000)[:10]  # the whole is no tensor any more, and its memory is there
    assert memory_report("cpu")["tensors"] - before == 400_000 and len(part) == 10


def test_the_report_tells_what_an_accelerator_allocates(monkeypatch, capsys):
    class Module:
        memory_allocated = staticmethod(lambda device=None: 3 << 20)
        max_memory_allocated = staticmethod(lambda device=None: 5 << 20)
        memory_reserved = staticmethod(lambda device=None: 8 << 20)
        mem_get_info = staticmethod(lambda device=None: (1 << 30, 2 << 30))

    monkeypatch.setattr(torch, "get_device_module", lambda device: Module)
    report = memory_report("cuda")
    assert report == {"allocated": 3 << 20, "peak": 5 << 20, "reserved": 8 << 20, "free": 1 << 30, "total": 2 << 30} | {
        "tensors": 0
    }
    assert "allocated 3 MiB, peak 5 MiB, reserved 8 MiB, free 1 GiB" in capsys.readouterr().out


def test_what_cannot_be_measured_gets_a_clear_error():
    with pytest.raises(TypeError, match="find_leak calls a function: find_leak\\(lambda"):
        find_leak(torch.zeros(1))
    with pytest.raises(ValueError, match="at least 6 iterations"):
        find_leak(lambda: None, iterations=3)
