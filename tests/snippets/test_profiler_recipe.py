import json
import time
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.autograd import DeviceType

from tests.snippets import load
from tests.snippets.untouched import untouched

profile_step = load("profiler_recipe").profile_step


@pytest.fixture(scope="module", autouse=True)
def _the_first_profile_of_a_process_is_slow():
    profile_step(lambda: torch.ones(2) + 1, steps=1)


def test_a_slow_operation_is_named_first_and_shares_add_up(capsys):
    matrix, vector = torch.randn(400, 400), torch.randn(400)  # slow enough for a busy machine
    profile = profile_step(lambda: (vector.relu(), torch.linalg.svd(matrix)), rows=1)
    assert "svd" in profile.operations[0].name and profile.operations[0].calls == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 4 and "svd" in out[1] and "more)" in out[2]
    assert sum(operation.share for operation in profile.operations) == pytest.approx(1, abs=1e-6)
    seconds = [operation.seconds for operation in profile.operations]
    assert seconds == sorted(seconds, reverse=True)
    assert "aten::relu" in profile.averages.table(sort_by="self_cpu_time_total")


def test_time_outside_operations_shows_as_a_low_share(capsys):
    matrix = torch.randn(400, 400)
    busy = profile_step(lambda: [matrix @ matrix for _ in range(5)])

    def waiting():
        time.sleep(0.05)
        return matrix @ matrix

    idle = profile_step(waiting)
    assert idle.busy < 0.5 < busy.busy <= 1.05
    assert "in operations" in capsys.readouterr().out


def test_on_a_gpu_the_time_is_that_of_the_kernels_and_counts_once(monkeypatch, capsys):
    """With events as torch.profiler reports them on a GPU: operations with kernel times, kernels, and annotations."""
    names = ("key", "device_type", "self_cpu_time_total", "self_device_time_total", "count", "is_user_annotation")
    rows = [
        ("aten::add", DeviceType.CPU, 50.0, 1000.0, 2, False),
        ("aten::mm", DeviceType.CPU, 10.0, 3000.0, 2, False),
        ("aten::view", DeviceType.CPU, 99.0, 0.0, 2, False),
        ("aten::_local_scalar_dense", DeviceType.CPU, 9000.0, 0.0, 10, False),
        ("add_kernel", DeviceType.CUDA, 0.0, 1000.0, 2, False),
        ("gemm_kernel", DeviceType.CUDA, 0.0, 3000.0, 2, False),
        ("Optimizer.step", DeviceType.CUDA, 0.0, 4000.0, 2, True),
    ]
    events = [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in rows]
    monkeypatch.setattr(torch.profiler.profile, "key_averages", lambda self: events)
    profile = profile_step(lambda: None, steps=2)
    assert profile.operations == [("aten::mm", 0.0015, 0.75, 1.0), ("aten::add", 0.0005, 0.25, 1.0)]
    assert profile.busy == pytest.approx(0.002 / profile.seconds)
    out = capsys.readouterr().out
    assert "on the device" in out and "5 times a step Python waits for the device to read a number" in out


def test_the_timeline_is_a_chrome_trace(tmp_path):
    profile_step(torch.ones(2).exp, trace=tmp_path / "step.json")
    events = json.loads((tmp_path / "step.json").read_text())["traceEvents"]
    assert sum(event.get("name") == "aten::exp" for event in events) == 3


def test_the_model_is_the_same_after_a_forward_pass_and_exceptions_pass_through():
    model, failing = nn.Sequential(nn.Linear(6, 6), nn.Tanh()).eval(), iter([None, None, None])
    with pytest.raises(StopIteration):
        profile_step(lambda: next(failing))
    with untouched(model), torch.no_grad():
        assert profile_step(lambda: model(torch.ones(2, 6))).operations
