"""`--watch`: no alarm on healthy programs, which run unchanged, and findings are reported in all kinds of runs."""

from __future__ import annotations

import argparse
import ast
import gc
import io
import itertools
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torchvision
from torch import nn

import torch_errors
from tests.conftest import ROOT
from tests.forks import Started
from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES
from tests.watching.right_programs import PROGRAMS, WITH_PACKAGES
from torch_errors.catalog.locate import DETECTOR_FILE
from torch_errors.catalog.texts import load_texts
from torch_errors.errors import UserError
from torch_errors.languages import LANGUAGES, in_language
from torch_errors.verifying.detector_table import PAGE, with_detectors
from torch_errors.watching import session
from torch_errors.watching.children import WatchedRank
from torch_errors.watching.detector import EVENTS, Detector
from torch_errors.watching.loading import load_detector
from torch_errors.watching.observer import LOSSES
from torch_errors.watching.session import Settings
from torch_errors.watching.watch import FOUND, start

# `make test` runs every fifth recipe of the first list, and compares every third of these with an unwatched run.
FURTHER_TRAININGS = [recipe for recipe in [*RECIPES, *FURTHER] if recipe not in RECIPES[::5]]
TRAININGS = [*RECIPES[::5], *(pytest.param(recipe, marks=pytest.mark.exhaustive) for recipe in FURTHER_TRAININGS)]


@pytest.fixture(autouse=True)
def _without_the_objects_of_torch() -> Iterator[None]:
    """As in the command: detectors search all objects for tensors, and torch has half a million objects."""
    gc.freeze()
    yield
    gc.unfreeze()


def run_watched(program: Callable[[], list[float]], seed: int = 0, compare: bool = True) -> list[float]:
    """Run a program, assert that nothing is found, and return its losses. `compare`: an unwatched run is the same."""
    torch.manual_seed(seed)
    watching = start(out=io.StringIO())
    losses, state = program(), torch.random.get_rng_state()
    watching.finish()
    assert watching.findings == [] and watching.failures == {} and watching.of_ranks == {}
    assert torch.equal(torch.random.get_rng_state(), state)
    if compare:
        torch.manual_seed(seed)
        assert program() == losses and torch.equal(torch.random.get_rng_state(), state)
    return losses


