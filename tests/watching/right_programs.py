"""Correct programs whose calls, graphs or losses look like a fault. Each returns its losses."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset, TensorDataset, get_worker_info

Program = Callable[[], list[float]]


def _fit(parameters: Any, loss_of: Callable[[], torch.Tensor], steps: int = 12, lr: float = 1e-3) -> list[float]:
    optimizer = torch.optim.Adam(parameters, lr=lr)
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def ppo() -> list[float]:
    policy, value = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2)), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=3e-4)
    losses = []
    for _ in range(3):
        states = torch.randn(128, 4)
        with torch.no_grad():
            chosen = torch.distributions.Categorical(logits=policy(states))
            actions = chosen.sample()
            before = chosen.log_prob(actions)
        advantages, returns = torch.randn(128), torch.randn(128)
        for part in [part for _ in range(3) for part in torch.randperm(128).split(32)]:
            now = torch.distributions.Categorical(logits=policy(states[part]))
            ratio = (now.log_prob(actions[part]) - before[part]).exp()
            gain = torch.min(ratio * advantages[part], ratio.clamp(0.8, 1.2) * advantages[part]).mean()
            wrong = F.mse_loss(value(states[part]).squeeze(-1), returns[part])
            loss = 0.5 * wrong - gain - 0.01 * now.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
    return losses


def wgan_gp() -> list[float]:
    generator = nn.Linear(4, 8)
    critic = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    of_generator, of_critic = (torch.optim.Adam(model.parameters(), lr=1e-4) for model in (generator, critic))
    losses = []
    for _ in range(12):
        for _ in range(3):
            real, fake, mix = torch.randn(16, 8), generator(torch.randn(16, 4)).detach(), torch.rand(16, 1)
            between = (mix * real + (1 - mix) * fake).requires_grad_()
            (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
            loss = critic(fake).mean() - critic(real).mean() + 10 * (slope.norm(2, 1) - 1).square().mean()
            of_critic.zero_grad()
            loss.backward()
            of_critic.step()
            losses.append(loss.item())
        of_generator.zero_grad()
        (-critic(generator(torch.randn(16, 4))).mean()).backward()
        of_generator.step()
    return losses


def maml() -> list[float]:
    model = nn.Linear(4, 1)

    def loss() -> torch.Tensor:
        batch = torch.randn(8, 4)
        wanted, weights = batch.sum(1, keepdim=True), dict(model.named_parameters())

        def error(weights: dict[str, torch.Tensor]) -> torch.Tensor:
            return F.mse_loss(torch.func.functional_call(model, weights, (batch,)), wanted)

        slopes = torch.autograd.grad(error(weights), list(weights.values()), create_graph=True)
        return error({name: w - 0.1 * slope for (name, w), slope in zip(weights.items(), slopes, strict=True)})

    return _fit(model.parameters(), loss)


def sharpness_aware() -> list[float]:
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(12):
        batch, labels = torch.randn(8, 4), torch.randint(2, (8,))
        F.cross_entropy(model(batch), labels).backward()
        moves = [0.05 * p.grad / (p.grad.norm() + 1e-9) for p in model.parameters() if p.grad is not None]
        with torch.no_grad():
            torch._foreach_add_(list(model.parameters()), moves)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(batch), labels)
        loss.backward()
        with torch.no_grad():
            torch._foreach_sub_(list(model.parameters()), moves)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def lbfgs_on_batches() -> list[float]:
    """A step that tries weights with a much larger loss and continues from there."""
    model, inputs = nn.Linear(20, 1), torch.randn(128, 20)
    targets = inputs @ torch.randn(20, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5)

    def step() -> float:
        rows = torch.randint(128, (64,))

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.mse_loss(model(inputs[rows]), targets[rows])
            loss.backward()
            return loss

        return optimizer.step(closure).item()

    return [step() for _ in range(30)]


def distillation() -> list[float]:
    teacher, student = nn.Linear(6, 4).eval(), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))

    def loss() -> torch.Tensor:
        batch = torch.randn(16, 6)
        with torch.no_grad():
            soft = (teacher(batch) / 2).softmax(1)
        return F.kl_div((student(batch) / 2).log_softmax(1), soft, reduction="batchmean")

    return _fit(student.parameters(), loss)


def mixture_of_experts() -> list[float]:
    gate, experts = nn.Linear(6, 3), nn.ModuleList(nn.Linear(6, 2) for _ in range(3))

    def loss() -> torch.Tensor:
        batch, labels = torch.randn(16, 6), torch.randint(2, (16,))
        weights = gate(batch).softmax(-1)
        outputs = torch.stack([expert(batch) for expert in experts], 1)
        return F.cross_entropy((weights[..., None] * outputs).sum(1), labels)

    return _fit([*gate.parameters(), *experts.parameters()], loss)


def contrastive() -> list[float]:
    images, texts = nn.Linear(8, 4), nn.Linear(6, 4)

    def loss() -> torch.Tensor:
        similar, pairs = images(torch.randn(16, 8)) @ texts(torch.randn(16, 6)).T, torch.arange(16)
        return (F.cross_entropy(similar, pairs) + F.cross_entropy(similar.T, pairs)) / 2

    return _fit([*images.parameters(), *texts.parameters()], loss)


def deep_image_prior() -> list[float]:
    layers = (nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 3, 1), nn.Sigmoid())
    model, noise, image = nn.Sequential(*layers), 0.1 * torch.rand(1, 8, 16, 16), torch.rand(1, 3, 16, 16)
    return _fit(model.parameters(), lambda: F.mse_loss(model(noise), image), 30, 0.01)


def labels_that_are_noise() -> list[float]:
    """No learning rate makes this loss fall."""
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 5))
    noise = lambda: F.cross_entropy(model(torch.randn(32, 12)), torch.randint(5, (32,)))  # noqa: E731
    return _fit(model.parameters(), noise, 160, 1e-5)


def outputs_without_inputs() -> list[float]:
    """A baseline that knows only how frequent the classes are."""
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 5))
    prior = lambda: F.cross_entropy(model(torch.zeros(32, 12)), torch.randint(5, (32,)))  # noqa: E731
    return _fit(model.parameters(), prior, 160, 1e-5)


def convolution_and_head() -> list[float]:
    """A linear classifier of features that share their weights between places."""
    model = nn.Sequential(nn.Conv2d(1, 4, 5, stride=2), nn.Flatten(), nn.Linear(4 * 6 * 6, 3))
    return _fit(model.parameters(), lambda: F.cross_entropy(model(torch.randn(16, 1, 16, 16)), torch.randint(3, (16,))))


class TwoViews(nn.Module):
    """One batch norm layer normalizes a map and, pooled, a few values."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 8, 1)
        self.norm, self.head = nn.BatchNorm2d(8), nn.Linear(8, 3)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        maps = self.norm(self.first(images)).relu()
        pooled = self.norm(self.second(maps.mean((2, 3), keepdim=True))).relu()
        return self.head(self.norm(self.second(pooled)).flatten(1))


