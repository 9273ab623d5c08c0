"""More healthy trainings: losses, layers and data that those of healthy.py do not have.

They were written without a look at the thresholds of the snippets, to see whether those hold for strangers.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.snippets.healthy import (
    Loss,
    Recipe,
    Step,
    adam,
    adamw,
    batches_of,
    bce,
    clustered,
    clusters,
    cross_entropy,
    documents,
    mlp,
    mse,
    pictures,
    sgd,
    surface,
)
from tests.snippets.models import Wired


def unet() -> nn.Module:
    def forward(model: Any, x: Any) -> Any:
        skip = model.down(x)
        return model.head(torch.cat([skip, model.up(model.inner(skip))], 1))

    return Wired(
        forward,
        down=nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU()),
        inner=nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.SiLU()),
        up=nn.ConvTranspose2d(16, 8, 2, stride=2),
        head=nn.Conv2d(16, 1, 1),
    )


def dice(output: Any, target: Any) -> Any:
    p = output.sigmoid()
    return 1 - (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)


def binary_masks() -> Any:
    images, masks = 0.3 * torch.randn(24, 1, 16, 16), torch.zeros(24, 1, 16, 16)
    for n in range(24):
        x, y = torch.randint(0, 9, (2,)).tolist()
        images[n, 0, y : y + 7, x : x + 7] += 1.5
        masks[n, 0, y : y + 7, x : x + 7] = 1
    return batches_of(images, masks, size=8)


def vae() -> nn.Module:
    def forward(model: Any, x: Any) -> Any:
        mean, log_var = model.encoder(x).chunk(2, 1)
        return model.decoder(mean + torch.randn_like(mean) * (0.5 * log_var).exp()), mean, log_var

    return Wired(forward, encoder=mlp(20, 8), decoder=mlp(4, 20))


def vae_loss(output: Any, x: Any) -> Any:
    made, mean, log_var = output
    return F.mse_loss(made, x) + 0.05 * (mean.square() + log_var.exp() - 1 - log_var).mean()


def views() -> Any:
    return [(part, part + 0.1 * torch.randn_like(part)) for part, _ in clustered()]


def info_nce(model: Any, batch: Any) -> Any:
    one, two = (F.normalize(model(view), dim=1) for view in batch)
    return F.cross_entropy(one @ two.T / 0.2, torch.arange(len(one)))


def multilabel() -> Any:
    x = torch.randn(128, 20)
    return batches_of(x, (x @ torch.randn(20, 10) > 6).float())  # few labels are set


def siren() -> nn.Module:
    """Sine activations with a first frequency of 30."""
    first, second, head = nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 1)
    with torch.no_grad():
        first.weight.uniform_(-1 / 2, 1 / 2)
        for layer in (second, head):
            layer.weight.uniform_(-((6 / 32) ** 0.5) / 30, (6 / 32) ** 0.5 / 30)
    return Wired(
        lambda model, x: model.head(torch.sin(30 * model.second(torch.sin(30 * model.first(x))))),
        first=first,
        second=second,
        head=head,
    )


def convnext() -> nn.Module:
    """Layer scale begins at 1e-6."""

    def forward(model: Any, x: Any) -> Any:
        x = model.stem(x)
        y = model.norm(model.depth(x).permute(0, 2, 3, 1))
        x = x.permute(0, 2, 3, 1) + model.scale * model.narrow(F.gelu(model.wide(y)))
        return model.head(x.mean((1, 2)))

    return Wired(
        forward,
        stem=nn.Conv2d(1, 8, 4, stride=4),
        depth=nn.Conv2d(8, 8, 3, padding=1, groups=8),
        norm=nn.LayerNorm(8),
        wide=nn.Linear(8, 32),
        narrow=nn.Linear(32, 8),
        scale=nn.Parameter(1e-6 * torch.ones(8)),
        head=nn.Linear(8, 4),
    )


def seq2seq() -> nn.Module:
    """Reverses a sequence, with attention."""

    def forward(model: Any, source: Any, shifted: Any) -> Any:
        memory, state = model.encoder(model.embed(source))
        out, _ = model.decoder(model.embed(shifted), state)
        seen, _ = model.attention(out, memory, memory, need_weights=False)
        return model.head(torch.cat([out, seen], 2)).transpose(1, 2)

    return Wired(
        forward,
        embed=nn.Embedding(12, 16),
        encoder=nn.GRU(16, 16, batch_first=True),
        decoder=nn.GRU(16, 16, batch_first=True),
        attention=nn.MultiheadAttention(16, 2, dropout=0.1, batch_first=True),
        head=nn.Linear(32, 12),
    )


def reversing() -> Any:
    ids = torch.randint(1, 12, (64, 5))
    target = ids.flip(1)
    shifted = torch.cat([torch.zeros(64, 1, dtype=torch.long), target[:, :-1]], 1)
    return [((a, b), c) for a, b, c in batches_of(ids, shifted, target)]


def dqn() -> nn.Module:
    online, target = mlp(4, 2), mlp(4, 2)
    target.load_state_dict(online.state_dict())
    return Wired(lambda model, state: model.online(state), online=online, target=target.requires_grad_(False))


def transitions() -> Any:
    state = torch.randn(128, 4)
    action = torch.randint(2, (128, 1))
    reward = (state[:, :1] * (2 * action - 1)).sign()
    return batches_of(state, action, reward, state + 0.1 * torch.randn(128, 4))


def td_loss(model: Any, batch: Any) -> Any:
    state, action, reward, after = batch
    with torch.no_grad():
        wanted = reward + 0.9 * model.target(after).max(1, keepdim=True).values
    return F.smooth_l1_loss(model.online(state).gather(1, action), wanted)


def dqn_step(model: Any, optimizer: Any, loss: Loss) -> Step:
    calls = 0

    def step(batch: Any) -> Any:
        nonlocal calls
        calls += 1
        value = loss(model, batch)
        optimizer.zero_grad(set_to_none=False)
        value.backward()
        nn.utils.clip_grad_value_(model.online.parameters(), 100.0)
        optimizer.step()
        if calls % 20 == 0:
            model.target.load_state_dict(model.online.state_dict())
        return value.item() * torch.ones(())

    return step


def flow() -> nn.Module:
    """A normalizing flow; its loss, a negative log-likelihood, may be negative."""

    def forward(model: Any, x: Any) -> Any:
        total = x.new_zeros(len(x))
        for number, net in enumerate(model.nets):
            keep, move = x[:, number % 2 :][:, :1], x[:, 1 - number % 2 :][:, :1]
            scale, shift = net(keep).tanh().chunk(2, 1)
            move = move * scale.exp() + shift
            total = total + scale.squeeze(1)
            x = torch.cat([move, keep] if number % 2 else [keep, move], 1)
        return x, total

    return Wired(forward, nets=nn.ModuleList(mlp(1, 2) for _ in range(4)))


def flow_loss(model: Any, batch: Any) -> Any:
    z, log_det = model(batch[0])
    return (0.5 * z.square().sum(1) - log_det).mean()


def moons() -> Any:
    a = 3.14 * torch.rand(128)
    side = torch.randint(2, (128,)).float()
    x = torch.stack([a.cos() + side, (1 - 2 * side) * a.sin() + 0.5 * side], 1) * 0.5
    return batches_of(x + 0.05 * torch.randn(128, 2), side)


def graph() -> nn.Module:
    """Graph convolution with a normalized adjacency matrix."""
    return Wired(
        lambda model, features, adjacency: model.two(adjacency @ model.one(adjacency @ features).relu()),
        one=nn.Linear(8, 16),
        two=nn.Linear(16, 3),
    )


def graphs() -> Any:
    batches = []
    kinds = torch.randn(3, 8)
    for _ in range(6):
        labels = torch.randint(3, (24,))
        same = (labels[:, None] == labels).float()
        adjacency = (torch.rand(24, 24) < 0.05 + 0.4 * same).float() + torch.eye(24)
        batches.append(((kinds[labels] + torch.randn(24, 8), adjacency / adjacency.sum(1, keepdim=True)), labels))
    return batches


def counts() -> Any:
    x = torch.randn(128, 6)
    return batches_of(x, torch.poisson((x[:, :1] * 0.7 + 1).exp()))


def spectral() -> nn.Module:
    return nn.Sequential(
        nn.utils.parametrizations.spectral_norm(nn.Linear(20, 32)),
        nn.LeakyReLU(0.2),
        nn.utils.parametrizations.weight_norm(nn.Linear(32, 4)),
    )


def physics_loss(model: Any, batch: Any) -> Any:
    """u' = -u with u(0) = 1; the loss differentiates the model."""
    t = batch[0].clone().requires_grad_()
    u = model(t)
    (rate,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    return (rate + u).square().mean() + (model(torch.zeros(1, 1)) - 1).square().mean()


def ctc() -> nn.Module:
    return Wired(
        lambda model, x: model.head(model.conv(x).relu()).permute(2, 0, 1).log_softmax(2),
        conv=nn.Conv1d(6, 24, 3, padding=1),
        head=nn.Conv1d(24, 6, 1),
    )


def spoken() -> Any:
    words = torch.randint(1, 6, (48, 4))
    frames = words.repeat_interleave(4, 1)
    sounds = F.one_hot(frames, 6).float().transpose(1, 2) + 0.3 * torch.randn(48, 6, 16)
    return batches_of(sounds, words)


def ctc_loss(output: Any, words: Any) -> Any:
    n = len(words)
    return F.ctc_loss(output, words, torch.full((n,), 16), torch.full((n,), 4))


def lora() -> nn.Module:
    return Wired(
        lambda model, x: model.base(x) + x @ model.a @ model.b,
        base=mlp().requires_grad_(False),
        a=nn.Parameter(torch.randn(20, 4) / 20**0.5),
        b=nn.Parameter(torch.zeros(4, 4)),
    )


def grouped(model: Any) -> Any:
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    return torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)


