"""`--watch`: each detector names the fault of its entry and is silent elsewhere; the program runs as ever."""

from __future__ import annotations

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
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import torch_errors
from tests.forks import Started
from tests.right_programs import PROGRAMS, WITH_PACKAGES
from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES
from torch_errors.catalog.locate import DETECTOR_FILE
from torch_errors.catalog.texts import load_texts
from torch_errors.languages import LANGUAGES, in_language
from torch_errors.maintaining.detector_table import PAGE, with_detectors
from torch_errors.watching import watch
from torch_errors.watching.children import Watched
from torch_errors.watching.detector import EVENTS, Detector
from torch_errors.watching.observer import LOSSES
from torch_errors.watching.watch import FOUND, Watching

TRAININGS = [*RECIPES, *(pytest.param(recipe, marks=pytest.mark.exhaustive) for recipe in FURTHER)]


@pytest.fixture(autouse=True)
def _without_the_objects_of_torch() -> Iterator[None]:
    """As the command does: a detector looks for tensors among all objects, of which torch has half a million."""
    gc.freeze()
    yield
    gc.unfreeze()


def run_twice(program: Callable[[], list[float]], seed: int = 0) -> list[float]:
    """Losses of a program in which nothing is found; with the seed it is run once more unwatched, bit for bit."""
    torch.manual_seed(seed)
    watching = Watching(out=io.StringIO()).start()
    losses, state = program(), torch.random.get_rng_state()
    watching.finish()
    assert watching.findings == [] and watching.failures == {} and watching.of_ranks == {}
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.manual_seed(seed)
    assert program() == losses and torch.equal(torch.random.get_rng_state(), state)
    return losses


@pytest.mark.filterwarnings("ignore")  # of the trainings
@pytest.mark.parametrize("recipe", TRAININGS, ids=lambda recipe: recipe.name)
def test_healthy_trainings_raise_no_alarm_and_stay_the_same_bit_for_bit(recipe):
    """They do train: the mean loss of an epoch falls clearly, except that the two of a GAN raise each other's."""
    epoch = len(list(recipe.start().batches))

    def train():
        training = recipe.start()
        return [training.step(batch).item() for batch in itertools.islice(training.endless(), 4 * max(30, epoch))]

    losses = run_twice(train)
    first, last = sum(losses[:epoch]) / epoch, sum(losses[-epoch:]) / epoch
    assert first - last > 0.04 * abs(first) or recipe.name == "gan"


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))])
@pytest.mark.parametrize("program", PROGRAMS + WITH_PACKAGES, ids=lambda program: program.__name__)
def test_right_programs_raise_no_alarm_and_stay_the_same_bit_for_bit(program, seed):
    if program in WITH_PACKAGES:
        pytest.importorskip(program.__name__)
    run_twice(program, seed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_lists_every_detector(catalog, language):
    page = in_language(catalog.root / PAGE, language)
    text = page.read_text(encoding="utf-8")
    assert with_detectors(text, catalog, load_texts(catalog.root, language)) == text, "torch-errors record ID writes it"
    paths = list(catalog.root.glob(f"common-errors/*/*/{DETECTOR_FILE}"))
    assert text.count("/README.") > len(paths) > 10
    for path in paths:  # the page's column follows the docstring, which follows the code
        said = (ast.get_docstring(ast.parse(path.read_text())) or "").split()[0].strip(":,").lower()
        assert said in ("proof", "strong")
        assert set(re.findall(r'self\.find\(\s*"(\w+)"', path.read_text())) == {said}, path


# Programs that are no script of the catalog -----------------------------------------------------------------------


def found_in(program: str) -> dict[str, str]:
    """Findings of a program: entry -> what was seen."""
    with torch_errors.watch() as watching:
        exec(program, {"torch": torch, "nn": nn, "F": nn.functional})
    assert watching.failures == {}
    return {finding.id: finding.texts["en"] for finding in watching.findings}


GAN = """
generator, critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1)
optimizers = [torch.optim.Adam(part.parameters()) for part in (generator, critic)]
for step in range(20):
    {reset_critic}
    fake = generator(torch.randn(16, 4))
    (critic(fake.detach()).mean() - critic(torch.randn(16, 8)).mean()).backward()
    optimizers[1].step()
    optimizers[0].zero_grad()
    (-critic(fake).mean()).backward()
    optimizers[0].step()
"""


def test_gradients_left_by_another_loss_are_no_fault():
    assert found_in(GAN.format(reset_critic="optimizers[1].zero_grad()")) == {}
    assert "missing-zero-grad" in found_in(GAN.format(reset_critic="pass"))


BY_HAND = """
model = nn.Linear(4, 1)
for step in range(6):
    {before}
    model(torch.randn(8, 4)).square().mean().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.01 * parameter.grad
            {after}
"""


def test_an_update_by_hand_that_keeps_gradients():
    assert "missing-zero-grad" in found_in(BY_HAND.format(before="pass", after="pass"))
    assert found_in(BY_HAND.format(before="model.zero_grad()", after="pass")) == {}
    assert found_in(BY_HAND.format(before="pass", after="parameter.grad *= 0.9  # momentum")) == {}


FIRST_STEPS = """
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr={rate})
for step in range(20):
    batch = torch.randn(32, 20)
    loss = (model(batch) - batch[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_first_steps_that_move_the_weights_too_far():
    assert "changed the weights by" in found_in(FIRST_STEPS.format(rate=0.3))["learning-rate-too-high"]
    assert found_in(FIRST_STEPS.format(rate=0.01)) == {}


EPISODES = """
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters())
for episode in range(40):
    saved = [F.log_softmax(policy(torch.randn(4)), dim=0)[0] for _ in range(5 + 2 * episode)]
    loss = -torch.stack(saved).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {after}
