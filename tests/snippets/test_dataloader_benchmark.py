import time

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from tests.snippets import load

module = load("dataloader_benchmark")
benchmark_loader = module.benchmark_loader
waiting_share = module.waiting_share


class Slow(Dataset):
    """A data set whose samples take time, as decoding an image does."""

    def __init__(self, seconds, samples=40):
        self.seconds, self.samples = seconds, samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((3,), float(index))


def after_a_while():
    """A loader whose first batch is slow."""
    time.sleep(0.3)
    yield from [torch.zeros(2)] * 12


@pytest.mark.parametrize(
    ("loader", "sleep", "low", "high"),
    [
        (DataLoader(Slow(0.005), batch_size=4), 0.0, 0.8, 1.0),
        (DataLoader(Slow(0.03, samples=12), batch_size=1), 0.03, 0.3, 0.7),
        (after_a_while(), 0.005, 0.0, 0.2),
    ],
    ids=["slow loader", "half", "slow first batch"],
)
def test_a_slow_loader_is_distinguished_from_a_slow_step(loader, sleep, low, high, capsys):
    assert low < waiting_share(loader, lambda batch: time.sleep(sleep)) < high
    out = capsys.readouterr().out
    assert out.startswith("waiting for data ") and out.endswith(("over 9 batches\n", "over 11 batches\n"))


def test_the_step_waits_for_the_accelerator(monkeypatch):
    """Otherwise GPU time would count as waiting for the next batch, or not at all."""
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda: time.sleep(0.01))
    assert waiting_share([torch.zeros(1)] * 5, lambda batch: None) < 0.2


def test_more_workers_that_hardly_help_are_too_many(monkeypatch, capsys):
    seconds = {0: 1.0, 1: 0.6, 2: 0.5, 4: 0.49}
    monkeypatch.setattr(module, "_read", lambda loader, *limits: module.Loading(0.1, seconds[loader], 10))
    benchmark_loader(lambda workers: workers)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "      0     100.0 ms  1000.00 ms    1.0x",
        "      1     100.0 ms   600.00 ms    1.7x",
        "      2     100.0 ms   500.00 ms    2.0x",
        "      4     100.0 ms   490.00 ms    2.0x",
        "2 workers are enough",
    ]
    seconds |= {1: 0.99, 2: 0.98, 4: 2.0}  # data in memory
    benchmark_loader(lambda workers: workers)
    assert capsys.readouterr().out.endswith("\n0 workers are enough\n")


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))


@pytest.mark.parametrize(
    ("data", "options", "batches"),
    [
        (Slow(0), {"batches": 5}, 5),
        (Slow(0), {"batch_size": 8}, 4),
        (Stream(), {}, 9),
        (list(range(10)), {"batch_size": 5}, 1),
        (lambda workers: DataLoader(range(20 - workers)), {}, 19),
    ],
    ids=["limit", "batch size", "iterable", "list", "function"],
)
def test_data_sets_lists_and_functions_are_read_once_or_up_to_the_limit(data, options, batches):
    assert benchmark_loader(data, workers=(0,), **options)[0].batches == batches
    slow = benchmark_loader(Slow(0.02), workers=(0,), limit=0.1)[0]
    assert slow.batches < 10 and slow.seconds >= 0.02


def test_random_state_is_kept_and_more_workers_than_cores_warn_of_nothing(recwarn, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0}, raising=False)
    state = torch.get_rng_state()
    results = benchmark_loader(TensorDataset(torch.zeros(50)), workers=(0, 2), shuffle=True)
    assert results[2].first > 0.002  # starting a worker takes time
    assert torch.equal(torch.get_rng_state(), state)
    assert not [warning for warning in recwarn if "worker" in str(warning.message)]


def test_no_more_batches_are_read_than_asked_for():
    steps: list[torch.Tensor] = []
    waiting_share(DataLoader(range(100)), steps.append, batches=7)
    assert len(steps) == 8
