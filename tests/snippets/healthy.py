"""Small healthy trainings, on which the snippets must stay silent.

Each `Recipe` is what a user has: a model, batches with something to learn, a loss, an optimizer with a usual learning
rate, and the user's own training step. `recipe.start(seed)` builds them. Every one of them trains: see
`test_healthy.py`. A snippet that raises an alarm here is wrong, unless the training is shown to be faulty.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
import torchvision
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from tests.snippets.models import Wired

# `(model, batch) -> loss`, whichever form the user's own loss has.
Loss = Callable[[nn.Module, Any], torch.Tensor]
Step = Callable[[Any], torch.Tensor]


def step_of(calls: str) -> Callable[[nn.Module, Any, Loss], Step]:
    """A training step that makes these calls in this order."""

    def made(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
        def step(batch: Any) -> torch.Tensor:
            for call in calls.split():
                if call == "train":
                    model.train()
                elif call == "zero_grad":
                    optimizer.zero_grad()
                elif call == "forward":
                    value = loss(model, batch)
                elif call == "backward":
                    value.backward()
                elif call == "clip":
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                else:
                    optimizer.step()
            return value.detach()

        return step

    return made


plain_step = step_of("train zero_grad forward backward step")
clipping_step = step_of("train zero_grad forward backward clip step")


def validation(model: nn.Module, loss: Loss, batches: list[Any]) -> float:
    """The usual validation."""
    model.eval()
    with torch.no_grad():
        value = sum(loss(model, batch).item() for batch in batches) / len(batches)
    model.train()
    return value


@dataclass(frozen=True)
class Recipe:
    """How to begin a training.

    Attributes:
        build: makes the model; the random numbers are seeded.
        data: makes the batches: `(inputs, targets)`, or one dict that is passed as `model(**batch)`.
        loss_fn: `loss_fn(output, targets)`, or `loss_fn(model, batch)` where `takes_model` is True. For a batch that is
            a dict, `targets` is the batch.
        make_optimizer: from the model; the GAN has two, in a tuple.
        make_step: from model, optimizer and loss to the user's step, which takes a batch.
        inputs: what the model is called with, from a batch that is no dict; several arguments in a tuple.
        part: the part of the model that `loss_fn` trains: the discriminator of a GAN.
        held_out: makes the batches for validation; the random numbers begin as for `data`.
        evaluate: the user's validation: `evaluate(model, loss, held_out)` gives the mean loss.
    """

    name: str
    build: Callable[[], nn.Module]
    data: Callable[[], Iterable[Any]]
    loss_fn: Callable[[Any, Any], torch.Tensor]
    make_optimizer: Callable[[nn.Module], Any]
    make_step: Callable[[nn.Module, Any, Loss], Step] = plain_step
    takes_model: bool = False
    inputs: Callable[[Any], Any] = field(default=lambda batch: batch[0])
    part: Callable[[Any], nn.Module] = field(default=lambda model: model)
    held_out: Callable[[], Iterable[Any]] | None = None
    evaluate: Callable[[nn.Module, Loss, list[Any]], float] = validation

    def start(self, seed: int = 0) -> Training:
        """Model and batches for one seed."""
        torch.manual_seed(seed)
        held_out = list(self.held_out()) if self.held_out else []
        torch.manual_seed(seed)
        batches = self.data()
        return Training(self, self.build(), batches, held_out)


@dataclass
class Training:
    """One training that has begun."""

    recipe: Recipe
    model: nn.Module
    batches: Iterable[Any]
    held_out: list[Any]

    @property
    def loss_fn(self) -> Callable[[Any, Any], torch.Tensor]:
        return self.recipe.loss_fn

    @property
    def part(self) -> nn.Module:
        """What `loss_fn` trains: the model, or one part of it."""
        return self.recipe.part(self.model)

    @cached_property
    def optimizer(self) -> Any:
        """Made when it is first asked for: a lazy model has run a batch by then, as its documentation wants."""
        if any(nn.parameter.is_lazy(parameter) for parameter in self.model.parameters()):
            with torch.no_grad():
                self.model(next(iter(self.batches))[0])
        return self.recipe.make_optimizer(self.model)

    @cached_property
    def step(self) -> Step:
        """The user's step: `step(batch)` trains `model` with `optimizer` and returns the loss."""
        return self.recipe.make_step(self.model, self.optimizer, self.loss)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        """`loss_fn` as a function of model and batch."""
        if self.recipe.takes_model:
            return self.loss_fn(model, batch)
        args, kwargs = self.arguments(batch)
        return self.loss_fn(model(*args, **kwargs), batch if isinstance(batch, Mapping) else batch[1])

    def arguments(self, batch: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What the model is called with for a batch."""
        if isinstance(batch, Mapping):
            return (), dict(batch)
        inputs = self.recipe.inputs(batch)
        return (tuple(inputs) if isinstance(inputs, list | tuple) else (inputs,)), {}

    def evaluate(self) -> float:
        """The user's validation on the batches that are held out."""
        return self.recipe.evaluate(self.model, self.loss, self.held_out)

    def endless(self) -> Iterator[Any]:
        """The batches, over and over."""
        while True:
            yield from self.batches


# ---------------------------------------------------------------------------------------------------------------- data


def batches_of(*tensors: torch.Tensor, size: int = 16) -> list[Any]:
    return list(zip(*(tensor.split(size) for tensor in tensors), strict=True))


def pictures(
    number: int = 48, channels: int = 3, size: int = 32, classes: int = 10
) -> tuple[torch.Tensor, torch.Tensor]:
    """Noisy copies of one smooth pattern per class, with mean 0 and standard deviation 1."""
    patterns = F.interpolate(torch.randn(classes, channels, 4, 4), size=size, mode="bilinear")
    labels = torch.randint(classes, (number,))
    images = patterns[labels] + 0.5 * torch.randn(number, channels, size, size)
    return (images - images.mean()) / images.std(), labels


def clusters(number: int = 128, features: int = 20, classes: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    """Points around one center per class, (n, features), and the class of each."""
    centers = torch.randn(classes, features)
    labels = torch.randint(classes, (number,))
    return centers[labels] + 0.7 * torch.randn(number, features), labels


def _sentences(number: int = 48, length: int = 9, words: int = 20) -> torch.Tensor:
    """Every word is usually followed by the same one."""
    follows = torch.randperm(words)
    ids = torch.randint(words, (number, length))
    for place in range(1, length):
        usual = torch.rand(number) < 0.8
        ids[:, place] = torch.where(usual, follows[ids[:, place - 1]], ids[:, place])
    return ids


def _next_words() -> list[Any]:
    ids = _sentences()
    return batches_of(ids[:, :-1], ids[:, 1:])


def _sequences() -> list[Any]:
    """Which of three frequencies a noisy signal has."""
    labels = torch.randint(3, (48,))
    time = torch.arange(8) / 8
    signals = torch.sin(6.28 * (labels[:, None] + 1) * time + 6.28 * torch.rand(48, 1)) + 0.2 * torch.randn(48, 8)
    return batches_of(torch.stack([signals, time.expand(48, 8)], 2), labels)


def surface(number: int = 128) -> tuple[torch.Tensor, torch.Tensor]:
    """Points of the plane and a smooth height of each, (n, 2) and (n, 1)."""
    places = torch.rand(number, 2) * 2 - 1
    return places, torch.sin(3 * places[:, :1]) * torch.cos(2 * places[:, 1:])


def _linear_data(number: int = 512, noise: float = 0.1) -> tuple[torch.Tensor, torch.Tensor]:
    features = torch.randn(number, 20)
    return features, features @ torch.randn(20, 1) + noise * torch.randn(number, 1)


# -------------------------------------------------------------------------------------------------------------- models


def mlp(inputs: int = 20, outputs: int = 4, width: int = 32) -> nn.Sequential:
    """Two layers."""
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, outputs))