"""


def test_ever_longer_episodes_are_no_leak():
    assert found_in(EPISODES.format(after="pass")) == {}
    kept = "history = [*(history if episode else []), policy(torch.randn(4)).sum()]"
    assert "retained-graph-leak" in found_in(EPISODES.format(after=kept))


EVALUATED = """
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters())
batch = torch.randn(8, 4)
for epoch in range(3):
    model.train()
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    {before}
    with torch.no_grad():
        for _ in range(4):
            model({given})
"""


GRAPH = """
class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, nodes, edges):
        return self.last(edges @ F.dropout(self.first(edges @ nodes).relu(), 0.5, self.training))


nodes, edges, labels, model = torch.randn(12, 8), torch.eye(12), torch.arange(12) % 3, Graph()
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    F.cross_entropy(model(nodes, edges)[:8], labels[:8]).backward()
    optimizer.step()
    {before}
    with torch.no_grad():
        {evaluated}
"""


@pytest.mark.parametrize(
    ("before", "evaluated", "found"),
    [
        ("pass", "accuracy = (model(nodes, edges).argmax(1) == labels)[8:].float().mean()", {"missing-eval-mode"}),
        ("model.eval()", "accuracy = (model(nodes, edges).argmax(1) == labels)[8:].float().mean()", set()),
        ("pass", "spread = torch.stack([model(nodes, edges) for _ in range(5)]).std(0)", set()),
        ("pass", "other = model(torch.randn(12, 8), edges)", set()),
    ],
    ids=["training", "evaluation", "monte-carlo", "another-input"],
)
def test_one_graph_that_is_evaluated_with_dropout(before, evaluated, found):
    assert found_in(GRAPH.format(before=before, evaluated=evaluated)).keys() == found


def test_dropout_at_evaluation_is_not_monte_carlo_dropout():
    assert "missing-eval-mode" in found_in(EVALUATED.format(before="pass", given="torch.randn(8, 4)"))
    assert found_in(EVALUATED.format(before="pass", given="batch")) == {}
    assert found_in(EVALUATED.format(before="model.eval()", given="torch.randn(8, 4)")) == {}


TRAINED = """
for step in range(6):
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LISTED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 2)
        {stages}

    def forward(self, x):
        return self.last(self.stages[0](self.first(x).relu()).relu())


model = Net()
optimizer = torch.optim.SGD(model.last.parameters(), lr=0.1)
"""


def test_a_second_name_for_layers_is_no_list_of_layers():
    trained = TRAINED.format(loss="model(torch.randn(8, 4)).square().mean()")
    assert found_in(LISTED.format(stages="self.stages = [self.first]") + trained) == {}
    [found] = found_in(LISTED.format(stages="self.stages = [nn.Linear(4, 4)]") + trained)
    assert found == "layers-in-python-list"


HEADS = """
body, heads = nn.Linear(4, 8), nn.ModuleList(nn.Linear(8, 2) for _ in range(2))
optimizer = torch.optim.SGD(heads.parameters(), lr=0.1)
{after}
"""


def test_a_head_that_is_not_used_yet_was_not_replaced():
    trained = TRAINED.format(loss="heads[0](body(torch.randn(8, 4)).relu()).square().mean()")
    assert found_in(HEADS.format(after="body = nn.Linear(8, 8)") + trained.replace("8, 4", "8, 8")) == {}
    assert "optimizer-stale-parameters" in found_in(HEADS.format(after="heads[0] = nn.Linear(8, 3)") + trained)


LOADED = """
def trunk():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.head = trunk(), nn.Linear(4, 2)
    def forward(self, batch):
        return self.head(self.trunk(batch))
