"""Detectors name a fault of a kind, in programs that are not on the entry's page, and not its right twin."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from torch_errors.watching.watch import start

Program = Callable[[bool], None]


def named(program: Program, wrong: bool, seed: int) -> list[str]:
    """Run a program watched, and return the ids of the findings."""
    torch.manual_seed(seed)
    watching = start(out=io.StringIO())
    program(wrong)
    watching.finish()
    assert watching.failures == {}
    return [finding.id for finding in watching.findings]


def adam(*modules: nn.Module, lr: float = 1e-3) -> torch.optim.Optimizer:
    return torch.optim.Adam([p for module in modules for p in module.parameters()], lr=lr)


# The optimizer of the other network ---------------------------------------------------------------------------------


def gan_with_two_optimizers_of_the_critic(wrong: bool) -> None:
    generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 8))
    critic = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    of_critic, of_generator = adam(critic), adam(critic if wrong else generator)
    for _ in range(14):
        fake, real = generator(torch.randn(16, 4)), torch.randn(16, 8) + 1
        of_critic.zero_grad()
        loss = F.softplus(critic(fake.detach())).mean() + F.softplus(-critic(real)).mean()
        loss.backward()
        of_critic.step()
        of_generator.zero_grad()
        F.softplus(-critic(fake)).mean().backward()
        of_generator.step()


def images_by_convolutions(wrong: bool) -> None:
    """As in the DCGAN example: networks clear the gradients, and the losses of real and fake images are two passes."""
    generator = nn.Sequential(nn.ConvTranspose2d(6, 8, 4), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 1, 5))
    critic = nn.Sequential(nn.Conv2d(1, 8, 4, 2), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(72, 1), nn.Flatten(0))
    of_critic, of_generator = adam(critic), adam(generator)
    if wrong:
        of_critic, of_generator = of_generator, of_critic
    ones, zeros, loss = torch.ones(12), torch.zeros(12), nn.BCEWithLogitsLoss()
    for _ in range(14):
        critic.zero_grad()
        loss(critic(torch.randn(12, 1, 8, 8)), ones).backward()
        loss(critic(generator(torch.randn(12, 6, 1, 1)).detach()), zeros).backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        of_critic.step()
        generator.zero_grad()
        loss(critic(generator(torch.randn(12, 6, 1, 1))), ones).backward()
        of_generator.step()


def actor_and_critic_swapped(wrong: bool) -> None:
    """Deterministic policy gradients; each optimizer clears what it has."""
    actor, critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2)), nn.Linear(5, 1)
    of_actor, of_critic = (torch.optim.SGD(part.parameters(), lr=0.01) for part in (actor, critic))
    if wrong:
        of_actor, of_critic = of_critic, of_actor
    for _ in range(30):
        states, actions, rewards = torch.randn(32, 3), torch.randn(32, 2), torch.randn(32, 1)
        of_critic.zero_grad()
        F.mse_loss(critic(torch.cat([states, actions], 1)), rewards).backward()
        of_critic.step()
        of_actor.zero_grad()
        (-critic(torch.cat([states, actor(states)], 1)).mean()).backward()
        of_actor.step()


def domain_classifier_without_optimizer(wrong: bool) -> None:
    """The second optimizer was created for the features, as the first one."""
    features, head, domains = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 1)
    first = torch.optim.RMSprop([*features.parameters(), *head.parameters()], lr=1e-3)
    second = torch.optim.RMSprop(
        [*features.parameters(), *head.parameters()] if wrong else domains.parameters(), lr=1e-3
    )
    for _ in range(14):
        batch, labels, origin = torch.randn(16, 6), torch.randint(3, (16,)), torch.randint(2, (16, 1)).float()
        second.zero_grad()
        F.binary_cross_entropy_with_logits(domains(features(batch).relu().detach()), origin).backward()
        second.step()
        hidden = features(batch).relu()
        first.zero_grad()
        confusion = F.binary_cross_entropy_with_logits(domains(hidden), torch.full((16, 1), 0.5))
        (F.cross_entropy(head(hidden), labels) + 0.1 * confusion).backward()
        first.step()


# Gradients cleared between the micro-batches ------------------------------------------------------------------------


def accumulation(
    wrong: bool,
    model: nn.Module,
    loss_of: Callable[[], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    count: int = 4,
    clip: bool = False,
    scaler: torch.amp.GradScaler | None = None,
) -> None:
    for number in range(6 * count):
        if wrong:
            optimizer.zero_grad()
        loss = loss_of() / count
        (scaler.scale(loss) if scaler else loss).backward()
        if (number + 1) % count == 0:
            if scaler:
                scaler.unscale_(optimizer)
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            if not wrong:
                optimizer.zero_grad()


def classifier_in_micro_batches(wrong: bool) -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    loss = lambda: F.cross_entropy(model(torch.randn(8, 8)), torch.randint(3, (8,)))  # noqa: E731
    accumulation(wrong, model, loss, adam(model), clip=True)


def language_model_in_micro_batches(wrong: bool) -> None:
    model = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
    data = lambda: torch.randint(20, (4, 9))  # noqa: E731

    def loss() -> torch.Tensor:
        tokens = data()
        return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

    accumulation(wrong, model, loss, torch.optim.AdamW(model.parameters()), 3)


def half_precision_in_micro_batches(wrong: bool) -> None:
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))

    def loss() -> torch.Tensor:
        batch = torch.randn(16, 6)
        with torch.autocast("cpu", torch.bfloat16):
            return F.mse_loss(model(batch).float(), batch.sum(1, keepdim=True))

    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    accumulation(wrong, model, loss, optimizer, 2, scaler=torch.amp.GradScaler("cpu", init_scale=128.0))


# A softmax by hand --------------------------------------------------------------------------------------------------


def fit(module: nn.Module, loss_of: Callable[[], torch.Tensor]) -> None:
    optimizer = adam(module)
    for _ in range(3):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()


def classes_by_powers_of_e(wrong: bool) -> None:
    model, batch, labels = nn.Linear(8, 4), 500 * torch.randn(32, 8), torch.randint(4, (32,))

    def loss() -> torch.Tensor:
        logits = model(batch)
        powers = math.e ** (logits if wrong else logits - logits.max(1, keepdim=True).values)
        return F.nll_loss((powers / powers.sum(1, keepdim=True) + 1e-9).log(), labels)

    fit(model, loss)


def attention_by_powers_of_a_tensor(wrong: bool) -> None:
    model, words = nn.Linear(8, 8), 20 * torch.randn(4, 6, 8)

    def loss() -> torch.Tensor:
        scores = model(words) @ words.mT
        scores = scores if wrong else scores - scores.amax(-1, keepdim=True)
        powers = torch.pow(torch.tensor(2.718281828), scores)
        return (powers / torch.sum(powers, dim=-1).unsqueeze(-1) @ words).square().mean()

    fit(model, loss)


def attention_over_the_edges_of_a_graph(wrong: bool) -> None:
    layer, score = nn.Linear(6, 8), nn.Linear(16, 1)
    nodes, edges = 1000 * torch.randn(10, 6), torch.randint(10, (2, 60))

    def loss() -> torch.Tensor:
        hidden = layer(nodes)
        scores = F.leaky_relu(score(torch.cat([hidden[edges[0]], hidden[edges[1]]], 1)), 0.2).squeeze(1)
        weights = torch.exp(scores if wrong else scores - scores.max())
        total = torch.zeros(10).index_add(0, edges[1], weights)[edges[1]]
        shares = weights / (total + 1e-16)
        return torch.zeros(10, 8).index_add(0, edges[1], shares[:, None] * hidden[edges[0]]).square().mean()

    fit(nn.ModuleList([layer, score]), loss)


MIXED_UP, CLEARED, OVERFLOW = "optimizer-stale-parameters", "zero-grad-before-step", "softmax-overflow"
FAULTS: list[tuple[Program, str]] = [
    (gan_with_two_optimizers_of_the_critic, MIXED_UP),
    (images_by_convolutions, MIXED_UP),
    (actor_and_critic_swapped, MIXED_UP),
    (domain_classifier_without_optimizer, MIXED_UP),
    (classifier_in_micro_batches, CLEARED),
    (language_model_in_micro_batches, CLEARED),
    (half_precision_in_micro_batches, CLEARED),
    (classes_by_powers_of_e, OVERFLOW),
    (attention_by_powers_of_a_tensor, OVERFLOW),
    (attention_over_the_edges_of_a_graph, OVERFLOW),
]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.weekly) for seed in range(1, 10))]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("program", "id"), FAULTS, ids=lambda value: getattr(value, "__name__", None))
def test_a_fault_is_named_and_its_right_twin_is_not(program, id, seed):
    assert named(program, True, seed) == [id]
    assert named(program, False, seed) == []


# Right programs that resemble them ----------------------------------------------------------------------------------


class Coder(nn.Module):
    """A variational autoencoder whose sampled noise carries the gradient only if `reparameterized`."""

    def __init__(self, reparameterized: bool) -> None:
        super().__init__()
        self.first, self.mean, self.spread = nn.Linear(12, 16), nn.Linear(16, 2), nn.Linear(16, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 12))
        self.reparameterized = reparameterized

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        hidden = self.first(batch).relu()
        coded = torch.distributions.Normal(self.mean(hidden), (0.5 * self.spread(hidden)).exp())
        sample = coded.rsample() if self.reparameterized else coded.sample()
        prior = torch.distributions.kl_divergence(coded, torch.distributions.Normal(0.0, 1.0)).mean()
        return (self.decoder(sample) - batch).square().sum(1).mean() + 1e-5 * prior


@pytest.mark.parametrize("reparameterized", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_encoder_behind_a_sample_is_no_vanishing_gradient(reparameterized, seed):
    """Its gradient comes from another term of the loss, and does not pass the layers of the decoder."""

    def train(wrong: bool) -> None:
        model, batch = Coder(reparameterized), 3 * torch.randn(64, 12)
        optimizer = adam(model)
        for _ in range(8):
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()

    assert named(train, False, seed) == []


def shapes_first(wrong: bool) -> None:
    """A model without values is trained to count its operations; the real one has the fault."""
    for device in ("meta", "cpu"):
        with torch.device(device):
            model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
            if device == "cpu" and wrong:
                for layer in model[::2]:
                    nn.init.constant_(layer.weight, 0.1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for _ in range(12):
                optimizer.zero_grad()
                F.cross_entropy(model(torch.randn(32, 8)), torch.randint(3, (32,))).backward()
                optimizer.step()


def shapes_first_and_never_cleared(wrong: bool) -> None:
    for device in ("meta", "cpu"):
        with torch.device(device):
            model = nn.Linear(4, 2)
            optimizer = adam(model)
            for _ in range(6):
                model(torch.randn(8, 4)).square().mean().backward()
                optimizer.step()


def test_a_model_on_meta_switches_no_detector_off():
    assert named(shapes_first, False, 0) == []
    assert named(shapes_first, True, 0) == ["bad-initialization"]
    assert named(shapes_first_and_never_cleared, True, 0) == ["missing-zero-grad"]


def graph_network_in_evaluation_mode(wrong: bool) -> None:
    """Attributions through a sparse matrix, of which the graph of the output keeps a copy."""
    links = (torch.rand(12, 12) < 0.3).float().to_sparse()
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
    nn.Module.register_forward_pre_hook(model, lambda module, inputs: (torch.sparse.mm(links, inputs[0]),))
    for _ in range(3):
        nodes = torch.randn(12, 5, requires_grad=True)
        model(nodes).sum().backward()


def first_order_maml(wrong: bool) -> None:
    """The outer optimizer gets the gradients of a copy, which the inner optimizer has."""
    model, copy = nn.Linear(4, 1), nn.Linear(4, 1)
    outer, inner = adam(model), torch.optim.SGD(copy.parameters(), lr=0.01)
    for _ in range(12):
        copy.load_state_dict(model.state_dict())
        slope, batch = torch.randn(4, 1), torch.randn(16, 4)
        for _ in range(2):
            inner.zero_grad()
            F.mse_loss(copy(batch), batch @ slope).backward()
            inner.step()
        inner.zero_grad()
        F.mse_loss(copy(batch), batch @ slope).backward()
        for parameter, other in zip(model.parameters(), copy.parameters(), strict=True):
            parameter.grad = other.grad.clone()
        outer.step()


def closures_in_turn(wrong: bool) -> None:
    parts = [nn.Linear(4, 4), nn.Linear(4, 1)]
    optimizers = [torch.optim.LBFGS(part.parameters(), lr=0.1, max_iter=2) for part in parts]
    batch = torch.randn(32, 4)

    def closure_of(optimizer: Any) -> Callable[[], torch.Tensor]:
        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.mse_loss(parts[1](parts[0](batch).tanh()), batch.sum(1, keepdim=True))
            loss.backward()
            return loss

        return closure

    for _ in range(16):
        for optimizer in optimizers:
            optimizer.step(closure_of(optimizer))


def projected_tasks(wrong: bool) -> None:
    """Gradients of three tasks, each divided by their number, are kept aside and put together for the step."""
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = adam(model)
    for _ in range(12):
        batch, kept = torch.randn(32, 6), []
        for task in range(3):
            optimizer.zero_grad()
            (F.mse_loss(model(batch)[:, task], batch[:, task]) / 3).backward()
            kept.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
        for parameter, *parts in zip(model.parameters(), *kept, strict=True):
            parameter.grad = torch.stack(parts).sum(0)
        optimizer.step()


def sharpness_aware_in_halves(wrong: bool) -> None:
    """Two passes for a step, each divided by 2, with other weights."""
    model, optimizers = nn.Linear(4, 2), []
    optimizers.append(torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(12):
        batch, labels, moves = torch.randn(8, 4), torch.randint(2, (8,)), []
        for turn in range(2):
            optimizers[0].zero_grad()
            (F.cross_entropy(model(batch), labels) / 2).backward()
            if turn == 0:
                with torch.no_grad():
                    for parameter in model.parameters():
                        moves.append(0.05 * parameter.grad)
                        parameter += moves[-1]
        with torch.no_grad():
            for parameter, move in zip(model.parameters(), moves, strict=True):
                parameter -= move
        optimizers[0].step()


def frozen_in_turn(wrong: bool) -> None:
    """Both optimizers step each time, although a part is frozen at first."""
    body, head = nn.Linear(4, 8).requires_grad_(False), nn.Linear(8, 3)
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.05) for part in (body, head)]
    for step in range(24):
        if step == 16:
            body.requires_grad_(True)
        for optimizer in optimizers:
            optimizer.zero_grad()
        F.cross_entropy(head(body(torch.randn(16, 4)).relu()), torch.randint(3, (16,))).backward()
        for optimizer in optimizers:
            optimizer.step()


RIGHT = [
    graph_network_in_evaluation_mode,
    first_order_maml,
    closures_in_turn,
    projected_tasks,
    sharpness_aware_in_halves,
    frozen_in_turn,
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.__name__)
def test_right_programs_that_resemble_a_fault_raise_no_alarm(program, seed):
    assert named(program, False, seed) == []