def _resnet() -> nn.Module:
    """torchvision's blocks in a narrow ResNet for 32 x 32 pixels."""
    block = torchvision.models.resnet.BasicBlock

    def down(inputs: int, outputs: int) -> nn.Module:
        short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride=2, bias=False), nn.BatchNorm2d(outputs))
        return block(inputs, outputs, 2, short)

    stem = [nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True)]
    blocks = [block(8, 8), down(8, 16)]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


def _vit() -> nn.Module:
    return torchvision.models.VisionTransformer(
        image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=24, mlp_dim=48, num_classes=10
    )


def _faster_rcnn() -> nn.Module:
    detection = torchvision.models.detection
    backbone: Any = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=4, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU()
    )
    backbone.out_channels = 16
    return detection.FasterRCNN(
        backbone,
        min_size=64,
        max_size=64,
        rpn_anchor_generator=detection.rpn.AnchorGenerator(((16, 32),), ((1.0,),)),
        rpn_pre_nms_top_n_train=32,
        rpn_post_nms_top_n_train=16,
        rpn_batch_size_per_image=16,
        box_roi_pool=torchvision.ops.MultiScaleRoIAlign(["0"], 3, 1),
        box_head=detection.faster_rcnn.TwoMLPHead(16 * 9, 24),
        box_predictor=detection.faster_rcnn.FastRCNNPredictor(24, 3),
        box_batch_size_per_image=8,
    )