@pytest.mark.filterwarnings("ignore")  # warnings of the training runs
@pytest.mark.parametrize("recipe", TRAININGS, ids=lambda recipe: recipe.name)
def test_healthy_training_runs_raise_no_alarm_and_are_the_same_bit_by_bit(recipe, exhaustive):
    """The mean loss of an epoch falls clearly, except for a GAN, whose two losses compete."""
    epoch = len(list(recipe.start().batches))

    def train():
        training = recipe.start()
        return [training.step(batch).item() for batch in itertools.islice(training.endless(), 4 * max(30, epoch))]

    losses = run_watched(train, compare=exhaustive or RECIPES.index(recipe) % 15 == 0)
    first, last = sum(losses[:epoch]) / epoch, sum(losses[-epoch:]) / epoch
    assert first - last > 0.04 * abs(first) or recipe.name == "gan"


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.weekly) for seed in (1, 2))])
@pytest.mark.parametrize("program", PROGRAMS + WITH_PACKAGES, ids=lambda program: program.__name__)
def test_right_programs_raise_no_alarm_and_are_the_same_bit_by_bit(program, seed):
    if program in WITH_PACKAGES:
        pytest.importorskip(program.__name__)
    run_watched(program, seed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_lists_every_detector(catalog, language):
    page = in_language(catalog.root / PAGE, language)
    text = page.read_text(encoding="utf-8")
    assert with_detectors(text, catalog, load_texts(language)) == text, "torch-errors record ID writes it"
    paths = list(catalog.root.glob(f"common-errors/*/*/{DETECTOR_FILE}"))
    assert text.count("/README.") > len(paths) > 10
    for path in paths:  # the page repeats the docstring, which must match the code
        stated = (ast.get_docstring(ast.parse(path.read_text())) or "").split()[0].strip(":,").lower()
        assert stated in ("proof", "strong")
        assert set(re.findall(r'self\.find\(\s*"(\w+)"', path.read_text())) == {stated}, path


# Events -----------------------------------------------------------------------------------------------------------

EVENTS_OF = """
import io
model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
linear, step = torch.optim.lr_scheduler.LinearLR(optimizer), torch.optim.lr_scheduler.StepLR(optimizer, 2)
scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [linear, step], [2])
for batch in torch.utils.data.DataLoader(torch.randn(2, 3, 8), 2):
    optimizer.zero_grad()
    model(src=batch).sum().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
model.eval()
model.load_state_dict(model.state_dict())
torch.save(batch, io.BytesIO())
model.linear1.weight.T.detach()
torch.autograd.grad(F.mse_loss(model(batch), batch), model.linear2.weight)
dist = torch.distributed
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
wrapper = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
wrapper(torch.ones(1, 2)).sum().backward()
dist.all_reduce(torch.ones(1))
dist.all_gather_object([None], 1)
dist.destroy_process_group()
sampler = torch.utils.data.DistributedSampler(range(4), 2, 0)
sampler.set_epoch(1)
list(torch.utils.data.DataLoader(torch.ones(4, 2), 2, sampler=sampler, num_workers=2))
"""
EMITTED = """
pass, batch, zero_grad, attention, dropout, dropout, dropout, dropout, forward, graph, backward, backward_done, clip,
step, stepped, scheduled, mode, saved, loaded, written, detached, attention, dropout, dropout, dropout, forward, loss,
gradients, differentiated, wrapped, forward, graph, backward, backward_done, collective, collective, epoch_set, pass,
batch, shared, end
"""


def test_each_event_is_emitted_once(monkeypatch):
    """Only the program's own calls count, not those inside torch. `on_forward` is checked for the outermost module.

    `on_fetched` is emitted in a worker, which shares it.
    """
    emitted = []

    class Watch(Detector):
        id = "any"

    for event in EVENTS:

        def method(self, *values, event=event):
            if event != "on_forward" or values[-1] == 0:
                emitted.append(event.removeprefix("on_"))
            if event == "on_fetched":
                self.share("fetched")

        setattr(Watch, event, method)
    monkeypatch.setattr(session, "load_detectors", lambda root, run: [Watch(run)])
    with torch_errors.watch() as watching:
        exec(EVENTS_OF, {"torch": torch, "nn": nn, "F": nn.functional})
    assert watching.failures == {}
    assert emitted == EMITTED.replace(",", " ").split()


# The program is left alone ----------------------------------------------------------------------------------------


def test_watching_restores_everything_at_the_end():
    places = [(torch.autograd, "backward"), (torch.autograd, "grad"), (torch.optim.Optimizer, "__init__")]
    places += [(nn.functional, name) for name in LOSSES] + [(torch, "compile"), (torch.jit, "script")]
    before = [getattr(owner, name) for owner, name in places]
    with torch_errors.watch():
        assert nn.functional.mse_loss is not before[3 + LOSSES.index("mse_loss")]
    assert [getattr(owner, name) for owner, name in places] == before
    assert not nn.modules.module._has_any_global_hook()


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("error", [LookupError("nothing there"), torch.AcceleratorError("CUDA error: launch failure")])
def test_a_detector_that_fails_is_switched_off(monkeypatch, capsys, error, debug):
    """This is reported, unless the GPU is lost: after a failed kernel nothing on it can be read."""

    class Watch(Detector):
        id = "reads"

        def on_backward(self, *values):
            raise error

    monkeypatch.setattr(session, "load_detectors", lambda root, run: [Watch(run)])
    watching = start(debug=debug)
    torch.ones(2, requires_grad=True).sum().backward()
    watching.finish()
    assert watching._observer._listeners["on_backward"] == []
    printed = capsys.readouterr().err
    reported = "the detector of reads failed and was switched off: LookupError: nothing there" in printed
    assert reported == bool(watching.failures) == isinstance(error, LookupError)
    assert ("in on_backward" in printed) == (reported and debug)


def nan_logits():
    logits = torch.full((64, 10), torch.nan, requires_grad=True)
    for _ in range(3):
        nn.functional.cross_entropy(logits, torch.arange(64) % 10).backward()


def nan_images():
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
    images = torch.randint(0, 256, (64, 1, 28, 28)) / 255
    images[0, 0, 0] = torch.nan
    nn.functional.cross_entropy(model(images), torch.arange(64) % 10).backward()


def deviation_as_a_number():
    normalize = torchvision.transforms.Normalize(0.1307, 0.3081)
    for _ in range(3):
        normalize(torch.randint(0, 256, (1, 28, 28)).float())


@pytest.mark.parametrize(
    ("program", "found"),
    [(nan_logits, "nan-loss"), (nan_images, "nan-loss"), (deviation_as_a_number, "uint8-not-scaled")],
    ids=["nan-logits", "nan-images", "deviation-as-a-number"],
)
def test_no_detector_fails_where_values_are_unusual(program, found):
    watching = start(out=io.StringIO())
    program()
    watching.finish()
    assert watching.failures == {} and [finding.id for finding in watching.findings] == [found]


# The command ------------------------------------------------------------------------------------------------------

UNCLEARED = """
import os
import sys
import time
import torch
rank = int(os.environ.get("RANK", 0))
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(4):
    {clear}
    weight.square().sum().backward()
    optimizer.step()
{end}
"""
SEEN = ":12, step 2: the gradients of this step still contain"


def uncleared(end="", clear="pass"):
    return UNCLEARED.format(clear=clear, end=end)


SPOKEN = """
import torch
from torch.nn import functional as F
loss = F.mse_loss(torch.zeros(3, 1, requires_grad=True), torch.zeros(3))
loss = torch.nn.L1Loss()(torch.zeros(3, 1), torch.zeros(3))
F.cross_entropy(torch.zeros(3, 2), torch.zeros(4, dtype=torch.long))
"""


def test_warnings_and_tracebacks_have_the_places_of_a_plain_run(watched, tmp_path):
    watched_run = watched(SPOKEN).stderr
    plain = subprocess.run([sys.executable, str(tmp_path / "train.py")], capture_output=True, text=True).stderr
    assert [line for line in watched_run.splitlines() if line in plain.splitlines()] == plain.splitlines()
    assert "observer.py" not in watched_run and "your line: train.py:6" in watched_run


@pytest.fixture
def watched(tmp_path):
    """Function that runs a program with `--watch` and further options."""

    def run(program, *options):
        script = tmp_path / "train.py"
        script.write_text(program)
        return Started("-m", "torch_errors", "--watch", *options, str(script), "--watch", "7").wait()

    return run


def test_findings_are_printed_at_once_and_at_the_end(python, tmp_path):
    """In an interpreter of its own, unlike the other tests in this file."""
    script = tmp_path / "train.py"
    script.write_text(uncleared("print(sys.argv[1:])\nsys.exit()"))
    done = python("-m", "torch_errors", "--watch", str(script), "--watch", "7")
    assert done.returncode == 0 and done.stdout == "['--watch', '7']\n"
    first, fix, show, *end = done.stderr.splitlines()
    assert first.startswith("torch-errors: train.py" + SEEN)
    assert fix == "  smallest fix: Call optimizer.zero_grad() once per step, before backward()."
    assert first.endswith("(proof)") and show == "  torch-errors show missing-zero-grad"
    assert end == [
        "torch-errors: watched 4 optimizer steps and 4 backward passes:",
        "  train.py:12, step 2: missing-zero-grad",
    ]


STOPPED = """
import atexit
import sys
import torch
from torch.utils.data import DataLoader
atexit.register(print, "exit handler")
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.01)
try:
    for batch in DataLoader(torch.ones(64, 2), 2, num_workers=int(sys.argv[-1]), persistent_workers=sys.argv[-1] > "0"):
        if "clear" in sys.argv:
            optimizer.zero_grad()
        (batch * weight).square().sum().backward()
        optimizer.step()
finally:
    print("cleanup", len(optimizer.state_dict()["param_groups"]))
print("never")
"""


@pytest.mark.parametrize(
    ("clear", "workers", "ends"), [("clear", "2", 0), pytest.param("", "0", FOUND, marks=pytest.mark.exhaustive)]
)
def test_a_run_is_stopped_after_some_steps(python, tmp_path, clear, workers, ends):
    """In an interpreter of its own, whose exit handlers run."""
    (tmp_path / "train.py").write_text(STOPPED)
    options = ["--stop-after", "3", "--watch-strict", "--watch-json", str(tmp_path / "found.json")]
    done = python("-m", "torch_errors", *options, str(tmp_path / "train.py"), clear, workers)
    assert done.stdout.splitlines() == ["cleanup 1", "exit handler"] and done.returncode == ends
    *_, stopped, unseen = done.stderr.splitlines()
    assert "Traceback" not in done.stderr and stopped == "torch-errors: stopped after 3 optimizer steps"
    assert re.fullmatch(
        r"  not seen in this run, but needed by \d+ of \d+ detectors: a validation \(\d+\); a second pass over the data"
        r" \(\d+\); a checkpoint that is loaded \(\d+\); 200 optimizer steps \(\d+\); the option --check \(\d+\)",
        unseen,
    )
    written = json.loads((tmp_path / "found.json").read_text())
    assert written["steps"] == 3 and written["not_seen"] == ["validation", "epochs", "checkpoint", "course", "check"]


def test_a_block_ends_after_some_steps_and_the_program_goes_on(capsys):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model.load_state_dict(model.eval().train().state_dict())
    steps = 0
    with torch_errors.watch(stop_after=2) as watching:
        model.eval()
        for _ in range(2):
            for batch in torch.utils.data.DataLoader(torch.ones(1, 2)):
                optimizer.zero_grad()
                model(batch).square().sum().backward()
                optimizer.step()
                steps += 1
    assert steps == 1 and watching.run.steps == 2  # the second step ended the block before the next line
    assert watching.run.lacks == ["epochs", "checkpoint", "course", "check"]
    assert not nn.modules.module._has_any_global_hook()
    with pytest.raises(UserError, match="1 step or more"), torch_errors.watch(stop_after=0):
        pass


# Scripts whose fault shows only after more steps, whatever a detector needs.
LATER = {"frozen-part-changes", "log-of-zero"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", sorted(ROOT.glob(f"common-errors/*/*/{DETECTOR_FILE}")), ids=lambda p: p.parent.name)
def test_fifty_steps_show_what_needs_no_more(path, tmp_path):
    """A detector that says nothing of the entry's script in so few steps has said what else it `needs`."""
    found, detector, script = tmp_path / "found.json", load_detector(path), path.with_name("broken.py")
    options = ["-m", "torch_errors", "--stop-after", "50", "--watch-json", str(found), str(script)]
    if "num_workers" in script.read_text():  # workers of a process that is itself a worker are not watched
        subprocess.run([sys.executable, *options], capture_output=True, timeout=120, check=False)
    else:
        Started(*options).wait()
    ids = [finding["id"] for finding in json.loads(found.read_text())["findings"]]
    assert detector.id in LATER or detector.id in ids or detector.needs or "broken" in detector.unseen


TWICE = """
import torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(4):
    weight.square().sum().backward()
    optimizer.step(){meant}
for _ in range(4):
    weight.square().sum().backward()
    optimizer.step()
"""
COMMENT = "  # torch-errors: ignore clip-after-step, missing-zero-grad"


@pytest.mark.parametrize(
    ("meant", "options", "printed", "suppressed"),
    [
        ("", [], "7", []),
        (COMMENT, [], "10", ["7"]),
        (COMMENT.replace("missing", "no"), [], "7", []),
        ("", ["--watch-ignore", "softmax-wrong-dim", "--watch-ignore", "missing-zero-grad"], "", ["7", "10"]),
    ],
)
def test_what_the_user_ignores_is_counted_only(watched, tmp_path, meant, options, printed, suppressed):
    """A comment suppresses the findings of its line, an option those of the run."""
    found = tmp_path / "found.json"
    done = watched(TWICE.format(meant=meant), "--watch-strict", "--watch-json", str(found), *options)
    assert done.returncode == (FOUND if printed else 0)
    assert re.findall(r"torch-errors: train\.py:(\d+), step \d+: the gradients", done.stderr) == [printed] * bool(
        printed
    )
    places = ", ".join(f"missing-zero-grad (train.py:{line})" for line in suppressed)
    [*_, last] = done.stderr.splitlines()
    if suppressed:
        assert last == f"  suppressed ({len(suppressed)}): {places}"
    assert ("nothing else found that a run can show" in done.stderr) == (not printed)
    written = json.loads(found.read_text())
    assert [str(row["line"]) for row in written["findings"]] == [printed] * bool(printed)
    assert [str(row["line"]) for row in written["suppressed"]] == suppressed


def test_an_id_that_cannot_be_ignored_is_named_with_the_nearest(watched):
    done = watched("", "--watch-ignore", "missing-zerograd")
    assert done.returncode == 2 and "did you mean missing-zero-grad?" in done.stderr and "Traceback" not in done.stderr


def test_a_forward_pass_that_raises_is_over(recwarn):
    """The next one is outermost again, and torch warns of nothing."""
    model = nn.Sequential(nn.Sequential(nn.Linear(2, 2)))
    with torch_errors.watch() as watching:
        with pytest.raises(RuntimeError):
            model(torch.ones(1, 3))
        assert watching._observer._depth == 0
    assert [warning for warning in recwarn if "hook" in str(warning.message)] == []


COMPILED = """
import torch
from torch import nn


class Distance(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return nn.functional.mse_loss(a, b)


assert torch.jit.script(Distance())(torch.ones(2), torch.zeros(2)) == 1.0
model = torch.compile(nn.Linear(2, 2), backend="eager", fullgraph=True)
for _ in range(4):
    nn.functional.mse_loss(model(torch.ones(1, 2)), torch.zeros(1, 2)).backward()
assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1  # compiled once
"""


def test_compilers_do_not_see_the_observer(watched):
    done = watched(COMPILED)
    assert done.returncode == 0 and "global hooks" not in done.stderr
    assert done.stderr.endswith("watched 0 optimizer steps and 4 backward passes: nothing found that a run can show\n")


@pytest.mark.parametrize(("status", "ends"), [(0, FOUND), (5, 5)])
def test_exit_status_with_strict(watched, status, ends):
    assert watched(uncleared(f"sys.exit({status})"), "--watch-strict").returncode == ends


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends itself by a signal")
def test_findings_are_printed_after_an_interrupt(watched):
    end = "import atexit; atexit.register(print, 'exit handler'); print('end'); raise KeyboardInterrupt"
    done = watched(uncleared(end))
    assert done.returncode == -signal.SIGINT and done.stdout == "end\nexit handler\n"
    assert done.stderr.endswith("  train.py:12, step 2: missing-zero-grad\n")


def test_a_failing_program_fails_as_without_watch(watched, tmp_path):
    done = watched("raise KeyError('loss')")
    assert done.returncode == 1 and "KeyError: 'loss'" in done.stderr
    assert done.stderr.endswith("watched 0 optimizer steps and 0 backward passes: nothing found that a run can show\n")
    done = watched("", "--watch-json", str(tmp_path / "missing" / "found.json"))
    assert done.returncode == 2 and "its folder does not exist" in done.stderr and "Traceback" not in done.stderr


# Several processes -------------------------------------------------------------------------------------------------


@pytest.fixture
def ranks(tmp_path):
    """Function that runs a program in two ranks, as torchrun does. Returns lines and exit status of each rank."""

    def run(program, *options, watched=True):
        script = tmp_path / "train.py"
        script.write_text(program)
        environment = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "TMPDIR": str(tmp_path)}
        environment |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "none"}
        command = [*(["-m", "torch_errors", "--watch", *options] if watched else []), str(script)]
        started = [Started(*command, RANK=rank, LOCAL_RANK=rank, **environment) for rank in "01"]
        ended = [rank.wait() for rank in started]
        return [(rank.stdout + rank.stderr).splitlines() for rank in ended], [rank.returncode for rank in ended]

    return run


