"""`--watch-html` and the course in `--watch-json`: what they record is true, and recording changes nothing."""

from __future__ import annotations

import io
import itertools
import json
import math
import re
import signal
import sys

import pytest
import torch
from selectolax.lexbor import LexborHTMLParser
from torch import nn

import torch_errors
from tests.forks import Started
from torch_errors.languages import IN_ENGLISH
from torch_errors.watching.course import MOST, Course, Points
from torch_errors.watching.detector import Run
from torch_errors.watching.report import report
from torch_errors.watching.watch import start

TRAIN = """
import sys
import torch
from torch import nn
from torch.utils.data import DataLoader
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2), nn.Softmax(1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
rows, classes = torch.randn(24, 4), torch.arange(24) % 2
for epoch in range(3):
    for part in DataLoader(range(24), 8):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(rows[part]), classes[part])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = (model.eval()(rows).argmax(1) == classes).float().mean()
    model.train()
    print(f"epoch {epoch} val_acc {right:.3f} train_loss {loss:.3f}")
"""


@pytest.mark.parametrize(
    "end", ["", "raise KeyError('end')", "raise KeyboardInterrupt"], ids=["whole", "crash", "ctrl-c"]
)
def test_a_report_is_written_however_the_program_ends(tmp_path, end):
    if end == "raise KeyboardInterrupt" and sys.platform == "win32":
        pytest.skip("a process ends itself by a signal")
    (tmp_path / "train.py").write_text(TRAIN + end)
    options = ["--watch-html", str(tmp_path / "run.html"), "--watch-json", str(tmp_path / "run.json")]
    done = Started("-m", "torch_errors", *options, str(tmp_path / "train.py")).wait()
    assert done.returncode == {"": 0, "raise KeyError('end')": 1}.get(end, -signal.SIGINT)
    assert done.stderr.endswith(f"torch-errors: the report of this run is in {tmp_path / 'run.html'}\n")
    text = (tmp_path / "run.html").read_text()
    assert not re.search(r"https?:|<script|<link|url\(|@import", text), "it opens without a network"
    page = LexborHTMLParser(text)
    assert [one.text() for one in page.css(".found strong")] == [
        "Loss stays high because softmax is applied before CrossEntropyLoss"
    ]
    assert "train.py:14, step 0:" in text and "smallest fix: Remove the softmax" in text
    headings = [one.text() for one in page.css("h3")]
    expected = ["loss of each step", "printed: accuracy", "printed: loss", "learning rate", "gradient norm"]
    expected += [
        "update relative to the weights",
        *(["memory"] if sys.platform == "linux" else []),
        "time of each step",
    ]
    assert headings == expected
    assert len(page.css("section .mark path")) == len(headings), "the finding is marked in each figure"
    ids = [node.attributes["id"] for node in page.css("[id]")]
    assert len(ids) == len(set(ids))

    course = json.loads((tmp_path / "run.json").read_text())["course"]
    assert [step for step, _ in course["series"]["loss"]] == list(range(9))
    [accuracy] = [row for row in course["printed"] if row["kind"] == "accuracy"]
    assert [step for step, _ in accuracy["points"]] == [3, 6, 9] and accuracy["split"] == "validation"
    printed = [float(value) for value in re.findall(r"val_acc (\S+)", done.stdout)]
    assert [value for _, value in accuracy["points"]] == printed
    assert [row["name"] for row in course["parameters"]] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    spent = course["seconds_by_phase"]
    assert sum(spent.values()) <= course["seconds"] and min(spent[phase] for phase in ("forward", "backward")) > 0


def test_the_recorded_numbers_are_those_of_the_steps():
    """The gradient of the sum of squares is twice the weight, so a step changes it by 2 lr, relative to its size."""
    weight = nn.Parameter(torch.tensor([3.0, 4.0]))
    optimizer = torch.optim.SGD([weight], lr=0.01)
    watching = start(out=io.StringIO(), record=True)
    for _ in range(2):
        optimizer.zero_grad()
        weight.square().sum().backward()
        optimizer.step()
    watching.finish()
    assert watching.course and watching.failures == {}
    series = {name: [value for _, value in points] for name, points in watching.course.series.items()}
    assert series["loss"] == pytest.approx([25.0, 25 * 0.98**2])
    assert series["gradient norm"] == pytest.approx([10.0, 9.8])
    assert series["update: largest"] == series["update: smallest"] == pytest.approx([0.02, 0.02], rel=1e-4)
    assert series["learning rate: SGD"] == [0.01, 0.01]


def test_recording_changes_neither_numbers_nor_streams(capsys):
    def train():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 1))
        optimizer = torch.optim.Adam(model.parameters())
        losses = []
        for _ in range(5):
            optimizer.zero_grad()
            loss = model(torch.randn(8, 4)).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            print("loss", losses[-1])
        return losses, torch.random.get_rng_state()

    losses, state = train()
    before = vars(sys.stdout).get("write"), capsys.readouterr().out
    watching = start(out=io.StringIO(), record=True)
    again, same_state = train()
    watching.finish()
    assert again == losses and torch.equal(state, same_state) and watching.failures == {}
    assert (vars(sys.stdout).get("write"), capsys.readouterr().out) == before
    assert watching.course
    [points] = watching.course.printed.series.values()
    assert [value for _, value in points] == pytest.approx(losses)


def test_a_block_writes_its_report(tmp_path):
    with torch_errors.watch(html=tmp_path / "run.html"):
        torch.ones(2, requires_grad=True).sum().backward()
    assert "watched 0 optimizer steps and 1 backward passes" in (tmp_path / "run.html").read_text()


def test_a_long_run_is_thinned_and_its_report_is_small():
    points = Points()
    for step in range(100_000):
        points.add(step, step / 7)
    kept = list(points)
    assert kept[0] == (0, 0) and kept[-1] == (99_999, 99_999 / 7) and MOST // 2 < len(kept) <= MOST + 1
    assert len({later - step for (step, _), (later, _) in itertools.pairwise(kept[:-1])}) == 1
    course = Course(Run())
    names = ["loss", "gradient norm", "update: largest", "update: median", "update: smallest", "time: whole step"]
    course.series = dict.fromkeys([*names, "time: data", "time: forward", "time: backward", "time: step"], points)
    course.printed.series = {(f"metric {n}", "validation", "accuracy"): points for n in range(24)}
    course.layers = {f"layers.{n}.attention.weight": ([4096, 4096], math.nan, 1e-3) for n in range(400)}
    page = report(course, [], ["a title"] * 80, {}, [], "train.py", IN_ENGLISH)
    assert len(page.encode()) < 2**20 and len(json.dumps(course.to_json())) < 2**20


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_recording_never_waits_for_the_gpu():
    model = nn.Linear(4, 4, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch = torch.ones(2, 4, device="cuda")
    course = Course(Run())
    for _ in range(3):  # the first allocates pinned memory
        model(batch).sum().backward()
        course.on_step(optimizer)
        optimizer.step()
        course.on_stepped(optimizer)
        torch.cuda.set_sync_debug_mode("error")
    torch.cuda.set_sync_debug_mode("default")
    course.on_end()
    assert len(course.series["gradient norm"]) == 3