def _detection_data() -> list[Any]:
    """Two pictures a batch, each with a bright square (class 1) and a dark one (class 2)."""
    batches = []
    for _ in range(3):
        images, targets = [], []
        for width in (64, 48):
            image = 0.5 + 0.05 * torch.randn(3, 64, width)
            corners = torch.randint(2, width // 2 - 18, (2, 2)) + torch.tensor([[0, 0], [width // 2, 32]])
            sizes = torch.randint(12, 18, (2, 1))
            boxes = torch.cat([corners, corners + sizes], 1)
            boxes[:, 2].clamp_(max=width)
            for (x0, y0, x1, y1), value in zip(boxes.tolist(), (0.95, 0.05), strict=True):
                image[:, y0:y1, x0:x1] = value
            images.append(image.clamp(0, 1))
            targets.append({"boxes": boxes.float(), "labels": torch.tensor([1, 2])})
        batches.append((images, targets))
    return batches


def _language_model() -> nn.Module:
    return Wired(
        lambda model, ids: model.head(model.lstm(model.embed(ids))[0]).transpose(1, 2),  # (batch, words, length)
        embed=nn.Embedding(20, 16),
        lstm=nn.LSTM(16, 32, batch_first=True),
        head=nn.Linear(32, 20),
    )


def _encoder() -> nn.Module:
    """A transformer encoder over words; the mean over the words is classified."""
    embed = nn.Embedding(20, 16)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    return Wired(
        lambda model, ids: model.head(model.layers(model.embed(ids)).mean(1)),
        embed=embed,
        layers=nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        head=nn.Linear(16, 3),
    )


def _recurrent() -> nn.Module:
    return Wired(
        lambda model, signals: model.head(model.gru(signals)[0][:, -1]),
        gru=nn.GRU(2, 24, num_layers=2, dropout=0.2, batch_first=True),
        head=nn.Linear(24, 3),
    )


def _gan() -> nn.Module:
    return Wired(
        None,
        generator=nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2)),
        discriminator=nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)),
    )


def _ring() -> list[Any]:
    """Points on a ring, and the noise that the generator begins with."""
    angles = 6.28 * torch.rand(128)
    points = torch.stack([angles.cos(), angles.sin()], 1) + 0.05 * torch.randn(128, 2)
    return batches_of(points, torch.randn(128, 4))


def _real_or_not(scores: torch.Tensor, real: bool) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(scores, torch.full_like(scores, float(real)))


def _discriminator_loss(discriminator: nn.Module, batch: Any) -> torch.Tensor:
    """Of real points against points that an untrained generator would make: noise around the center."""
    real, noise = batch
    return _real_or_not(discriminator(real), True) + _real_or_not(discriminator(0.2 * noise[:, :2]), False)