RIGHT_RANK = """
import os
import sys
sys.path.insert(0, {root!r})
from tests.watching.right_programs import rank_of_two
print(rank_of_two(int(os.environ["RANK"]), {store!r}), flush=True)
"""


def test_right_ranks_raise_no_alarm_and_are_the_same_bit_by_bit(ranks, tmp_path):
    root = str(ROOT)
    store, other = str(tmp_path / "store"), str(tmp_path / "other")
    printed, statuses = ranks(RIGHT_RANK.format(root=root, store=store))
    plain, _ = ranks(RIGHT_RANK.format(root=root, store=other), watched=False)
    losses = [lines[0] for lines in printed]
    assert losses == [lines[0] for lines in plain] and losses[0].count(",") == 17
    assert printed[0][1:] == [
        "torch-errors: watched 36 optimizer steps and 36 backward passes: nothing found that a run can show"
    ]
    assert printed[1][1:] == [] and statuses == [0, 0]


def test_first_rank_reports_the_findings_of_all_ranks(ranks, tmp_path):
    (first, second), statuses = ranks(uncleared("time.sleep(2 * (1 - rank))"))
    assert first[0].startswith("torch-errors: train.py" + SEEN)
    assert first[-1] == "  train.py:12, step 2: missing-zero-grad (ranks 0, 1 of 2)"
    assert len(first) == 5 and second == [] and statuses == [0, 0]
    assert list(tmp_path.iterdir()) == [tmp_path / "train.py"]


