"""More healthy training runs, with losses, layers and data that healthy.py does not have.

They were written without knowing the thresholds of the snippets, to see whether these fit unknown code.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

from tests.snippets import healthy
from tests.snippets.healthy import Recipe, Training, adam, adamw, batches_of, bce, clustered, cross_entropy, mlp, sgd
from tests.snippets.models import Wired


def unet() -> nn.Module:
    def forward(model: Any, x: Any) -> Any:
        skip = model.down(x)
        return model.head(torch.cat([skip, model.up(model.inner(skip))], 1))

    down = nn.Sequential(healthy.conv(1, 8), nn.GroupNorm(2, 8), nn.SiLU())
    inner = nn.Sequential(nn.MaxPool2d(2), healthy.conv(8, 16), nn.SiLU())
    return Wired(forward, down=down, inner=inner, up=nn.ConvTranspose2d(16, 8, 2, stride=2), head=nn.Conv2d(16, 1, 1))


def masks() -> Any:
    return [(images, labels[:, None].float()) for images, labels in healthy.squares({1: 1.5}, 7)]


def dice(output: Any, target: Any) -> Any:
    p = output.sigmoid()
    return 1 - (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)


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


def siren() -> nn.Module:
    """Sine activations with a first frequency of 30."""
    first, second, head = nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 1)
    nn.init.uniform_(first.weight, -1 / 2, 1 / 2)
    for layer in (second, head):
        nn.init.uniform_(layer.weight, -((6 / 32) ** 0.5) / 30, (6 / 32) ** 0.5 / 30)
    layers = {"first": first, "second": second, "head": head}
    return Wired(lambda model, x: model.head(torch.sin(30 * model.second(torch.sin(30 * model.first(x))))), **layers)


def convnext() -> nn.Module:
    """Layer scale starts at 1e-6."""
    block = torchvision.models.convnext.CNBlock(8, 1e-6, 0.0)
    return nn.Sequential(nn.Conv2d(1, 8, 4, stride=4), block, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))


def seq2seq() -> nn.Module:
    """Reverses a sequence, with attention."""

    def forward(model: Any, source: Any, shifted: Any) -> Any:
        memory, state = model.encoder(model.embed(source))
        out, _ = model.decoder(model.embed(shifted), state)
        seen, _ = model.attention(out, memory, memory, need_weights=False)
        return model.head(torch.cat([out, seen], 2)).transpose(1, 2)

    embed, coders = nn.Embedding(12, 16), [nn.GRU(16, 16, batch_first=True) for _ in range(2)]
    attention = nn.MultiheadAttention(16, 2, dropout=0.1, batch_first=True)
    layers = {"embed": embed, "encoder": coders[0], "decoder": coders[1], "attention": attention}
    return Wired(forward, **layers, head=nn.Linear(32, 12))


def reversing() -> Any:
    ids = torch.randint(1, 12, (64, 5))
    shifted = F.pad(ids.flip(1)[:, :-1], (1, 0))
    return [((a, b), c) for a, b, c in batches_of(ids, shifted, ids.flip(1))]


def scheduled_step(training: Training, batch: Any) -> Any:
    for p in training.model.parameters():
        p.grad = None
    with torch.set_grad_enabled(True):
        value = training.loss(training.model, batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(training.model.parameters(), max_norm=5.0, error_if_nonfinite=True)
    after = training.after
    training.optimizer.step()
    after()
    return value.detach()


def one_cycle(training: Training) -> Any:
    return torch.optim.lr_scheduler.OneCycleLR(training.optimizer, 0.01, total_steps=2000).step


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


def dqn_step(training: Training, batch: Any) -> Any:
    model, optimizer = training.model, training.optimizer
    value = training.loss(model, batch)
    optimizer.zero_grad(set_to_none=False)
    value.backward()
    nn.utils.clip_grad_value_(model.online.parameters(), 100.0)
    optimizer.step()
    if training.steps % 20 == 0:
        model.target.load_state_dict(model.online.state_dict())
    return value.item() * torch.ones(())


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
    layers = {"one": nn.Linear(8, 16), "two": nn.Linear(16, 3)}
    return Wired(lambda model, features, near: model.two(near @ model.one(near @ features).relu()), **layers)


def graphs() -> Any:
    batches = []
    kinds = torch.randn(3, 8)
    for _ in range(6):
        labels = torch.randint(3, (24,))
        same = (labels[:, None] == labels).float()
        adjacency = (torch.rand(24, 24) < 0.05 + 0.4 * same).float() + torch.eye(24)
        batches.append(((kinds[labels] + torch.randn(24, 8), adjacency / adjacency.sum(1, keepdim=True)), labels))
    return batches


def bag() -> nn.Module:
    return nn.Sequential(nn.EmbeddingBag(20, 16, sparse=True), nn.Linear(16, 3))


def spectral() -> nn.Module:
    norms = nn.utils.parametrizations
    return nn.Sequential(norms.spectral_norm(nn.Linear(20, 32)), nn.LeakyReLU(0.2), norms.weight_norm(nn.Linear(32, 4)))


def times() -> Any:
    return batches_of(torch.rand(128, 1) * 2, torch.zeros(128, 1))


def physics_loss(model: Any, batch: Any) -> Any:
    """u' = -u with u(0) = 1; the loss differentiates the model."""
    t = batch[0].clone().requires_grad_()
    u = model(t)
    (rate,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    return (rate + u).square().mean() + (model(torch.zeros(1, 1)) - 1).square().mean()


def ctc() -> nn.Module:
    layers = {"conv": nn.Conv1d(6, 24, 3, padding=1), "head": nn.Conv1d(24, 6, 1)}
    return Wired(lambda model, x: model.head(model.conv(x).relu()).permute(2, 0, 1).log_softmax(2), **layers)


def spoken() -> Any:
    words = torch.randint(1, 6, (48, 4))
    frames = words.repeat_interleave(4, 1)
    return batches_of(F.one_hot(frames, 6).float().transpose(1, 2) + 0.3 * torch.randn(48, 6, 16), words)


def ctc_loss(output: Any, words: Any) -> Any:
    n = len(words)
    return F.ctc_loss(output, words, torch.full((n,), 16), torch.full((n,), 4))


def lora() -> nn.Module:
    base, a = mlp().requires_grad_(False), nn.Parameter(torch.randn(20, 4) / 20**0.5)
    return Wired(
        lambda model, x: model.base(x) + x @ model.a @ model.b, base=base, a=a, b=nn.Parameter(torch.zeros(4, 4))
    )


def grouped(model: Any) -> Any:
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    return torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)