model = Model()
{load}
model(torch.randn(4, 8))
"""
SKIPPED = "model.load_state_dict({}, strict=False)".format


@pytest.mark.parametrize(
    ("load", "found"),
    [
        (SKIPPED("trunk().state_dict()"), True),
        (SKIPPED("nn.DataParallel(Model()).state_dict()"), True),
        (SKIPPED("nn.ModuleDict({'net': Model(), 'ema': nn.Linear(9, 9)}).state_dict()"), True),
        (SKIPPED("Model().trunk.state_dict(prefix='trunk.')"), False),  # a new head
        (SKIPPED("{'trunk.0.weight': torch.ones(16, 8)}"), False),  # a few keys of many
        (SKIPPED("nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).state_dict()"), False),  # another size
        (SKIPPED("nn.Sequential(*[nn.Linear(16, 4) for _ in range(8)]).state_dict()"), False),  # another network
        (SKIPPED("nn.DataParallel(model).state_dict()"), False),  # the weights that it has
        (SKIPPED("(state := trunk().state_dict())") + "\nmodel.trunk.load_state_dict(state)", False),
        (
            SKIPPED("(state := trunk().state_dict())")
            + "\nfor name, weight in model.trunk.state_dict().items(): weight.copy_(state[name])",
            False,
        ),
        (
            "model.register_load_state_dict_pre_hook(lambda model, state, *_: "
            "[state.update({key.removeprefix('module.'): state.pop(key)}) for key in list(state)])\n"
            "model.load_state_dict(nn.DataParallel(Model()).state_dict())",
            False,
        ),
    ],
)
def test_a_checkpoint_is_skipped_only_where_a_prefix_keeps_it_out(load, found):
    assert ("state-dict-missing-keys" in found_in(LOADED.replace("{load}", load))) is found


SAMPLED = """
encoder, mean_of, scale_of, decoder = nn.Linear(8, 16), nn.Linear(16, 4), nn.Linear(16, 4), nn.Linear(4, 8)
critic = nn.Linear(12, 1)
optimizer = torch.optim.Adam([p for part in (encoder, mean_of, scale_of, decoder, critic) for p in part.parameters()])
for step in range(8):
    batch, rewards, targets = torch.randn(32, 8), torch.randn(32), torch.randn(32, 4)
    hidden = encoder(batch).relu()
    mean, log_variance = mean_of(hidden), scale_of(hidden)
    std = (0.5 * log_variance).exp()
    sample = {sample}
    prior = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()
    log_prob = lambda sample: torch.distributions.Normal(mean, std).log_prob(sample).sum(1)
    optimizer.zero_grad()
    ({loss}).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("sample", "loss", "found"),
    [
        ("torch.normal(mean, std)", "F.mse_loss(decoder(sample), batch) + prior", True),
        ("torch.normal(mean, 0.1)", "F.mse_loss(decoder(sample), batch) + prior", True),
        ("mean + std * torch.normal(0.0, torch.ones(32, 4))", "F.mse_loss(decoder(sample), batch) + prior", False),
        ("mean + (torch.normal(mean, std) - mean).detach()", "F.mse_loss(decoder(sample), batch) + prior", False),
        ("torch.normal(mean, std)", "-(log_prob(sample) * rewards).mean() - 0.01 * std.log().mean()", False),
        (  # a critic of sampled actions
            "torch.normal(mean, std)",
            "F.mse_loss(critic(torch.cat([batch, sample], 1))[:, 0], rewards) - (log_prob(sample) * rewards).mean()",
            False,
        ),
        (
            "torch.normal(mean, std)",
            "F.mse_loss(critic(torch.cat([batch, sample], 1))[:, 0], rewards)"
            " - (log_prob(sample.detach()) * rewards).mean()",
            False,
        ),
        ("torch.normal(mean, std)", "F.mse_loss(critic(torch.cat([batch, sample], 1))[:, 0], rewards)", False),
        (  # a rollout, whose next step starts from a sample
            "torch.normal(mean, std)",
            "F.mse_loss(mean, targets) + F.mse_loss(mean_of(encoder(decoder(sample)).relu()), targets)",
            False,
        ),
    ],
)
def test_a_sample_that_layers_read_is_a_fault_where_its_distribution_should_learn(sample, loss, found):
    assert ("detached-branch" in found_in(SAMPLED.format(sample=sample, loss=loss))) is found


ATTENDING = """
model, values = nn.Linear(8, 8), torch.randn(5, 6, 8)
padded = torch.arange(6) >= torch.tensor([6, 3, 4, 6, 2])[:, None]
queries = torch.randn(5, {queries}, 8)
scores = model(queries) @ values.transpose(1, 2)
context = {context}
context.square().mean().backward()
"""