def _gan_step(model: nn.Module, optimizers: Any, loss: Loss) -> Step:
    generator, discriminator = model.generator, model.discriminator
    of_generator, of_discriminator = optimizers

    def step(batch: Any) -> torch.Tensor:
        model.train()
        real, noise = batch
        made = generator(noise)
        of_discriminator.zero_grad()
        found = _real_or_not(discriminator(real), True) + _real_or_not(discriminator(made.detach()), False)
        found.backward()
        of_discriminator.step()
        of_generator.zero_grad()
        fooled = _real_or_not(discriminator(made), True)
        fooled.backward()
        of_generator.step()
        return (found + fooled).detach()

    return step


@dataclass
class Output:
    """What models of Hugging Face return."""

    loss: torch.Tensor | None
    logits: torch.Tensor


def _dict_model() -> nn.Module:
    """Takes `input_ids`, `attention_mask` and `labels`, and computes its loss itself."""

    def forward(model: Any, input_ids: Any, attention_mask: Any, labels: Any = None) -> Output:
        mask = attention_mask.unsqueeze(2)
        pooled = (model.embed(input_ids) * mask).sum(1) / mask.sum(1)
        logits = model.classifier(model.drop(model.norm(pooled)))
        return Output(None if labels is None else F.cross_entropy(logits, labels), logits)

    layers = {"embed": nn.Embedding(20, 16), "norm": nn.LayerNorm(16), "drop": nn.Dropout(0.1)}
    return Wired(forward, **layers, classifier=nn.Linear(16, 3))


def documents() -> list[dict[str, torch.Tensor]]:
    """Each of three topics prefers some of the words."""
    labels = torch.randint(3, (48,))
    ids = torch.multinomial(torch.softmax(2 * torch.randn(3, 20), 1)[labels], 10, replacement=True)
    mask = (torch.arange(10) < torch.randint(6, 11, (48, 1))).long()
    names = ("input_ids", "attention_mask", "labels")
    return [dict(zip(names, batch, strict=True)) for batch in batches_of(ids * mask, mask, labels)]


def _tied() -> nn.Module:
    """Predicts the next word with the weights of the embedding."""

    def forward(model: Any, ids: torch.Tensor) -> torch.Tensor:
        features = model.embed(ids)
        return model.head(features + model.hidden(features).relu()).transpose(1, 2)

    embed, hidden, head = nn.Embedding(20, 16), nn.Linear(16, 16), nn.Linear(16, 20, bias=False)
    nn.init.normal_(embed.weight, std=0.1)
    head.weight = embed.weight
    return Wired(forward, embed=embed, hidden=hidden, head=head)


class FrozenBackbone(nn.Module):
    """A backbone that is not trained, and keeps its running statistics, below a new head."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU())
        self.head = nn.Linear(64, 4)
        self.backbone.requires_grad_(False)
        self.train()

    def train(self, mode: bool = True) -> FrozenBackbone:
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.head(self.backbone(features))


def _autocast_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    inputs, labels = batch
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.cross_entropy(model(inputs), labels)


def _weight_normed() -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, and in many published models
        return nn.Sequential(
            nn.utils.weight_norm(nn.Conv1d(2, 16, 3, padding=1)),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(3),
            nn.Flatten(),
            nn.utils.weight_norm(nn.Linear(48, 3)),
        )


class Caching(nn.Module):
    """Keeps its features for a plot."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
        self.head = nn.Linear(32, 4)
        self.features = torch.zeros(0)
        self(torch.randn(2, 20))  # a first look at the shapes

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        self.features = self.body(inputs)
        return self.head(self.features)


def _functional_dropout() -> nn.Module:
    return Wired(
        lambda model, inputs: model.head(F.dropout(model.hidden(inputs).relu(), 0.2, model.training)),
        hidden=nn.Linear(20, 64),
        head=nn.Linear(64, 4),
    )


def _tagger() -> nn.Module:
    """A tag for each word; word 0 and label -100 are padding."""
    return Wired(
        lambda model, ids: model.head(model.hidden(model.embed(ids).transpose(1, 2)).relu()),
        embed=nn.Embedding(21, 16, padding_idx=0),
        hidden=nn.Conv1d(16, 24, 3, padding=1),
        head=nn.Conv1d(24, 4, 1),
    )


