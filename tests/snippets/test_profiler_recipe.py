import json
import time
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.autograd import DeviceType

from tests.snippets import load
from tests.snippets.models import mlp
from tests.snippets.untouched import untouched

profile_step = load("profiler_recipe").profile_step


@pytest.fixture(scope="module", autouse=True)
def _the_first_profile_of_a_process_is_slow():
    profile_step(lambda: torch.ones(2) + 1, steps=1)


def test_a_slow_operation_is_named_first(capsys):
    matrix, vector = torch.randn(120, 120), torch.randn(120)

    def step():
        vector.relu()
        torch.linalg.svd(matrix)

    profile = profile_step(step)
    assert "svd" in profile.operations[0].name and profile.operations[0].calls == 1
    assert "svd" in capsys.readouterr().out.splitlines()[1]


def test_a_loop_of_small_operations_shows_in_the_calls(capsys):
    values = torch.randn(200, 4)
    calls = {
        operation.name: operation.calls for operation in profile_step(lambda: [v.exp() for v in values]).operations
    }
    assert calls["aten::exp"] == 200
    assert {operation.name: operation.calls for operation in profile_step(values.exp).operations}["aten::exp"] == 1


def test_time_outside_operations_shows_as_a_low_share(capsys):
    matrix = torch.randn(400, 400)

    def waiting():
        time.sleep(0.05)
        return matrix @ matrix

    busy, idle = profile_step(lambda: [matrix @ matrix for _ in range(5)]), profile_step(waiting)
    assert idle.busy < 0.5 < busy.busy <= 1.05
    assert "in operations" in capsys.readouterr().out


def test_a_training_step_is_profiled_with_its_backward_pass(capsys):
    model, images = mlp(), torch.randn(8, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()

    names = {operation.name for operation in profile_step(step, rows=3).operations}
    assert {"aten::addmm", "aten::mm", "Optimizer.step#SGD.step"} <= names
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 1 + 3 + 1 + 1 and "more)" in out[4]


def test_on_a_gpu_the_time_is_that_of_the_kernels_and_counts_once(monkeypatch, capsys):
    """As torch.profiler reports it there: operations with the time of their kernels, the kernels, and annotations."""

    def event(key, kind, cpu, device, count=2, annotation=False):
        return SimpleNamespace(
            key=key,
            device_type=kind,
            self_cpu_time_total=cpu,
            self_device_time_total=device,
            count=count,
            is_user_annotation=annotation,
        )

    events = [
        event("aten::add", DeviceType.CPU, 50.0, 1000.0),
        event("aten::mm", DeviceType.CPU, 10.0, 3000.0),
        event("aten::view", DeviceType.CPU, 99.0, 0.0),
        event("aten::_local_scalar_dense", DeviceType.CPU, 9000.0, 0.0, count=10),
        event("add_kernel", DeviceType.CUDA, 0.0, 1000.0),
        event("gemm_kernel", DeviceType.CUDA, 0.0, 3000.0),
        event("Optimizer.step", DeviceType.CUDA, 0.0, 4000.0, annotation=True),
    ]
    monkeypatch.setattr(torch.profiler.profile, "key_averages", lambda self: events)
    profile = profile_step(lambda: None, steps=2)
    assert profile.operations == [("aten::mm", 0.0015, 0.75, 1.0), ("aten::add", 0.0005, 0.25, 1.0)]
    assert profile.busy == pytest.approx(0.002 / profile.seconds)
    out = capsys.readouterr().out
    assert "on the device" in out and "5 times a step Python waits for the device to read a number" in out


def test_shares_add_up_and_the_longest_comes_first():
    profile = profile_step(lambda: torch.randn(100, 100).exp().sum())
    assert sum(operation.share for operation in profile.operations) == pytest.approx(1, abs=1e-6)
    seconds = [operation.seconds for operation in profile.operations]
    assert seconds == sorted(seconds, reverse=True)
    assert "aten::exp" in profile.averages.table(sort_by="self_cpu_time_total")


def test_the_timeline_is_a_chrome_trace(tmp_path):
    path = tmp_path / "step.json"
    profile_step(lambda: torch.ones(4).cosh(), trace=path)
    events = json.loads(path.read_text())["traceEvents"]
    assert sum(event.get("name") == "aten::cosh" for event in events) == 3


def test_a_folder_that_does_not_exist_is_said_before_anything_runs(tmp_path):
    calls = []
    with pytest.raises(FileNotFoundError, match="create it first"):
        profile_step(lambda: calls.append(1), trace=tmp_path / "missing" / "step.json")
    assert calls == []


def test_the_model_is_the_same_after_a_forward_pass(capsys):
    model = nn.Sequential(nn.Linear(6, 6), nn.Tanh()).eval()
    with untouched(model), torch.no_grad():
        profile_step(lambda: model(torch.ones(2, 6)))


def test_an_exception_passes_through_and_the_next_profile_works():
    failing = iter([None, None, None])
    with pytest.raises(StopIteration):
        profile_step(lambda: next(failing))
    assert profile_step(lambda: torch.ones(4).exp()).operations


def test_what_cannot_be_profiled_gets_a_clear_error():
    with pytest.raises(TypeError, match="profile_step calls a function"):
        profile_step(torch.zeros(1))
    with pytest.raises(ValueError, match="at least 1"):
        profile_step(lambda: None, steps=0)