def test_a_finding_of_only_one_rank_is_reported_once(ranks):
    printed, statuses = ranks(uncleared("time.sleep(2 * rank)", "if not rank: optimizer.zero_grad()"))
    [finding] = [line for line in printed[0] + printed[1] if "still contain" in line]
    assert finding.startswith("torch-errors: rank 1: train.py" + SEEN)
    assert statuses == [0, 0]


def test_ranks_are_stopped_after_some_steps(ranks):
    printed, statuses = ranks(uncleared("print('never')"), "--stop-after", "3", "--watch-strict")
    assert statuses == [FOUND, 0] and "never" not in printed[0] + printed[1]
    assert "torch-errors: watched 3 optimizer steps and 3 backward passes:" in printed[0]
    assert sum(line == "torch-errors: stopped after 3 optimizer steps" for line in printed[0] + printed[1]) == 1


@pytest.mark.parametrize("dead", [0, 1])
def test_no_rank_waits_for_a_dead_rank(ranks, dead):
    """One of two ranks is killed when both have the finding."""
    before = time.monotonic()
    printed, statuses = ranks(uncleared(f"time.sleep(1)\nif rank == {dead}: os._exit(9)\ntime.sleep(1)\nsys.exit(5)"))
    assert statuses[dead] == 9 and statuses[1 - dead] == 5
    ended = "torch-errors: watched 4 optimizer steps and 4 backward passes:"
    assert sum(SEEN in line for line in printed[0]) == 1
    if dead:
        finding = "  train.py:12, step 2: missing-zero-grad (ranks 0, 1 of 2)"
        assert printed[0][-3:] == [ended, finding, "torch-errors: no final report from ranks 1"] and printed[1] == []
    else:
        assert ended not in printed[0] and printed[1][0].startswith("torch-errors: rank 1: train.py" + SEEN)
    assert time.monotonic() - before < 60