def _tagged() -> list[Any]:
    ids = _sentences(length=10) + 1
    tags = torch.randint(4, (21,))[ids]
    padding = torch.arange(10) >= torch.randint(4, 11, (48, 1))
    return batches_of(ids.masked_fill(padding, 0), tags.masked_fill(padding, -100))


def _cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 4),
    )


def _segmentation_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1)
    )


def _masks() -> list[Any]:
    """Background, bright square, dark square: the class of every pixel."""
    images, labels = 0.3 * torch.randn(24, 1, 16, 16), torch.zeros(24, 16, 16, dtype=torch.long)
    for number in range(24):
        for kind, value in ((1, 2.0), (2, -2.0)):
            x, y = torch.randint(0, 10, (2,)).tolist()
            images[number, 0, y : y + 6, x : x + 6] += value
            labels[number, y : y + 6, x : x + 6] = kind
    return batches_of(images, labels, size=8)


class CausalTransformer(nn.Module):
    """A small GPT: a mask of -inf hides the words to come, and the blocks are recomputed in the backward pass."""

    mask: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.place = nn.Parameter(0.02 * torch.randn(8, 16))
        self.block = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(16, 20)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(8))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        features = self.embed(ids) + self.place
        features = torch.utils.checkpoint.checkpoint(self.block, features, self.mask, use_reentrant=False)
        return self.head(features).transpose(1, 2)


def _zero_initialized() -> nn.Module:
    """Residual branches that begin at zero, as in ReZero, Fixup and LoRA."""

    def forward(model: Any, features: torch.Tensor) -> torch.Tensor:
        features = model.stem(features).relu()
        for branch in model.branches:
            features = features + branch(features)
        return model.head(features)

    stem = nn.Linear(20, 32)
    branches = nn.ModuleList(nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32)) for _ in range(2))
    for branch in branches:
        nn.init.zeros_(branch[2].weight)
        nn.init.zeros_(branch[2].bias)
    return Wired(forward, stem=stem, branches=branches, head=nn.Linear(32, 4))


def _two_heads() -> nn.Module:
    """A class and a number from the same features."""
    return Wired(
        lambda model, inputs: (model.kind(model.body(inputs)), model.size(model.body(inputs))),
        body=nn.Sequential(nn.Linear(20, 32), nn.ReLU()),
        kind=nn.Linear(32, 4),
        size=nn.Linear(32, 1),
    )


def _two_targets() -> list[Any]:
    inputs, labels = clusters()
    size = inputs[:, :1] - inputs[:, 1:2]
    return [(x, (y, z)) for x, y, z in batches_of(inputs, labels, size)]


# --------------------------------------------------------------------------------------------------------------- steps


def _closure_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """L-BFGS calls the model several times in one step."""

    def step(batch: Any) -> torch.Tensor:
        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            value = loss(model, batch)
            value.backward()
            return value

        model.train()
        return optimizer.step(closure).detach()

    return step


def _accumulating_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """Steps with every fourth batch."""
    calls = 0

    def step(batch: Any) -> torch.Tensor:
        nonlocal calls
        calls += 1
        model.train()
        value = loss(model, batch)
        (value / 4).backward()
        if calls % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        return value.detach()

    return step


def _micro_batch_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """Cuts every batch into four."""

    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        total = torch.zeros(())
        for part in zip(*(tensor.chunk(4) for tensor in batch), strict=True):
            value = loss(model, part) / 4
            value.backward()
            total += value.detach()
        optimizer.step()
        return total

    return step


def _scheduled_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """A warm-up that begins at a rate of 0, as that of Hugging Face's Trainer, then linear decay."""
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(done / 5, (200 - done) / 195))
    train = plain_step(model, optimizer, loss)

    def step(batch: Any) -> torch.Tensor:
        value = train(batch)
        scheduler.step()
        return value

    return step


def _scaled_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    scaler = torch.amp.GradScaler("cpu", enabled=False)

    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        scaler.scale(value).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return value.detach()

    return step