def batch_norm_used_again() -> list[float]:
    model = TwoViews()
    return _fit(model.parameters(), lambda: F.cross_entropy(model(torch.randn(4, 1, 8, 8)), torch.randint(3, (4,))), 24)


def frozen_backbone_accumulated_in_bfloat16() -> list[float]:
    backbone = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU()).requires_grad_(False).eval()
    head = nn.Linear(8, 3)
    optimizer = torch.optim.AdamW(head.parameters())
    losses = []
    for step in range(24):
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(head(backbone(torch.randn(8, 6))), torch.randint(3, (8,))) / 4
        loss.backward()
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def masked_language_model() -> list[float]:
    words, head = nn.Embedding(50, 16), nn.Linear(16, 50)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1)

    def loss() -> torch.Tensor:
        tokens, masked = torch.randint(1, 50, (4, 12)), torch.rand(4, 12) < 0.15
        logits = head(encoder(words(tokens.masked_fill(masked, 0))))
        return F.cross_entropy(logits.flatten(0, 1), tokens.masked_fill(~masked, -100).flatten())

    return _fit([*words.parameters(), *encoder.parameters(), *head.parameters()], loss)


def translation() -> list[float]:
    words, head, model = nn.Embedding(50, 16), nn.Linear(16, 50), nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
    mask = model.generate_square_subsequent_mask(8)

    def loss() -> torch.Tensor:
        source, target = torch.randint(50, (4, 12)), torch.randint(50, (4, 9))
        logits = head(model(words(source), words(target[:, :-1]), tgt_mask=mask))
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())

    return _fit([*words.parameters(), *model.parameters(), *head.parameters()], loss)