@pytest.mark.parametrize(
    ("queries", "context", "found"),
    [
        (7, "scores.masked_fill(padded[:, None], -1e9).softmax(1) @ values", True),
        (6, "scores.masked_fill(padded[:, None], -1e9).softmax(1) @ values", True),
        (7, "scores[:, None].expand(5, 2, 7, 6).masked_fill(padded[:, None, None], -1e9).softmax(1)"
            " @ values[:, None].expand(5, 2, 6, 8)", True),
        (7, "scores.masked_fill(padded[:, None], -1e9).softmax(2) @ values", False),
        (1, "scores.masked_fill(padded[:, None], -1e9).softmax(1) @ values", False),
        (6, "scores.masked_fill(padded[:, :, None], -1e9).softmax(1).transpose(1, 2) @ queries", False),
        (7, "scores.masked_fill(padded[:, None], -1e9).softmax(1).transpose(1, 2) @ queries", False),  # co-attention
        (6, "scores.masked_fill(padded[:, :, None], -1e9).softmax(1) @ values", False),  # such a mask has an effect
        (6, "scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -1e9).softmax(2) @ values", False),
        (7, "(weights := scores.masked_fill(padded[:, None], -1e9).softmax(1).masked_fill(padded[:, None], 0))"
            " / weights.sum(2, keepdim=True) @ values", False),  # slots that compete for the inputs
    ],
)  # fmt: skip
def test_a_mask_without_effect_shows_attention_over_another_axis(queries, context, found):
    assert ("softmax-wrong-dim" in found_in(ATTENDING.format(queries=queries, context=context))) is found


HALF = """
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.full((8, 4), {value})
"""


@pytest.mark.parametrize(("value", "found"), [("70000.0", "fp16-overflow"), ("torch.nan", "nan-loss"), ("1.0", None)])
def test_nan_in_half_precision_is_no_overflow(value, found):
    loss = 'F.cross_entropy(torch.autocast("cpu", torch.float16)(model)(batch), torch.zeros(8).long())'
    assert {found} - {None} == found_in(HALF.format(value=value) + TRAINED.format(loss=loss)).keys() - {
        "unnormalized-inputs"
    }


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
TOLD = """
pass, batch, zero_grad, attention, dropout, dropout, dropout, dropout, forward, graph, backward, backward_done, clip,
step, stepped, scheduled, mode, saved, loaded, written, detached, attention, dropout, dropout, dropout, forward, loss,
gradients, wrapped, forward, graph, backward, backward_done, collective, collective, epoch_set, pass, batch,
shared, end
"""


def test_each_event_is_told_once(monkeypatch):
    """What the program calls itself, not what torch calls within: of modules here the outermost only.

    `on_fetched` is told in a worker, which shares it.
    """
    told = []

    class Watch(Detector):
        id = "any"

    for event in EVENTS:

        def method(self, *values, event=event):
            if event != "on_forward" or values[-1] == 0:
                told.append(event.removeprefix("on_"))
            if event == "on_fetched":
                self.share("fetched")

        setattr(Watch, event, method)
    monkeypatch.setattr(watch, "load_detectors", lambda root, run: [Watch(run)])
    found_in(EVENTS_OF)
    assert told == TOLD.replace(",", " ").split()


# What resembles a fault, next to another one that makes the loss nan. What is found instead may be that one.
OTHER_CAUSES = {
    "log-of-zero": """
probabilities, weights = nn.Linear(4, 3)(1000 * torch.randn(8, 4)).softmax(1), torch.ones(8)
weights[1] = torch.nan
chosen = probabilities.argmax(1, keepdim=True)
loss = -(probabilities.log().gather(1, chosen)[:, 0] * weights).mean()
""",
    "fully-masked-softmax": """
hidden, targets = torch.zeros(8, 6).bool(), torch.randn(8, 6)
hidden[3], targets[0, 0] = True, torch.nan
weights = nn.Linear(4, 6)(torch.randn(8, 4)).masked_fill(hidden, -torch.inf).softmax(1).nan_to_num()
loss = F.mse_loss(weights, targets)
""",
    "zero-std-normalization": """
images, model = torch.rand(8, 1, 4, 4), nn.Linear(16, 2)
images[2], images[5] = 0.0, torch.nan
deviations = [image.std().item() for image in images]
logged = [parameter.std().item() for parameter in model.parameters()]
loss = model(images.flatten(1)).square().mean()
""",
}