def vgg() -> Any:
    blocks = [(healthy.conv(a, b), nn.ReLU(inplace=True), nn.MaxPool2d(2)) for a, b in ((1, 8), (8, 16), (16, 16))]
    return nn.Sequential(*(layer for block in blocks for layer in block), nn.Flatten(), nn.Linear(64, 4))


def pixels_0_1() -> Any:
    return [((x - x.min()) / (x.max() - x.min()), y) for x, y in healthy.pictures()]


def converted(dtype: torch.dtype) -> Any:
    return [(x.to(dtype), y) for x, y in clustered()]


few_labels = partial(healthy.targets_of, lambda x: (x @ torch.randn(20, 10) > 6).float(), 20)
counts = partial(healthy.targets_of, lambda x: torch.poisson((x[:, :1] * 0.7 + 1).exp()), 6)
imbalanced = partial(healthy.targets_of, lambda x: (x[:, :1] + x[:, 1:2] > 2.2).float(), 10, 160, 32)  # 6% positive
weighted = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0, 0.5]))
FURTHER = [
    Recipe("unet_dice", unet, masks, dice, adam(3e-3)),
    Recipe("vae", vae, lambda: [(x, x) for x, _ in clustered()], vae_loss, adam(3e-3)),
    Recipe("contrastive", lambda: mlp(20, 8), views, info_nce, adam(), takes_model=True),
    Recipe("multilabel", lambda: mlp(20, 10, 64, nn.GELU(), nn.Dropout(0.5)), few_labels, bce, adam(3e-3)),
    Recipe("siren", siren, healthy.surface, healthy.mse, adam(1e-3)),
    Recipe("layer_scale", convnext, healthy.pictures, cross_entropy, adamw(3e-3)),
    Recipe("seq2seq", seq2seq, reversing, cross_entropy, adam(5e-3), scheduled_step, after=one_cycle),
    Recipe("dqn", dqn, transitions, td_loss, lambda m: adam()(m.online), dqn_step, takes_model=True),
    Recipe("flow", flow, moons, flow_loss, adam(3e-3), takes_model=True),
    Recipe("graph", graph, graphs, cross_entropy, adam(1e-2)),
    Recipe("poisson", lambda: mlp(6, 1), counts, nn.PoissonNLLLoss(), adam(3e-3)),
    Recipe("sparse_bag", bag, healthy.topics, cross_entropy, sgd(0.5)),
    Recipe("spectral_norm", spectral, clustered, cross_entropy, adam(3e-3)),
    Recipe("physics", lambda: mlp(1, 1, 32, nn.Tanh()), times, physics_loss, adam(3e-3), takes_model=True),
    Recipe("ctc", ctc, spoken, ctc_loss, adam(5e-3)),
    Recipe("lora", lora, clustered, cross_entropy, lambda m: torch.optim.AdamW([m.a, m.b], lr=1e-2)),
    Recipe("weight_decay_groups", mlp, clustered, cross_entropy, grouped),
    Recipe("pixels_0_1", vgg, pixels_0_1, cross_entropy, adam(3e-3)),
    Recipe("imbalanced", lambda: mlp(10, 1), imbalanced, bce, adam(3e-3)),
    Recipe("absolute_error", lambda: mlp(2, 1), healthy.surface, nn.L1Loss(), adam(1e-2)),
    Recipe("large_batch_sgd", mlp, partial(clustered, 512, 256), cross_entropy, sgd(0.1, 0.9)),
    Recipe("batch_of_two", mlp, partial(clustered, 64, 2), cross_entropy, adam()),
    Recipe("float64", lambda: mlp().double(), partial(converted, torch.float64), cross_entropy, adam()),
    Recipe("bfloat16_weights", lambda: mlp().bfloat16(), partial(converted, torch.bfloat16), cross_entropy, sgd(0.1)),
    Recipe("data_parallel", lambda: nn.DataParallel(mlp()), clustered, cross_entropy, adam()),
    Recipe("summed_loss", mlp, clustered, nn.CrossEntropyLoss(reduction="sum"), sgd(0.005)),
    Recipe("class_weights", mlp, clustered, weighted, adam()),
]
