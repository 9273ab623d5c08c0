import time

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from tests.snippets import load

benchmark_loader = load("dataloader_benchmark").benchmark_loader
waiting_share = load("dataloader_benchmark").waiting_share


class Slow(Dataset):
    """Each sample takes its time, as decoding an image does."""

    def __init__(self, seconds, samples=40):
        self.seconds, self.samples = seconds, samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((3,), float(index))


def test_a_slow_loader_is_told_from_a_slow_step(capsys):
    slow = waiting_share(DataLoader(Slow(0.005), batch_size=4), lambda batch: batch.sum())
    fast = waiting_share([torch.zeros(2)] * 10, lambda batch: time.sleep(0.005))
    assert slow > 0.8 and fast < 0.2
    assert "waiting for data" in capsys.readouterr().out


def test_half_is_half(capsys):
    share = waiting_share(DataLoader(Slow(0.01, samples=12), batch_size=1), lambda batch: time.sleep(0.01))
    assert 0.4 < share < 0.6
    assert "over 11 batches" in capsys.readouterr().out


def test_a_first_batch_that_is_slow_does_not_count():
    def loader():
        time.sleep(0.3)
        for _ in range(6):
            yield torch.zeros(1)

    assert waiting_share(loader(), lambda batch: time.sleep(0.005)) < 0.2


def test_only_as_many_batches_are_read_as_asked_for():
    steps: list[torch.Tensor] = []
    waiting_share(DataLoader(range(100)), steps.append, batches=7)
    assert len(steps) == 8


def test_the_step_waits_for_the_accelerator(monkeypatch):
    """Without that, the time of the GPU would be counted as waiting for the next batch, or not at all."""
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda: time.sleep(0.01))
    assert waiting_share([torch.zeros(1)] * 5, lambda batch: None) < 0.2


def test_workers_help_a_slow_data_set(capsys):
    """Once in three times: what else runs on the machine can keep the workers waiting."""
    said = []
    for _ in range(3):
        results = benchmark_loader(Slow(0.005, samples=80), workers=(0, 2), batch_size=4)
        said.append((results[2].seconds < 0.8 * results[0].seconds, capsys.readouterr().out.splitlines()[-1]))
        if said[-1][0]:
            break
    assert said[-1] == (True, "2 workers are enough")


def test_no_worker_is_enough_for_data_in_memory(capsys):
    """Once in three times: what else runs on the machine can make the loop without workers look slow."""
    data = TensorDataset(torch.randn(2000, 4))
    said = []
    for _ in range(3):
        results = benchmark_loader(data, workers=(0, 1), batch_size=100)
        assert list(results) == [0, 1]
        said.append((results[1].first > results[0].first, capsys.readouterr().out.splitlines()[-1]))
    assert (True, "0 workers are enough") in said  # starting a worker takes its time


def test_more_workers_that_hardly_help_are_too_many(monkeypatch, capsys):
    seconds = {0: 1.0, 1: 0.6, 2: 0.5, 4: 0.49}
    module = load("dataloader_benchmark")
    monkeypatch.setattr(module, "_read", lambda loader, *limits: module.Loading(0.1, seconds[loader], 10))
    benchmark_loader(lambda workers: workers)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "      0     100.0 ms  1000.00 ms    1.0x",
        "      1     100.0 ms   600.00 ms    1.7x",
        "      2     100.0 ms   500.00 ms    2.0x",
        "      4     100.0 ms   490.00 ms    2.0x",
        "2 workers are enough",
    ]


def test_the_number_of_batches_is_limited():
    assert benchmark_loader(Slow(0), workers=(0,), batches=5)[0].batches == 5
    assert benchmark_loader(Slow(0), workers=(0,), batch_size=8)[0].batches == 4
    assert benchmark_loader(Slow(0.02), workers=(0,), limit=0.1)[0].batches < 10


def test_functions_lists_and_iterable_data_sets_work():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(10))

    asked = []

    def make(workers):
        asked.append(workers)
        return DataLoader(range(10), num_workers=workers)

    benchmark_loader(make, workers=(0, 1))
    assert asked == [0, 1]
    assert benchmark_loader(Stream(), workers=(0,))[0].batches == 9
    assert benchmark_loader(list(range(10)), workers=(0,), batch_size=5)[0].batches == 1


def test_random_state_is_the_same_afterwards():
    state = torch.get_rng_state()
    benchmark_loader(TensorDataset(torch.zeros(50)), workers=(0, 1), shuffle=True)
    assert torch.equal(torch.get_rng_state(), state)


def test_more_workers_than_cores_warn_of_nothing(recwarn, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0}, raising=False)
    benchmark_loader(TensorDataset(torch.zeros(8)), workers=(2,))
    assert not [warning for warning in recwarn if "worker" in str(warning.message)]


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (DataLoader(range(4)), {}, TypeError, "pass the data set and the loader's options"),
        (5, {}, TypeError, "a data set or a function"),
        (lambda workers: [], {"batch_size": 2}, TypeError, "options belong inside"),
        (lambda workers: [], {}, ValueError, "gave no batch"),
        (list(range(4)), {"batch_size": 4}, ValueError, "one batch only"),
        (list(range(4)), {"workers": ()}, ValueError, "at least one number of workers"),
    ],
)
def test_what_cannot_be_measured_gets_a_clear_error(data, options, error, message):
    with pytest.raises(error, match=message):
        benchmark_loader(data, **{"workers": (0,), **options})


def test_too_few_batches_get_a_clear_error():
    with pytest.raises(ValueError, match="the loader gave 1 batches; waiting_share needs at least 2"):
        waiting_share([torch.zeros(1)], lambda batch: None)
    with pytest.raises(TypeError, match=r"calls step\(batch\)"):
        waiting_share([torch.zeros(1)], torch.zeros(1))