def vgg() -> Any:
    layers: list[Any] = []
    sizes = [1, 8, 16, 16]
    for a, b in itertools.pairwise(sizes):
        layers += [nn.Conv2d(a, b, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(64, 4))


def pixels_0_1() -> Any:
    return [((x - x.min()) / (x.max() - x.min()), y) for x, y in batches_of(*pictures(48, 1, 16, 4))]


def imbalanced() -> Any:
    x = torch.randn(160, 10)
    y = (x[:, :1] + x[:, 1:2] > 2.2).float()  # 6 % positive
    return batches_of(x, y, size=32)


def scheduler_step(model: Any, optimizer: Any, loss: Loss) -> Step:
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=2000)

    def step(batch: Any) -> Any:
        for p in model.parameters():
            p.grad = None
        with torch.set_grad_enabled(True):
            value = loss(model, batch)
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0, error_if_nonfinite=True)
        optimizer.step()
        schedule.step()
        return value.detach()

    return step


FURTHER = [
    Recipe("unet_dice", unet, binary_masks, dice, adam(3e-3)),
    Recipe("vae", vae, lambda: [(x, x) for x, _ in clustered()], vae_loss, adam(3e-3)),
    Recipe("contrastive", lambda: mlp(20, 8), views, info_nce, adam(), takes_model=True),
    Recipe(
        "multilabel",
        lambda: nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Dropout(0.5), nn.Linear(64, 10)),
        multilabel,
        bce,
        adam(3e-3),
    ),
    Recipe("siren", siren, lambda: batches_of(*surface()), mse, adam(1e-3)),
    Recipe("layer_scale", convnext, lambda: batches_of(*pictures(48, 1, 16, 4)), cross_entropy, adamw(3e-3)),
    Recipe("seq2seq", seq2seq, reversing, cross_entropy, adam(5e-3), scheduler_step),
    Recipe(
        "dqn",
        dqn,
        transitions,
        td_loss,
        lambda m: torch.optim.Adam(m.online.parameters(), lr=1e-3),
        dqn_step,
        takes_model=True,
    ),
    Recipe("flow", flow, moons, flow_loss, adam(3e-3), takes_model=True),
    Recipe("graph", graph, graphs, cross_entropy, adam(1e-2)),
    Recipe("poisson", lambda: mlp(6, 1), counts, nn.PoissonNLLLoss(), adam(3e-3)),
    Recipe(
        "sparse_bag",
        lambda: nn.Sequential(nn.EmbeddingBag(20, 16, sparse=True), nn.Linear(16, 3)),
        lambda: [(b["input_ids"], b["labels"]) for b in documents()],
        cross_entropy,
        sgd(0.5),
    ),
    Recipe("spectral_norm", spectral, clustered, cross_entropy, adam(3e-3)),
    Recipe(
        "physics",
        lambda: nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1)),
        lambda: batches_of(torch.rand(128, 1) * 2, torch.zeros(128, 1)),
        physics_loss,
        adam(3e-3),
        takes_model=True,
    ),
    Recipe("ctc", ctc, spoken, ctc_loss, adam(5e-3)),
    Recipe("lora", lora, clustered, cross_entropy, lambda m: torch.optim.AdamW([m.a, m.b], lr=1e-2)),
    Recipe("weight_decay_groups", mlp, clustered, cross_entropy, grouped),
    Recipe("vgg", vgg, lambda: batches_of(*pictures(48, 1, 16, 4)), cross_entropy, adam()),
    Recipe("pixels_0_1", vgg, pixels_0_1, cross_entropy, adam(3e-3)),
    Recipe("imbalanced", lambda: mlp(10, 1), imbalanced, bce, adam(3e-3)),
    Recipe("absolute_error", lambda: mlp(2, 1), lambda: batches_of(*surface()), nn.L1Loss(), adam(1e-2)),
    Recipe("large_batch_sgd", mlp, lambda: batches_of(*clusters(512), size=256), cross_entropy, sgd(0.1, 0.9)),
    Recipe("batch_of_two", mlp, lambda: batches_of(*clusters(64), size=2), cross_entropy, adam()),
    Recipe(
        "float64",
        lambda: mlp().double(),
        lambda: [(x.double(), y) for x, y in clustered()],
        cross_entropy,
        adam(),
    ),
    Recipe(
        "bfloat16_weights",
        lambda: mlp().bfloat16(),
        lambda: [(x.bfloat16(), y) for x, y in clustered()],
        cross_entropy,
        sgd(0.1),
    ),
    Recipe("data_parallel", lambda: nn.DataParallel(mlp()), clustered, cross_entropy, adam()),
    Recipe("summed_loss", mlp, clustered, nn.CrossEntropyLoss(reduction="sum"), sgd(0.005)),
    Recipe(
        "class_weights",
        mlp,
        clustered,
        nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0, 0.5])),
        adam(),
    ),
]
