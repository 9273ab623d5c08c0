import pytest
import torch

from tests.snippets import load

Timer = load("timer").Timer
time_step = load("timer").time_step


@pytest.fixture
def clock(monkeypatch):
    """A clock that only the test moves, and an accelerator whose work takes time."""

    class Clock:
        now = pending = 0.0
        waits = 0

        def synchronize(self):
            self.now += self.pending
            self.pending = 0.0
            self.waits += 1

    clock = Clock()
    monkeypatch.setattr(load("timer").time, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "synchronize", clock.synchronize)
    return clock


def test_work_that_the_accelerator_has_not_finished_counts_and_what_was_queued_before_does_not(clock, capsys):
    clock.pending = 5.0
    with Timer() as timer:
        clock.now += 1.0
        clock.pending = 2.0  # queued: the call returns at once
    assert timer.seconds == 3.0 and capsys.readouterr().out == ""


def test_an_exception_passes_through_without_waiting_for_the_device(clock, capsys):
    with pytest.raises(KeyError), Timer("lookup") as timer:
        clock.now += 1.0
        raise KeyError("x")
    assert timer.seconds == 1.0 and clock.waits == 1 and capsys.readouterr().out == ""


def test_the_calls_that_warm_up_do_not_count(clock, capsys):
    times = iter([60.0, 9.0, 9.0, 1.0, 3.0, 2.0])

    def step():
        clock.now += next(times)

    assert time_step(step, repeats=3) == (2.0, 1.0, 3.0, 60.0)
    out = capsys.readouterr().out
    assert out == "median 2,000 ms, fastest 1,000 ms, slowest 3,000 ms in 3 calls; the first call took 60,000 ms\n"