@pytest.mark.parametrize("id", OTHER_CAUSES)
def test_another_cause_of_nan_is_not_taken_for_this_one(id):
    assert id not in found_in(OTHER_CAUSES[id] + "loss.backward()")


TARGET_NETWORK = """
import io
network, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(network.state_dict())
optimizer = torch.optim.Adam(network.parameters())
for step in range(1, 201):  # of the environment
    if step > 100 and step % 4 == 0:
        optimizer.zero_grad()
        network(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
    if step % 50 == 0:
        torch.save({"step": step, "model": network.state_dict()}, io.BytesIO())
"""
TWO_PHASES = """
import io
model, best = nn.Linear(4, 2), None
for phase in range(2):
    if best:
        model.load_state_dict(best["model"])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001 / (phase + 1))
    for epoch in range(6 * phase, 6 * phase + 6):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
        best = {"epoch": epoch, "model": {name: value.clone() for name, value in model.state_dict().items()}}
        torch.save(best, io.BytesIO())
"""


def test_a_target_network_or_a_second_phase_is_no_resumed_training():
    assert "optimizer-state-not-saved" not in found_in(TARGET_NETWORK)
    assert "optimizer-state-not-saved" not in found_in(TWO_PHASES)


REGIMES = """
rnn, head, state = nn.GRU(2, 4), nn.Linear(4, 2), None
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
labels = torch.cat([torch.full((length,), number % 2) for number, length in enumerate({lengths})])
for part in labels.split(16):
    outputs, state = rnn(torch.randn(len(part), 1, 2), state)
    state = state.detach()
    optimizer.zero_grad()
    F.cross_entropy(head(outputs)[:, 0], part).backward()
    optimizer.step()
"""


def test_long_regimes_of_a_time_series_are_no_sorted_dataset():
    assert "forgot-shuffle" not in found_in(REGIMES.format(lengths=(200, 150, 260, 120, 310)))
    assert "forgot-shuffle" in found_in(REGIMES.format(lengths=(200, 150, 200, 150, 200)))


# The program is left alone ----------------------------------------------------------------------------------------


def test_nothing_stays_behind():
    places = [(torch.autograd, "backward"), (torch.autograd, "grad"), (torch.optim.Optimizer, "__init__")]
    places += [(nn.functional, name) for name in LOSSES] + [(torch, "compile"), (torch.jit, "script")]
    before = [getattr(owner, name) for owner, name in places]
    with torch_errors.watch():
        assert nn.functional.mse_loss is not before[3 + LOSSES.index("mse_loss")]
    assert [getattr(owner, name) for owner, name in places] == before
    assert not nn.modules.module._has_any_global_hook()


def test_a_detector_that_fails_is_switched_off(monkeypatch, capsys):
    def fail(self, *arguments):
        raise LookupError("nothing there")

    watching = Watching(debug=True)
    one, *others = watching._observer._listeners["on_backward"]
    watching._observer._listeners["on_backward"] = [(one[0], lambda *values: fail(None)), *others]
    watching.start()
    torch.ones(2, requires_grad=True).sum().backward()
    watching.finish()
    assert f"the detector of {one[0].id} was switched off: LookupError: nothing there" in capsys.readouterr().err


def test_no_detector_is_to_blame_for_a_lost_gpu(monkeypatch):
    """After a failed kernel nothing on the GPU can be read: the program says so itself."""

    class Watch(Detector):
        id = "reads"

        def on_backward(self, *values):
            raise torch.AcceleratorError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(watch, "load_detectors", lambda root, run: [Watch(run)])
    with torch_errors.watch() as watching:
        torch.ones(2, requires_grad=True).sum().backward()
    assert watching.failures == {} and watching._observer._listeners["on_backward"] == []


# The command ------------------------------------------------------------------------------------------------------

SPOKEN = """
import torch
from torch.nn import functional as F
loss = F.mse_loss(torch.zeros(3, 1, requires_grad=True), torch.zeros(3))
loss = torch.nn.L1Loss()(torch.zeros(3, 1), torch.zeros(3))
F.cross_entropy(torch.zeros(3, 2), torch.zeros(4, dtype=torch.long))
"""


def test_warnings_and_tracebacks_name_the_places_of_a_plain_run(watched, tmp_path):
    watched_run = watched(SPOKEN).stderr
    plain = subprocess.run([sys.executable, str(tmp_path / "train.py")], capture_output=True, text=True).stderr
    assert [line for line in watched_run.splitlines() if line in plain.splitlines()] == plain.splitlines()
    assert "observer.py" not in watched_run and "your line: train.py:6" in watched_run