def test_ranks_suppress_what_the_user_ignores(ranks):
    """Also a finding that only the second rank has."""
    program = uncleared("time.sleep(2 * (1 - rank))", "if not rank: optimizer.zero_grad()")
    printed, statuses = ranks(program, "--watch-strict", "--watch-ignore", "missing-zero-grad")
    assert statuses == [0, 0] and printed[1] == []
    assert printed[0][1:] == ["  suppressed (1): missing-zero-grad (train.py:12)"] and "nothing else" in printed[0][0]


def test_strict_and_json_include_findings_of_other_ranks(ranks, tmp_path):
    program = uncleared("time.sleep(2 * (1 - rank))", "if not rank: optimizer.zero_grad()")
    _, statuses = ranks(program, "--watch-strict", "--watch-json", str(tmp_path / "found.json"))
    assert statuses == [FOUND, 0]
    printed = json.loads((tmp_path / "found.json").read_text())
    assert printed["steps"] == printed["backwards"] == 4
    [finding] = printed["findings"]
    assert [finding[name] for name in ("id", "line", "certainty", "rank")] == ["missing-zero-grad", 12, "proof", 1]


SPAWNED = """
import sys
import torch


def train(rank, word):
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.01)
    for _ in range(4):
        weight.square().sum().backward()
        optimizer.step()
    print(rank, word)


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, (sys.argv[1].strip("-"),), nprocs=2)
"""