def _averaged_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """Keeps a moving average of the weights."""
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9), use_buffers=True
    )
    train = plain_step(model, optimizer, loss)

    def step(batch: Any) -> torch.Tensor:
        value = train(batch)
        average.update_parameters(model)
        return value

    return step


# --------------------------------------------------------------------------------------------------------- the recipes


def adam(rate: float = 1e-3) -> Callable[[nn.Module], torch.optim.Optimizer]:
    return lambda model: torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=rate)


def adamw(rate: float = 1e-3) -> Callable[[nn.Module], torch.optim.Optimizer]:
    return lambda model: torch.optim.AdamW(model.parameters(), lr=rate)


def sgd(rate: float, momentum: float = 0.0) -> Callable[[nn.Module], torch.optim.Optimizer]:
    return lambda model: torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum)


def _lognormal() -> list[Any]:
    """Prices: most are small, a few are large."""
    features = torch.randn(128, 8)
    return batches_of(features, (features[:, :1] + 0.5 * features[:, 1:2]).exp())


def _years() -> list[Any]:
    """The year in which something was built, from five features."""
    features = torch.randn(128, 5)
    return batches_of(features, 2000 + 10 * features[:, :1] - 5 * features[:, 1:2] + torch.randn(128, 1))


def patients(wrong: float = 0.0) -> list[Any]:
    """Ten lab values and a diagnosis, of which some are `wrong`: 256 patients to train with and 256 to validate."""
    values = torch.randn(512, 10)
    ill = values @ torch.randn(10, 1) > 0
    return batches_of(values, (ill ^ (torch.rand(512, 1) < wrong)).float())


def _noisy_classes() -> list[Any]:
    features, scores = _linear_data(128)
    return batches_of(features, (scores + torch.randn(128, 1) > 0).float())


def _ring_or_not() -> list[Any]:
    points = torch.rand(128, 2) * 4 - 2
    distance = points.norm(dim=1, keepdim=True)
    return batches_of(points, ((distance > 0.7) & (distance < 1.6)).float())


cross_entropy, mse, bce = nn.CrossEntropyLoss(), nn.MSELoss(), nn.BCEWithLogitsLoss()


def _loss_of_both(output: Any, targets: Any) -> torch.Tensor:
    return cross_entropy(output[0], targets[0]) + mse(output[1], targets[1])


def clustered() -> list[Any]:
    return batches_of(*clusters())