def compiled() -> list[float]:
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
    run = torch.compile(model, backend="aot_eager")
    return _fit(model.parameters(), lambda: F.cross_entropy(run(torch.randn(16, 6)), torch.randint(3, (16,))))


def gradients_per_sample() -> list[float]:
    """Values of tensors inside of `vmap` cannot be read."""
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1), []

    def loss(parameters: dict[str, torch.Tensor], sample: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(torch.func.functional_call(model, parameters, (sample[None],)), label[None])

    of_samples = torch.vmap(torch.func.grad_and_value(loss), in_dims=(None, 0, 0), randomness="different")
    for _ in range(12):
        samples, labels = torch.randn(16, 6), torch.randint(3, (16,))
        gradients, values = of_samples(dict(model.named_parameters()), samples, labels)
        for name, parameter in model.named_parameters():
            parameter.grad = gradients[name].mean(dim=0)
        optimizer.step()
        losses.append(values.mean().item())
    return losses


def scaled_float16() -> list[float]:
    model, scaler = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)), torch.amp.GradScaler("cpu")
    optimizer, losses = torch.optim.AdamW(model.parameters()), []
    for _ in range(24):
        with torch.autocast("cpu", torch.float16):
            loss = F.cross_entropy(model(torch.randn(16, 6)), torch.randint(3, (16,)))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


def _epochs(model: nn.Module, loader: Any, parameters: Any = None, epochs: int = 3) -> list[float]:
    """Training and validation in turn, with one scheduler step per epoch."""
    optimizer = torch.optim.SGD(parameters or model.parameters(), lr=0.05, momentum=0.9)
    scheduler, losses = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs), []
    for _ in range(epochs):
        model.train()
        for batch, labels in loader:
            loss = F.cross_entropy(model(batch), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        model.eval()
        with torch.no_grad():
            losses += [F.cross_entropy(model(batch), labels).item() for batch, labels in loader]
    return losses


def _classifier() -> nn.Sequential:
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))


def _classes(shift: float = 0.0) -> Any:
    labels = torch.randint(3, (64,))
    return TensorDataset(torch.randn(64, 6) + shift + labels[:, None], labels)


def continual_learning() -> list[float]:
    model, first = _classifier(), DataLoader(_classes(), 16, shuffle=True)
    losses = _epochs(model, first) + _epochs(model, DataLoader(_classes(2.0), 16, shuffle=True))
    with torch.no_grad():  # the loss that remains on the first task
        return losses + [F.cross_entropy(model(batch), labels).item() for batch, labels in first]


def frozen_backbone_in_training_mode() -> list[float]:
    model = _classifier()
    model[:2].requires_grad_(False)
    return _epochs(model, DataLoader(_classes(), 16, shuffle=True), model[4].parameters())