@pytest.mark.parametrize(
    ("options", "printed_by_ranks"),
    [((), ["0 word", "1 word"]), pytest.param(("--stop-after", "3"), [], marks=pytest.mark.exhaustive)],
    ids=["whole", "stopped"],
)
def test_spawned_processes_are_watched(tmp_path, options, printed_by_ranks):
    (tmp_path / "train.py").write_text(SPAWNED)
    command = ["-m", "torch_errors", "--watch-strict", *options, str(tmp_path / "train.py"), "word"]
    done = Started(*command, TMPDIR=str(tmp_path)).wait()
    assert sorted(done.stdout.splitlines()) == printed_by_ranks and done.returncode == FOUND
    printed = [line for line in done.stderr.splitlines() if line.startswith(("torch-errors: ", "  "))]
    assert printed[0].startswith("torch-errors: train.py:11, step 2: the gradients of this step still contain")
    # The second process may have started too late for its findings to be included.
    assert printed[4].startswith("  train.py:11, step 2: missing-zero-grad (ranks 0") and len(printed) <= 6 + 2 * bool(
        options
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "train.py"]


def test_a_failing_spawned_process_fails_as_without_watch(catalog, tmp_path):
    def fail(rank, word):
        raise KeyError(word)

    with pytest.raises(KeyError, match="fail"):
        WatchedRank(fail, 1, tmp_path, Settings("en", catalog.root))(0, "fail")
    assert not nn.modules.module._has_any_global_hook()


