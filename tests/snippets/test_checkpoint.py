import os
import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.snippets import load
from tests.snippets.models import mlp
from tests.snippets.untouched import untouched

save_checkpoint, load_checkpoint = load("checkpoint").save_checkpoint, load("checkpoint").load_checkpoint


class Run:
    """A training run with all that a checkpoint must restore: random numbers, momentum, schedule, scale, order."""

    def __init__(self):
        torch.manual_seed(1), random.seed(1), np.random.seed(1)
        random.gauss(0, 1), np.random.randn()  # each leaves a second random number in the state
        self.model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 3))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.05)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=0.1, total_steps=20)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=3)
        data = TensorDataset(torch.linspace(-1, 1, 240).view(40, 6), torch.arange(40) % 3)
        self.loader = DataLoader(data, batch_size=8, shuffle=True)

    def parts(self, without=()):
        return {name: getattr(self, name) for name in ("optimizer", "scheduler", "scaler") if name not in without}

    def epoch(self):
        losses = []
        for inputs, targets in self.loader:
            scale = 1 + 0.1 * random.gauss(0, 1) + 0.1 * np.random.randn()
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(inputs * scale), targets)
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            losses.append((loss.item(), self.scaler.get_scale(), self.optimizer.param_groups[0]["lr"]))
        self.scheduler.step()
        return losses


@pytest.mark.parametrize("left_out", ["", "optimizer", "scheduler", "scaler", "random state"])
def test_a_resumed_run_equals_the_uninterrupted_run_bit_by_bit(tmp_path, left_out):
    """A run that leaves out a part differs, so the test notices if that part is not restored."""
    run, resumed, path = Run(), Run(), tmp_path / "last.pt"
    run.epoch(), run.epoch()
    save_checkpoint(path, run.model, **run.parts(), epoch=2)
    expected = [run.epoch() for _ in range(2)]
    parts = resumed.parts(without=left_out)
    assert load_checkpoint(path, resumed.model, **parts, restore_rng=left_out != "random state") == {"epoch": 2}
    assert ([resumed.epoch() for _ in range(2)] == expected) == (not left_out)


def test_extra_values_are_restored(tmp_path):
    extra = {"best_loss": 0.5, "classes": ["cat", "dog"], "mean": torch.ones(3), "note": None}
    save_checkpoint(tmp_path / "a.pt", mlp(), epoch=3, **extra)
    state = load_checkpoint(tmp_path / "a.pt", mlp())
    assert state.pop("mean").tolist() == [1, 1, 1]
    assert state == {"epoch": 3, "best_loss": 0.5, "classes": ["cat", "dog"], "note": None}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [1, np.ones(2)]}, r"labels\['a'\]\[1\] holds a ndarray.*torch\.from_numpy"),
        (np.float64(0.5), r"labels holds a float64"),
        ([len], r"labels\[0\] holds a builtin_function_or_method"),
    ],
)
def test_values_that_could_not_be_read_back_are_refused_on_saving(tmp_path, value, message):
    with pytest.raises(TypeError, match=message):
        save_checkpoint(tmp_path / "a.pt", mlp(), epoch=0, labels=value)
    assert list(tmp_path.iterdir()) == []


def test_composed_schedulers_and_those_with_functions_are_restored(tmp_path):
    """Their state is not refused."""
    model, schedulers = mlp(), torch.optim.lr_scheduler
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(2)]
    parts = [(schedulers.LambdaLR(o, lambda epoch: 0.9**epoch), schedulers.MultiStepLR(o, [1])) for o in optimizers]
    first, second = (schedulers.SequentialLR(o, part, [2]) for o, part in zip(optimizers, parts, strict=True))
    for _ in range(3):
        optimizers[0].step()
        first.step()
    save_checkpoint(tmp_path / "a.pt", model, optimizers[0], first, epoch=3)
    load_checkpoint(tmp_path / "a.pt", model, optimizers[1], second)
    assert optimizers[1].param_groups[0]["lr"] == optimizers[0].param_groups[0]["lr"]
    assert second.last_epoch == first.last_epoch == 3


def test_a_failed_write_leaves_the_last_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "last.pt"
    save_checkpoint(path, mlp(), epoch=1)
    monkeypatch.setattr(torch, "save", lambda state, file: (file.write_bytes(b"half"), os.strerror(28), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        save_checkpoint(path, mlp(), epoch=2)
    assert load_checkpoint(path, mlp())["epoch"] == 1
    assert list(tmp_path.iterdir()) == [path]


def test_compiled_and_parallel_models_and_plain_ones_read_each_others_files(tmp_path):
    models = [mlp(), torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp())]
    for writer in models:
        save_checkpoint(tmp_path / "a.pt", writer, epoch=0)
        for reader in models:
            load_checkpoint(tmp_path / "a.pt", reader)
            for one, other in zip(reader.parameters(), writer.parameters(), strict=True):
                assert torch.equal(one, other)


def test_files_without_the_wanted_parts_get_a_clear_error(tmp_path):
    model = mlp()
    save_checkpoint(tmp_path / "a.pt", mlp(), epoch=0)
    with untouched(model), pytest.raises(KeyError, match="has no state of the optimizer"):
        load_checkpoint(tmp_path / "a.pt", model, torch.optim.SGD(model.parameters()))
    torch.save(mlp().state_dict(), tmp_path / "weights.pt")
    with pytest.raises(KeyError, match="was not written by save_checkpoint"):
        load_checkpoint(tmp_path / "weights.pt", mlp())