def moving_average() -> list[float]:
    model, loader = _classifier(), DataLoader(_classes(), 16, shuffle=True)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
    optimizer, losses = torch.optim.AdamW(model.parameters()), []
    for _ in range(4):
        for batch, labels in loader:
            loss = F.cross_entropy(model(batch), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update_parameters(model)
        average.eval()
        with torch.no_grad():
            losses += [F.cross_entropy(average(batch), labels).item() for batch, labels in loader]
    return losses


class Stream(IterableDataset[Any]):
    """A data set of which each worker yields a part."""

    def __init__(self) -> None:
        self.samples = list(_classes())

    def __iter__(self) -> Iterator[Any]:
        worker = get_worker_info()
        return iter(self.samples if worker is None else self.samples[worker.id :: worker.num_workers])


def workers() -> list[float]:
    model = _classifier()
    losses = _epochs(model, DataLoader(_classes(), 16, shuffle=True, num_workers=2, persistent_workers=True))
    return losses + _epochs(model, DataLoader(Stream(), 16, num_workers=2))


def _train_rank(seed: int) -> list[float]:
    torch.manual_seed(seed)
    data, model = _classes(), nn.parallel.DistributedDataParallel(_classifier())
    sampler: DistributedSampler[Any] = DistributedSampler(data)
    loader = DataLoader(data, 8, sampler=sampler)
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.05), []
    for epoch in range(3):
        sampler.set_epoch(epoch)
        model.train()
        for batch, labels in loader:
            loss = F.cross_entropy(model(batch), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            total = torch.stack([F.cross_entropy(model(batch), labels) for batch, labels in loader]).sum()
        torch.distributed.all_reduce(total)
        losses += [loss.item(), total.item()]
    return losses


def rank_of_two(rank: int, store: str) -> list[float]:
    """The program of each of two ranks, with three seeds; the test starts both."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    losses = [loss for seed in range(3) for loss in _train_rank(seed)]
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return losses


def lightning() -> list[float]:
    import lightning as L

    class Module(L.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = _classifier()
            self.losses: list[float] = []

        def training_step(self, batch: Any, n: int) -> torch.Tensor:
            loss = F.cross_entropy(self.model(batch[0]), batch[1])
            self.losses.append(loss.item())
            return loss

        def validation_step(self, batch: Any, n: int) -> None:
            self.losses.append(F.cross_entropy(self.model(batch[0]), batch[1]).item())

        def configure_optimizers(self) -> Any:
            optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
            return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]

    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    trainer = L.Trainer(max_epochs=3, accelerator="cpu", enable_model_summary=False, gradient_clip_val=1.0, **quiet)
    module = Module()
    trainer.fit(module, DataLoader(_classes(), 16, shuffle=True), DataLoader(_classes(), 16))
    return module.losses


def transformers() -> list[float]:
    from transformers import Trainer, TrainingArguments

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = _classifier()

        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            logits = self.model(inputs)
            return {"loss": F.cross_entropy(logits, labels), "logits": logits}

    data = [{"inputs": batch, "labels": labels} for batch, labels in _classes()]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, num_train_epochs=3, per_device_train_batch_size=8, gradient_accumulation_steps=2, use_cpu=True,
            learning_rate=1e-2, eval_strategy="epoch", save_strategy="no", logging_steps=1, report_to=[],
            disable_tqdm=True, seed=torch.initial_seed(),
        )  # fmt: skip
        trainer = Trainer(Model(), arguments, train_dataset=data, eval_dataset=data)
        trainer.train()
        history = trainer.state.log_history
    return [row[name] for row in history for name in ("loss", "eval_loss") if name in row]


# Named after packages that the guide does not need.
WITH_PACKAGES: list[Program] = [lightning, transformers]
PROGRAMS: list[Program] = [
    ppo, wgan_gp, maml, sharpness_aware, lbfgs_on_batches, distillation, mixture_of_experts, contrastive,
    deep_image_prior, frozen_backbone_accumulated_in_bfloat16, masked_language_model, translation, compiled,
    scaled_float16, continual_learning, frozen_backbone_in_training_mode, moving_average,
    gradients_per_sample, labels_that_are_noise, outputs_without_inputs, convolution_and_head, batch_norm_used_again,
]  # fmt: skip
if hasattr(os, "fork"):
    PROGRAMS += [workers]