class Drawn(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, n):
        return torch.ones(2)


def test_findings_in_workers_are_reported(monkeypatch, capsys):
    class Watch(Detector):
        id, saw = "drawn", {"en": "worker {worker}"}

        def on_fetched(self, dataset, worker, batch):
            if worker == 1 and isinstance(dataset, Drawn):
                self.find("proof", worker=worker)

    monkeypatch.setattr(session, "load_detectors", lambda root, run: [Watch(run)])
    monkeypatch.setattr("torch_errors.watching.watch.detector_ids", lambda root: ["drawn"])
    with torch_errors.watch(ignore=["drawn"]) as watching:
        list(torch.utils.data.DataLoader(Drawn(), 2, num_workers=2))
    assert watching.findings == [] and [one.texts["en"] for one in watching.suppressed] == ["worker 1"]
    assert "worker 1" not in capsys.readouterr().err
    with torch_errors.watch() as watching:
        list(torch.utils.data.DataLoader(Drawn(), 2, num_workers=2))
    assert [finding.texts["en"] for finding in watching.findings] == ["worker 1"] and watching.failures == {}
    assert capsys.readouterr().err.count("worker 1 (proof)") == 1
    assert watching.run.post.folder and not watching.run.post.folder.exists()


# Notebooks --------------------------------------------------------------------------------------------------------