RECIPES = [
    Recipe("mlp", mlp, clustered, cross_entropy, adam()),
    Recipe(
        "validated",
        lambda: nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1)),
        lambda: patients()[:16],
        bce,
        adam(),
        held_out=lambda: patients()[16:],
    ),
    Recipe(
        "dataloader",
        mlp,
        lambda: DataLoader(TensorDataset(*clusters()), batch_size=16, shuffle=True),
        cross_entropy,
        sgd(0.1),
    ),
    Recipe("resnet", _resnet, lambda: batches_of(*pictures(24), size=8), cross_entropy, sgd(0.05, 0.9)),
    Recipe("vit", _vit, lambda: batches_of(*pictures(24), size=8), cross_entropy, adamw()),
    Recipe(
        "faster_rcnn",
        _faster_rcnn,
        _detection_data,
        lambda model, batch: sum(model(*batch).values()),
        sgd(0.01, 0.9),
        takes_model=True,
        inputs=tuple,
    ),
    Recipe("lstm_language_model", _language_model, _next_words, cross_entropy, adam(3e-3)),
    Recipe(
        "transformer_encoder",
        _encoder,
        lambda: [(batch["input_ids"], batch["labels"]) for batch in documents()],
        cross_entropy,
        adamw(),
    ),
    Recipe("gru", _recurrent, _sequences, cross_entropy, adam(3e-3), clipping_step),
    Recipe(
        "gan",
        _gan,
        _ring,
        _discriminator_loss,
        lambda model: tuple(
            torch.optim.Adam(part.parameters(), lr=2e-4, betas=(0.5, 0.999))
            for part in (model.generator, model.discriminator)
        ),
        _gan_step,
        takes_model=True,
        part=lambda model: model.discriminator,
    ),
    Recipe("dict_inputs", _dict_model, documents, lambda output, batch: output.loss, adamw(3e-3)),
    Recipe("tied_weights", _tied, _next_words, cross_entropy, adamw(3e-3)),
    Recipe("frozen_backbone", FrozenBackbone, clustered, cross_entropy, adam(1e-2)),
    Recipe("linear_regression", lambda: nn.Linear(20, 1), lambda: batches_of(*_linear_data(), size=8), mse, sgd(0.01)),
    Recipe("lognormal_targets", lambda: mlp(8, 1), _lognormal, mse, adam(3e-3)),
    Recipe("targets_near_2000", lambda: nn.Linear(5, 1), _years, mse, sgd(0.05)),
    Recipe("logistic_regression", lambda: nn.Linear(20, 1), _noisy_classes, bce, sgd(0.1)),
    Recipe(
        "binary_network",
        lambda: nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)),
        _ring_or_not,
        bce,
        adam(1e-2),
    ),
    Recipe("batch_norm_cnn", _cnn, lambda: batches_of(*pictures(48, 1, 16, 4), size=16), cross_entropy, adam(1e-3)),
    Recipe("autocast_bfloat16", mlp, clustered, _autocast_loss, adam(), takes_model=True),
    Recipe("compiled", lambda: torch.compile(mlp(), backend="eager"), clustered, cross_entropy, adam()),
    Recipe(
        "lazy_layers",
        lambda: nn.Sequential(nn.LazyConv2d(8, 3), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(), nn.LazyLinear(4)),
        lambda: batches_of(*pictures(48, 1, 16, 4)),
        cross_entropy,
        adam(3e-3),
    ),
    Recipe(
        "weight_norm",
        _weight_normed,
        lambda: [(signals.transpose(1, 2), labels) for signals, labels in _sequences()],
        cross_entropy,
        adam(3e-3),
    ),
    Recipe("caching_model", Caching, clustered, cross_entropy, adam()),
    Recipe("functional_dropout", _functional_dropout, clustered, cross_entropy, adam()),
    Recipe("padding", _tagger, _tagged, nn.CrossEntropyLoss(ignore_index=-100), adam(3e-3)),
    Recipe("accumulation_over_calls", mlp, clustered, cross_entropy, adam(3e-3), _accumulating_step),
    Recipe("accumulation_in_a_call", mlp, clustered, cross_entropy, adam(), _micro_batch_step),
    Recipe("clipping", lambda: mlp(20, 1), lambda: batches_of(*_linear_data(128)), mse, sgd(0.05), clipping_step),
    Recipe("scheduler", mlp, clustered, cross_entropy, adamw(3e-3), _scheduled_step),
    Recipe("grad_scaler_disabled", mlp, clustered, cross_entropy, adam(), _scaled_step),
    Recipe("averaged_weights", mlp, clustered, cross_entropy, adam(), _averaged_step),
    Recipe("segmentation", _segmentation_model, _masks, cross_entropy, adam(3e-3)),
    Recipe("causal_transformer", CausalTransformer, _next_words, cross_entropy, adamw(3e-3)),
    Recipe("zero_initialized_branches", _zero_initialized, clustered, cross_entropy, adam()),
    Recipe("two_heads", _two_heads, _two_targets, _loss_of_both, adam(3e-3)),
    Recipe("label_smoothing", mlp, clustered, nn.CrossEntropyLoss(label_smoothing=0.1), adam()),
    Recipe(
        "autoencoder",
        lambda: nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 20)),
        lambda: [(x, x) for x, _ in clustered()],
        mse,
        adam(3e-3),
    ),
    Recipe("zero_grad_at_the_end", mlp, clustered, cross_entropy, sgd(0.1), step_of("forward backward step zero_grad")),
    Recipe(
        "lbfgs",
        lambda: nn.Linear(20, 1),
        lambda: batches_of(*_linear_data(128), size=64),
        mse,
        lambda model: torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5),
        _closure_step,
    ),
    Recipe("smooth_regression", lambda: mlp(2, 1), lambda: batches_of(*surface()), mse, adam(1e-2)),
]

BY_NAME = {recipe.name: recipe for recipe in RECIPES}