TWO_TRAININGS = """
torch.manual_seed(0)
for size, rate, scale in ((64, 0.05, 0.0), (8, 0.001, 100.0)):
    model = nn.Sequential(nn.Linear(4, size), nn.ReLU(), nn.Linear(size, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for step in range(100):
        batch = torch.randn(16, 4)
        loss = (model(batch) - scale).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if {nan} and scale and step == 50:
            scale = torch.nan
"""


def test_a_second_training_is_not_compared_with_the_first():
    assert found_in(TWO_TRAININGS.format(nan=False)) == {}
    assert "nan-loss" in found_in(TWO_TRAININGS.format(nan=True))


UNCLEARED = """
import sys
import torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(4):
    weight.square().sum().backward()
    optimizer.step()
print(sys.argv[1:], weight.sum().item())
sys.exit({status})
"""


@pytest.fixture
def watched(tmp_path):
    """Function that runs a program with `--watch` and more options."""

    def run(program, *options):
        script = tmp_path / "train.py"
        script.write_text(program)
        return Started("-m", "torch_errors", "--watch", *options, str(script), "--watch", "7").wait()

    return run


def test_command_tells_at_once_and_at_the_end(python, tmp_path):
    """In an interpreter of its own, as no other test here."""
    script = tmp_path / "train.py"
    script.write_text(UNCLEARED.format(status=0))
    done = python("-m", "torch_errors", "--watch", str(script), "--watch", "7")
    assert done.returncode == 0 and done.stdout.startswith("['--watch', '7'] ")
    first, show, *end = done.stderr.splitlines()
    assert first.startswith("torch-errors: train.py:8, step 2: the gradients of this step still contain")
    assert first.endswith("(proof)") and show == "  torch-errors show missing-zero-grad"
    assert end == [
        "torch-errors: watched 4 optimizer steps and 4 backward passes:",
        "  train.py:8, step 2: missing-zero-grad",
    ]


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


def test_compilers_read_the_program_without_the_observer(watched):
    done = watched(COMPILED)
    assert done.returncode == 0 and "global hooks" not in done.stderr
    assert done.stderr.endswith("watched 0 optimizer steps and 4 backward passes: nothing found that a run can show\n")


@pytest.mark.parametrize(("status", "strict", "ends"), [(0, True, FOUND), (5, True, 5), (5, False, 5)])
def test_exit_status(watched, status, strict, ends):
    assert watched(UNCLEARED.format(status=status), *(["--watch-strict"] if strict else [])).returncode == ends


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends itself by a signal")
def test_findings_are_told_after_an_interrupt(watched):
    done = watched(UNCLEARED.format(status=0).replace("sys.exit(0)", "raise KeyboardInterrupt"))
    assert done.returncode == -signal.SIGINT
    assert done.stderr.endswith("  train.py:8, step 2: missing-zero-grad\n")


def test_findings_as_json(watched, tmp_path):
    watched(UNCLEARED.format(status=0), "--watch-json", str(tmp_path / "found.json"))
    told = json.loads((tmp_path / "found.json").read_text())
    assert told["steps"] == told["backwards"] == 4
    [finding] = told["findings"]
    assert (finding["id"], finding["line"], finding["certainty"]) == ("missing-zero-grad", 8, "proof")


def test_a_program_that_fails_fails_as_before(watched, tmp_path):
    done = watched("raise KeyError('loss')")
    assert done.returncode == 1 and "KeyError: 'loss'" in done.stderr
    assert done.stderr.endswith("watched 0 optimizer steps and 0 backward passes: nothing found that a run can show\n")
    done = watched("", "--watch-json", str(tmp_path / "missing" / "found.json"))
    assert done.returncode == 2 and "its folder does not exist" in done.stderr and "Traceback" not in done.stderr