class Shell:
    """A stand-in for IPython's shell: numbered cells, with an event after each."""

    def __init__(self):
        self.magic: Any = None
        self.after, self.namespace, self.count = [], {}, 0
        self.events = self.compile = self

    def showtraceback(self, exc_tuple=None):
        raise exc_tuple[1]

    def register_magic_function(self, function, magic_kind):
        self.magic = function

    def register(self, event, function):
        assert event == "post_run_cell"
        self.after.append(function)

    def unregister(self, event, function):
        self.after.remove(function)

    def format_code_name(self, name):
        return ("Cell", f"In[{name[-1]}]") if name.startswith("<ipython-input-") else None

    def run_cell(self, source):
        self.count += 1
        exec(compile(source, f"<ipython-input-{self.count}", "exec"), self.namespace)
        for function in list(self.after):
            function(None)


def test_notebook_prints_findings_after_the_cell_and_at_the_end(capsys):
    shell = Shell()
    torch_errors.load_ipython_extension(shell)
    shell.namespace["stderr"] = capsys.readouterr
    shell.magic("")
    shell.magic("")  # it is watching already
    shell.run_cell(uncleared("so_far = stderr().err"))
    assert shell.namespace["so_far"] == ""  # nothing is printed within the output of the cell
    first, fix, show = capsys.readouterr().err.splitlines()
    assert first.startswith("torch-errors: In[1]" + SEEN) and "optimizer.zero_grad()" in fix
    assert show == "  torch-errors show missing-zero-grad"
    shell.magic("stop")
    watched, finding = capsys.readouterr().err.splitlines()
    assert watched == "torch-errors: watched 4 optimizer steps and 4 backward passes:"
    assert finding == "  In[1]:12, step 2: missing-zero-grad"
    shell.magic("stop")
    assert capsys.readouterr().err == "" and shell.after == []
    shell.magic("off")
    assert "use %torch_errors_watch, %torch_errors_watch stop, or" in capsys.readouterr().err


def test_notebook_watches_one_cell(capsys):
    shell = Shell()
    torch_errors.load_ipython_extension(shell)
    shell.magic("", uncleared())
    printed = capsys.readouterr().err
    assert printed.startswith("torch-errors: In[1]" + SEEN) and printed.count("missing-zero-grad") == 2
    assert shell.after == [] and not nn.modules.module._has_any_global_hook()


def train_on_the_cpu(model: nn.Module, device: object) -> None:
    """Six steps. `device` is a variable of the program, which nothing uses."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        model(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


@pytest.mark.parametrize(
    ("device", "available", "initialized", "found"),
    [
        (torch.device("cuda"), True, False, ["model-left-on-cpu"]),
        ("cuda:1", True, False, ["model-left-on-cpu"]),
        (argparse.Namespace(device="cuda", epochs=3), True, False, ["model-left-on-cpu"]),
        (torch.device("cuda"), False, False, []),
        (torch.device("cuda"), True, True, []),
        (torch.device("cpu"), True, False, []),
        ("the cuda of a sentence", True, False, []),
    ],
)
def test_a_model_left_on_the_cpu_is_found_where_there_is_a_gpu(monkeypatch, device, available, initialized, found):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: initialized)
    detector = load_detector(ROOT / "common-errors/device-mismatch/model-left-on-cpu" / DETECTOR_FILE)
    monkeypatch.setattr(session, "load_detectors", lambda root, run: [detector(run)])
    torch.manual_seed(0)
    watching = start(out=io.StringIO())
    train_on_the_cpu(nn.Linear(4, 1), device)
    watching.finish()
    assert watching.failures == {} and [finding.id for finding in watching.findings] == found
