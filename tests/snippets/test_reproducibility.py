import contextlib
import os
import random
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset

from tests.snippets import load

module = load("reproducibility")
same_twice, seed_everything, seed_worker = module.same_twice, module.seed_everything, module.seed_worker


def draw():
    return [random.random(), np.random.rand(), torch.rand(3), nn.Linear(2, 2).weight]


def test_every_source_of_random_numbers_is_seeded(capsys):
    assert same_twice(lambda: [seed_everything(3), draw()][1:])
    assert "the same twice, bit by bit" in capsys.readouterr().out
    for source in (random.random, np.random.rand, lambda: torch.rand(2)):  # a missing seed is reported
        assert not same_twice(lambda source=source: {"draw": source()})
        out = capsys.readouterr().out
        assert out.startswith("result['draw'] differs")
        assert "seeded, it is the same twice: call seed_everything(0)" in out


def test_state_kept_between_runs_is_distinguished_from_a_missing_seed(capsys):
    model = nn.Linear(2, 1)

    def run():
        with torch.no_grad():
            model.weight += 1
        return model(torch.ones(1, 2))

    assert not same_twice(run)
    assert "seeded, it still differs: something is kept from run to run" in capsys.readouterr().out
    buffer = torch.zeros(3)
    assert not same_twice(lambda: buffer.add_(1))  # the second run overwrites the result of the first


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([torch.zeros(2), torch.zeros(3)], "[2] torch.float32 and [3] torch.float32"),
        ([{"a": 1}, {"b": 1}], "differs in its keys: ['a'] and ['b']"),
        ([[1, 2], [1]], "differs in length: 2 and 1"),
        (["x", "y"], "result differs: 'x' and 'y'"),
        ([torch.tensor(0.5), torch.tensor(0.25)], "result differs: 0.5 and 0.25"),
        ([1, 1.0], "differs in type: int and float"),
        (
            [[torch.ones(1)], [torch.ones(1) + 2**-23]],
            "result[0] differs in 1 of 1 values, the first at [0]: 1 and 1.00000012",
        ),  # differs in one bit
    ],
)
def test_the_difference_is_reported(results, message, capsys):
    values = iter(results * 2)
    assert not same_twice(lambda: next(values))
    assert message in capsys.readouterr().out


def test_nan_is_the_same_as_nan_and_sparse_and_data_classes_work():
    @dataclass
    class Result:
        loss: float
        values: torch.Tensor

    result = Result(float("nan"), torch.tensor([float("nan"), 1.0]).to_sparse())
    assert same_twice(lambda: [result, torch.tensor(float("nan")), 1 + 2j, torch.tensor([1j]), np.ones(2), True])


@pytest.mark.parametrize("fails", [False, True])
def test_random_state_is_the_same_afterwards(fails):
    torch_state, python_state, numpy_state = torch.get_rng_state(), random.getstate(), np.random.get_state()
    with pytest.raises(KeyError) if fails else contextlib.nullcontext():
        same_twice(lambda: [draw(), os.environ["NOT_THERE"] if fails else None])
    assert torch.equal(torch.get_rng_state(), torch_state)
    assert random.getstate() == python_state
    assert str(np.random.get_state()) == str(numpy_state)


def test_operations_without_a_deterministic_form_raise_in_deterministic_mode(monkeypatch, request):
    request.addfinalizer(lambda: torch.use_deterministic_algorithms(False))

    def run():
        return torch.zeros(2).put_(torch.tensor([0, 0]), torch.tensor([1.0, 2.0]))  # the order of additions matters

    seed_everything(0)
    run()
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(os, "environ", {})
    with pytest.warns(UserWarning, match="CUDA is already in use"):
        seed_everything(0, deterministic=True)
    with pytest.raises(RuntimeError, match="does not have a deterministic implementation"):
        run()
    assert os.environ == {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}


def test_the_generator_fixes_the_order_of_a_loader():
    def order(drawn):
        loader = DataLoader(range(20), shuffle=True, generator=seed_everything(7))
        torch.rand(drawn)  # the global random state does not matter
        return [int(value) for value in loader]

    assert order(1) == order(2) != list(range(20))


class Augmented(Dataset):
    """A data set with generators of its own, which are copied to every worker."""

    def __init__(self):
        self.python, self.numpy = random.Random(0), np.random.default_rng(0)
        self.torch = torch.Generator().manual_seed(0)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        noise = torch.rand((), generator=self.torch, dtype=torch.float64).item()
        return torch.tensor([self.python.random(), self.numpy.random(), noise], dtype=torch.float64)


def epochs(dataset, worker_init_fn):
    loader = DataLoader(dataset, num_workers=2, worker_init_fn=worker_init_fn)
    return [torch.cat(list(loader)) for _ in range(2)]


def test_seed_worker_gives_each_worker_and_epoch_different_numbers_that_depend_on_the_seed():
    """Without it, copied generators repeat themselves in every worker and epoch."""
    first, second = epochs(Augmented(), None)
    assert torch.equal(first[0], first[1]) and torch.equal(first, second)
    runs = []
    for seed in (1, 1, 2):
        seed_everything(seed)
        runs.append(torch.cat(epochs(ConcatDataset([Subset(Augmented(), range(4))]), seed_worker)))
    assert all(len(set(column.tolist())) == 8 for column in runs[0].T)
    assert torch.equal(runs[0], runs[1]) and not torch.equal(runs[0], runs[2])
    loader = DataLoader(list(range(4)), num_workers=1, worker_init_fn=seed_worker)  # nothing to reseed
    assert len(list(loader)) == 4