NEXT_WORDS = """
embed, rnn, head = nn.Embedding(12, 8), nn.LSTM(8, 8), nn.Linear(8, 12)
optimizer = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *head.parameters()])
words = torch.randint(12, (200, 4))
for step in range(6):
    given, targets = words[step : step + 9], words[step + {moved} : step + {moved} + 9].reshape(-1)
    vectors = embed(given)
    hidden = rnn({read})[0]
    loss = F.cross_entropy(head(hidden).view(-1, 12), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_targets_equal_to_the_input_are_no_fault_where_the_model_moves_its_input():
    moved_inside = "torch.cat([torch.zeros(1, 4, 8), vectors[:-1]])"
    assert "targets-not-shifted" in found_in(NEXT_WORDS.format(moved=0, read="vectors"))
    assert found_in(NEXT_WORDS.format(moved=1, read="vectors")) == {}
    assert found_in(NEXT_WORDS.format(moved=0, read=moved_inside)) == {}


READER = """
embed, block, head = nn.Embedding(12, 8), nn.TransformerEncoderLayer(8, 2, 16), nn.Linear(8, 12)
optimizer = torch.optim.Adam([*embed.parameters(), *block.parameters(), *head.parameters()])
words = torch.randint(12, (200, 4))
hide = nn.Transformer.generate_square_subsequent_mask(9)
for step in range(6):
    given, following = words[step : step + 9], words[step + 1 : step + 10]
    logits = head(block(embed(given), src_mask={mask}))
    loss = F.cross_entropy(logits.view(-1, 12), {targets}.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_attention_without_a_causal_mask_is_a_fault_where_the_next_word_is_asked_for():
    assert "causal-mask-missing" in found_in(READER.format(mask="None", targets="following"))
    assert found_in(READER.format(mask="hide", targets="following")) == {}
    assert found_in(READER.format(mask="None", targets="(given % 3)")) == {}


# Several processes -------------------------------------------------------------------------------------------------

RANKS = """
import os
import sys
import time
import torch
rank = int(os.environ["RANK"])
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(4):
    {clear}
    weight.square().sum().backward()
    optimizer.step()
{end}
"""
SEEN_IN_RANKS = "train.py:12, step 2: the gradients of this step still contain"


@pytest.fixture
def ranks(tmp_path):
    """Function that runs a program in two ranks, started as torchrun starts them: lines, and the exit statuses."""

    def run(clear="pass", end="", options=(), program=RANKS, watched=True):
        script = tmp_path / "train.py"
        script.write_text(program.format(clear=clear, end=end) if program is RANKS else program)
        environment = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "TMPDIR": str(tmp_path)}
        environment |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "none"}
        command = [*(["-m", "torch_errors", "--watch", *options] if watched else []), str(script)]
        started = [Started(*command, RANK=rank, LOCAL_RANK=rank, **environment) for rank in "01"]
        ended = [one.wait() for one in started]
        return [(one.stdout + one.stderr).splitlines() for one in ended], [one.returncode for one in ended]

    return run


RIGHT_RANK = """
import os
import sys
sys.path.insert(0, {root!r})
from tests.right_programs import rank_of_two
print(rank_of_two(int(os.environ["RANK"]), {store!r}), flush=True)
"""


def test_right_ranks_raise_no_alarm_and_stay_the_same_bit_for_bit(ranks, tmp_path):
    root = str(Path(__file__).parents[1])
    store, other = str(tmp_path / "store"), str(tmp_path / "other")
    told, statuses = ranks(program=RIGHT_RANK.format(root=root, store=store))
    plain, _ = ranks(program=RIGHT_RANK.format(root=root, store=other), watched=False)
    losses = [lines[0] for lines in told]
    assert losses == [lines[0] for lines in plain] and losses[0].count(",") == 17
    assert told[0][1:] == [
        "torch-errors: watched 36 optimizer steps and 36 backward passes: nothing found that a run can show"
    ]
    assert told[1][1:] == [] and statuses == [0, 0]


def test_first_rank_tells_what_all_ranks_have_found(ranks, tmp_path):
    (first, second), statuses = ranks(end="time.sleep(2 * (1 - rank))")
    assert first[0].startswith("torch-errors: " + SEEN_IN_RANKS)
    assert first[-1] == "  train.py:12, step 2: missing-zero-grad (ranks 0, 1 of 2)"
    assert len(first) == 4 and second == [] and statuses == [0, 0]
    assert list(tmp_path.iterdir()) == [tmp_path / "train.py"]


def test_what_only_another_rank_has_found_is_told_once(ranks):
    told, statuses = ranks(clear="if not rank: optimizer.zero_grad()", end="time.sleep(2 * rank)")
    [finding] = [line for line in told[0] + told[1] if "still contain" in line]
    assert finding.startswith("torch-errors: rank 1: " + SEEN_IN_RANKS)
    assert statuses == [0, 0]


@pytest.mark.parametrize("dead", [0, 1])
def test_a_rank_that_dies_is_not_waited_for(ranks, dead):
    """Of two ranks with the finding, one is killed when both have it."""
    before = time.monotonic()
    told, statuses = ranks(end=f"time.sleep(1)\nif rank == {dead}: os._exit(9)\ntime.sleep(1)\nsys.exit(5)")
    assert statuses[dead] == 9 and statuses[1 - dead] == 5
    ended = "torch-errors: watched 4 optimizer steps and 4 backward passes:"
    assert sum(SEEN_IN_RANKS in line for line in told[0]) == 1
    if dead:
        finding = "  train.py:12, step 2: missing-zero-grad (ranks 0, 1 of 2)"
        assert told[0][-3:] == [ended, finding, "torch-errors: no final report from ranks 1"] and told[1] == []
    else:
        assert ended not in told[0] and told[1][0].startswith("torch-errors: rank 1: " + SEEN_IN_RANKS)
    assert time.monotonic() - before < 60


def test_strict_and_json_hear_of_other_ranks(ranks, tmp_path):
    options = ["--watch-strict", "--watch-json", str(tmp_path / "found.json")]
    _, statuses = ranks(clear="if not rank: optimizer.zero_grad()", end="time.sleep(2 * (1 - rank))", options=options)
    assert statuses == [FOUND, 0]
    [finding] = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert (finding["id"], finding["rank"]) == ("missing-zero-grad", 1)


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


def test_spawned_processes_are_watched(tmp_path):
    (tmp_path / "train.py").write_text(SPAWNED)
    command = ["-m", "torch_errors", "--watch-strict", str(tmp_path / "train.py"), "word"]
    done = Started(*command, TMPDIR=str(tmp_path)).wait()
    assert sorted(done.stdout.splitlines()) == ["0 word", "1 word"] and done.returncode == FOUND
    told = [line for line in done.stderr.splitlines() if line.startswith(("torch-errors: ", "  "))]
    assert told[0].startswith("torch-errors: train.py:11, step 2: the gradients of this step still contain")
    # The second process may have begun too late to be waited for.
    assert told[3].startswith("  train.py:11, step 2: missing-zero-grad (ranks 0") and len(told) <= 5
    assert list(tmp_path.iterdir()) == [tmp_path / "train.py"]


def test_a_spawned_process_that_fails_fails_as_before(catalog, tmp_path):
    def fail(rank, word):
        raise KeyError(word)

    with pytest.raises(KeyError, match="fail"):
        Watched(fail, 1, tmp_path, "en", False, catalog.root)(0, "fail")
    assert not nn.modules.module._has_any_global_hook()


class Drawn(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, n):
        return torch.ones(2)


def test_findings_in_workers_are_told(monkeypatch, capsys):
    class Watch(Detector):
        id, saw = "drawn", {"en": "worker {worker}"}

        def on_fetched(self, dataset, worker, batch):
            if worker == 1 and isinstance(dataset, Drawn):
                self.find("proof", worker=worker)

    monkeypatch.setattr(watch, "load_detectors", lambda root, run: [Watch(run)])
    with torch_errors.watch() as watching:
        list(torch.utils.data.DataLoader(Drawn(), 2, num_workers=2))
    assert [finding.texts["en"] for finding in watching.findings] == ["worker 1"] and watching.failures == {}
    assert capsys.readouterr().err.count("worker 1 (proof)") == 1
    assert watching.run.post.folder and not watching.run.post.folder.exists()


# Notebooks --------------------------------------------------------------------------------------------------------


class Shell:
    """A stand-in for IPython's shell: cells, their numbers and the event after each."""

    def __init__(self):
        self.magic: Any = None
        self.after, self.namespace, self.count = [], {"torch": torch}, 0
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


UNCLEARED_CELL = """
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(4):
    weight.square().sum().backward()
    optimizer.step()
{after}
"""
SEEN = "torch-errors: In[{cell}]:6, step 2: the gradients of this step still contain"


def test_notebook_tells_after_the_cell_and_at_the_end(capsys):
    shell = Shell()
    torch_errors.load_ipython_extension(shell)
    shell.namespace["stderr"] = capsys.readouterr
    shell.magic("")
    shell.magic("")  # it watches already
    shell.run_cell(UNCLEARED_CELL.format(after="so_far = stderr().err"))
    assert shell.namespace["so_far"] == ""  # nothing between what the cell prints
    first, show = capsys.readouterr().err.splitlines()
    assert first.startswith(SEEN.format(cell=1)) and show == "  torch-errors show missing-zero-grad"
    shell.magic("stop")
    watched, finding = capsys.readouterr().err.splitlines()
    assert watched == "torch-errors: watched 4 optimizer steps and 4 backward passes:"
    assert finding == "  In[1]:6, step 2: missing-zero-grad"
    shell.magic("stop")
    assert capsys.readouterr().err == "" and shell.after == []
    shell.magic("off")
    assert "use %torch_errors_watch, %torch_errors_watch stop, or" in capsys.readouterr().err


def test_notebook_watches_one_cell(capsys):
    shell = Shell()
    torch_errors.load_ipython_extension(shell)
    shell.magic("", UNCLEARED_CELL.format(after=""))
    told = capsys.readouterr().err
    assert told.startswith(SEEN.format(cell=1)) and told.count("missing-zero-grad") == 2
    assert shell.after == [] and not nn.modules.module._has_any_global_hook()
