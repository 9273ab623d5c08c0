"""Small healthy training runs, for which the snippets must report nothing.

Each `Recipe` has what a user has: a model, batches with something to learn, a loss, an optimizer with a usual learning
rate, and the user's own training step. `recipe.start(seed)` builds them. `test_watching.py` shows that all of them
learn. If a snippet raises an alarm here, it is wrong, unless the training run is shown to be faulty.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import torch
import torchvision
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from tests.snippets.models import Wired


def plain(training: Training, batch: Any) -> torch.Tensor:
    """The usual training step."""
    after = training.after
    training.model.train()
    training.optimizer.zero_grad()
    value = training.loss(training.model, batch)
    value.backward()
    if training.recipe.clips:
        nn.utils.clip_grad_norm_(training.model.parameters(), 1.0)
    training.optimizer.step()
    after()
    return value.detach()


@dataclass(frozen=True)
class Recipe:
    """How to start a training run.

    Attributes:
        build: makes the model; the random numbers are seeded.
        data: makes the batches: `(inputs, targets)`, where a tuple of inputs is several arguments, or one dict that is
            passed as `model(**batch)`.
        loss_fn: `loss_fn(output, targets)`, or `loss_fn(model, batch)` where `takes_model` is True. For a batch that is
            a dict, `targets` is the batch.
        make_optimizer: makes the optimizer of a model; the GAN has a tuple of two.
        step: the user's step, called with the training run and a batch.
        clips: whether `plain` clips gradients before `optimizer.step()`.
        after: makes the function that `plain` calls after the step, such as a scheduler's `step`.
        part: the part of the model that `loss_fn` trains: the discriminator of a GAN.
    """

    name: str
    build: Callable[[], nn.Module]
    data: Callable[[], Iterable[Any]]
    loss_fn: Callable[[Any, Any], torch.Tensor]
    make_optimizer: Callable[[Any], Any]
    step: Callable[[Training, Any], torch.Tensor] = plain
    clips: bool = False
    after: Callable[[Training], Callable[[], Any]] = lambda training: lambda: None
    takes_model: bool = False
    part: Callable[[Any], nn.Module] = lambda model: model

    def start(self, seed: int = 0) -> Training:
        """Model and batches for one seed."""
        torch.manual_seed(seed)
        batches = self.data()
        return Training(self, self.build(), batches)


@dataclass
class Training:
    """A started training run."""

    recipe: Recipe
    model: Any
    batches: Iterable[Any]
    steps: int = 0

    @property
    def part(self) -> nn.Module:
        """The part that `loss_fn` trains: the model, or a part of it."""
        return self.recipe.part(self.model)

    @cached_property
    def optimizer(self) -> Any:
        """Made on first use, when a lazy model has run a batch, as its documentation requires."""
        if any(nn.parameter.is_lazy(parameter) for parameter in self.model.parameters()):
            with torch.no_grad():
                self.model(next(iter(self.batches))[0])
        return self.recipe.make_optimizer(self.model)

    @cached_property
    def after(self) -> Callable[[], Any]:
        return self.recipe.after(self)

    def step(self, batch: Any) -> torch.Tensor:
        """The user's step: it trains `model` with `optimizer` and returns the loss."""
        self.steps += 1
        return self.recipe.step(self, batch)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        """`loss_fn` as a function of model and batch."""
        if self.recipe.takes_model:
            return self.recipe.loss_fn(model, batch)
        args, kwargs = self.arguments(batch)
        return self.recipe.loss_fn(model(*args, **kwargs), batch if isinstance(batch, Mapping) else batch[1])

    def arguments(self, batch: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the model for a batch."""
        if isinstance(batch, Mapping):
            return (), dict(batch)
        return (batch[0] if isinstance(batch[0], tuple) else (batch[0],)), {}

    def endless(self) -> Iterator[Any]:
        """The batches, repeated without end."""
        while True:
            yield from self.batches


# ---------------------------------------------------------------------------------------------------------------- data


def batches_of(*tensors: torch.Tensor, size: int = 16) -> list[Any]:
    return list(zip(*(tensor.split(size) for tensor in tensors), strict=True))


def pictures(number: int = 48, channels: int = 1, pixels: int = 16, classes: int = 4, size: int = 16) -> list[Any]:
    """Noisy copies of one smooth pattern per class, with mean 0 and standard deviation 1."""
    patterns = F.interpolate(torch.randn(classes, channels, 4, 4), size=pixels, mode="bilinear")
    labels = torch.randint(classes, (number,))
    images = patterns[labels] + 0.5 * torch.randn(number, channels, pixels, pixels)
    return batches_of((images - images.mean()) / images.std(), labels, size=size)


def clusters(number: int = 128) -> tuple[torch.Tensor, torch.Tensor]:
    """Points around one of four centers, (n, 20), and the class of each."""
    centers = torch.randn(4, 20)
    labels = torch.randint(4, (number,))
    return centers[labels] + 0.7 * torch.randn(number, 20), labels


def clustered(number: int = 128, size: int = 16) -> list[Any]:
    return batches_of(*clusters(number), size=size)


def loader() -> DataLoader:
    return DataLoader(TensorDataset(*clusters()), batch_size=16, shuffle=True)


def targets_of(target: Callable[[Any], Any], features: int, number: int = 128, size: int = 16) -> list[Any]:
    """Normally distributed features, and targets computed from them."""
    inputs = torch.randn(number, features)
    return batches_of(inputs, target(inputs), size=size)


def linear(inputs: torch.Tensor) -> torch.Tensor:
    return inputs @ torch.randn(20, 1) + 0.1 * torch.randn(len(inputs), 1)


def sentences(length: int = 9) -> torch.Tensor:
    """Every word is usually followed by the same one."""
    follows = torch.randperm(20)
    ids = torch.randint(20, (48, length))
    for place in range(1, length):
        usual = torch.rand(48) < 0.8
        ids[:, place] = torch.where(usual, follows[ids[:, place - 1]], ids[:, place])
    return ids


def next_words() -> list[Any]:
    ids = sentences()
    return batches_of(ids[:, :-1], ids[:, 1:])


def tagged_words() -> list[Any]:
    """A tag for each word; word 0 and label -100 are padding."""
    ids = sentences(length=10) + 1
    tags = torch.randint(4, (21,))[ids]
    padding = torch.arange(10) >= torch.randint(4, 11, (48, 1))
    return batches_of(ids.masked_fill(padding, 0), tags.masked_fill(padding, -100))


def documents() -> list[dict[str, torch.Tensor]]:
    """Each of three topics prefers some of the words."""
    labels = torch.randint(3, (48,))
    ids = torch.multinomial(torch.softmax(2 * torch.randn(3, 20), 1)[labels], 10, replacement=True)
    mask = (torch.arange(10) < torch.randint(6, 11, (48, 1))).long()
    names = ("input_ids", "attention_mask", "labels")
    return [dict(zip(names, batch, strict=True)) for batch in batches_of(ids * mask, mask, labels)]


def topics() -> list[Any]:
    return [(batch["input_ids"], batch["labels"]) for batch in documents()]


def signals() -> list[Any]:
    """Which of three frequencies a noisy signal has."""
    labels = torch.randint(3, (48,))
    time = torch.arange(8) / 8
    waves = torch.sin(6.28 * (labels[:, None] + 1) * time + 6.28 * torch.rand(48, 1)) + 0.2 * torch.randn(48, 8)
    return batches_of(torch.stack([waves, time.expand(48, 8)], 2), labels)


def surface() -> list[Any]:
    """Points of the plane and a smooth height of each, (n, 2) and (n, 1)."""
    places = torch.rand(128, 2) * 2 - 1
    return batches_of(places, torch.sin(3 * places[:, :1]) * torch.cos(2 * places[:, 1:]))


def ring() -> list[Any]:
    """Points on a ring, and the noise for the generator."""
    angles = 6.28 * torch.rand(128)
    points = torch.stack([angles.cos(), angles.sin()], 1) + 0.05 * torch.randn(128, 2)
    return batches_of(points, torch.randn(128, 4))


def squares(kinds: dict[int, float], side: int) -> list[Any]:
    """Noise with one square of each kind, and the class of every pixel."""
    images, labels = 0.3 * torch.randn(24, 1, 16, 16), torch.zeros(24, 16, 16, dtype=torch.long)
    for number in range(24):
        for kind, value in kinds.items():
            x, y = torch.randint(0, 16 - side, (2,)).tolist()
            images[number, 0, y : y + side, x : x + side] += value
            labels[number, y : y + side, x : x + side] = kind
    return batches_of(images, labels, size=8)


def detection() -> list[Any]:
    """Two pictures a batch, each with a bright square (class 1) and a dark one (class 2)."""
    batches = []
    for _ in range(3):
        images, targets = [], []
        for width in (64, 48):
            image = 0.5 + 0.05 * torch.randn(3, 64, width)
            corners = torch.randint(2, width // 2 - 18, (2, 2)) + torch.tensor([[0, 0], [width // 2, 32]])
            boxes = torch.cat([corners, corners + torch.randint(12, 18, (2, 1))], 1)
            boxes[:, 2].clamp_(max=width)
            for (x0, y0, x1, y1), value in zip(boxes.tolist(), (0.95, 0.05), strict=True):
                image[:, y0:y1, x0:x1] = value
            images.append(image.clamp(0, 1))
            targets.append({"boxes": boxes.float(), "labels": torch.tensor([1, 2])})
        batches.append(((images, targets), targets))
    return batches


def two_targets() -> list[Any]:
    inputs, labels = clusters()
    return [(x, (y, z)) for x, y, z in batches_of(inputs, labels, inputs[:, :1] - inputs[:, 1:2])]


# -------------------------------------------------------------------------------------------------------------- models

conv = partial(nn.Conv2d, kernel_size=3, padding=1)


def mlp(inputs: int = 20, outputs: int = 4, width: int = 32, *between: nn.Module) -> nn.Sequential:
    """Two layers, with a ReLU or other layers `between` them."""
    return nn.Sequential(nn.Linear(inputs, width), *(between or (nn.ReLU(),)), nn.Linear(width, outputs))


def resnet() -> nn.Module:
    """torchvision's blocks in a narrow ResNet for 32 x 32 pixels."""
    block = torchvision.models.resnet.BasicBlock
    stem = [conv(3, 8, stride=2, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True), block(8, 8)]
    short = nn.Sequential(nn.Conv2d(8, 16, 1, stride=2, bias=False), nn.BatchNorm2d(16))
    return nn.Sequential(*stem, block(8, 16, 2, short), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


def vit() -> nn.Module:
    sizes = {"image_size": 32, "patch_size": 8, "hidden_dim": 24, "mlp_dim": 48, "num_classes": 10}
    return torchvision.models.VisionTransformer(num_layers=2, num_heads=2, **sizes)


def faster_rcnn() -> nn.Module:
    models = torchvision.models.detection
    backbone: Any = nn.Sequential(conv(3, 8, stride=4), nn.ReLU(), conv(8, 16, stride=2), nn.ReLU())
    backbone.out_channels = 16
    box_head, predictor = models.faster_rcnn.TwoMLPHead(16 * 9, 24), models.faster_rcnn.FastRCNNPredictor(24, 3)
    pool = torchvision.ops.MultiScaleRoIAlign(["0"], 3, 1)
    anchors = models.rpn.AnchorGenerator(((16, 32),), ((1.0,),))
    limits = {"rpn_pre_nms_top_n_train": 32, "rpn_post_nms_top_n_train": 16, "rpn_batch_size_per_image": 16}
    parts = {"rpn_anchor_generator": anchors, "box_roi_pool": pool, "box_head": box_head, "box_predictor": predictor}
    return models.FasterRCNN(backbone, min_size=64, max_size=64, box_batch_size_per_image=8, **parts, **limits)


def language_model() -> nn.Module:
    layers = {"embed": nn.Embedding(20, 16), "lstm": nn.LSTM(16, 32, batch_first=True), "head": nn.Linear(32, 20)}
    return Wired(lambda model, ids: model.head(model.lstm(model.embed(ids))[0]).transpose(1, 2), **layers)


def encoder() -> nn.Module:
    """A transformer encoder over words; the mean over the words is classified."""
    embed, layer = nn.Embedding(20, 16), nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    layers = {"embed": embed, "layers": nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)}
    return Wired(lambda model, ids: model.head(model.layers(model.embed(ids)).mean(1)), **layers, head=nn.Linear(16, 3))


def recurrent() -> nn.Module:
    gru = nn.GRU(2, 24, num_layers=2, dropout=0.2, batch_first=True)
    return Wired(lambda model, waves: model.head(model.gru(waves)[0][:, -1]), gru=gru, head=nn.Linear(24, 3))


def gan() -> nn.Module:
    return Wired(None, generator=mlp(4, 2), discriminator=mlp(2, 1, 32, nn.LeakyReLU(0.2)))


@dataclass
class Output:
    """The output of Hugging Face models."""

    loss: torch.Tensor | None
    logits: torch.Tensor


def dict_model() -> nn.Module:
    """Takes `input_ids`, `attention_mask` and `labels`, and computes its loss itself."""

    def forward(model: Any, input_ids: Any, attention_mask: Any, labels: Any = None) -> Output:
        mask = attention_mask.unsqueeze(2)
        pooled = (model.embed(input_ids) * mask).sum(1) / mask.sum(1)
        logits = model.classifier(model.drop(model.norm(pooled)))
        return Output(None if labels is None else F.cross_entropy(logits, labels), logits)

    layers = {"embed": nn.Embedding(20, 16), "norm": nn.LayerNorm(16), "drop": nn.Dropout(0.1)}
    return Wired(forward, **layers, classifier=nn.Linear(16, 3))


def tied() -> nn.Module:
    """Predicts the next word with the weights of the embedding."""

    def forward(model: Any, ids: torch.Tensor) -> torch.Tensor:
        features = model.embed(ids)
        return model.head(features + model.hidden(features).relu()).transpose(1, 2)

    model = Wired(forward, embed=nn.Embedding(20, 16), hidden=nn.Linear(16, 16), head=nn.Linear(16, 20, bias=False))
    nn.init.normal_(model.embed.weight, std=0.1)
    model.head.weight = model.embed.weight
    return model


class Frozen(nn.Sequential):
    """A part that is not trained and keeps its running statistics."""

    def train(self, mode: bool = True) -> Frozen:
        return super().train(False)


def frozen_backbone() -> nn.Module:
    backbone = Frozen(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU())
    return nn.Sequential(backbone.requires_grad_(False), nn.Linear(64, 4)).train()


def weight_normed() -> nn.Module:
    norm = nn.utils.weight_norm
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, and in many published models
        body = norm(nn.Conv1d(2, 16, 3, padding=1)), nn.ReLU(), nn.AdaptiveAvgPool1d(3), nn.Flatten()
        return nn.Sequential(*body, norm(nn.Linear(48, 3)))


def caching() -> nn.Module:
    """Keeps its features for a plot."""

    def forward(model: Any, inputs: torch.Tensor) -> torch.Tensor:
        model.features = model.body(inputs)
        return model.head(model.features)

    model = Wired(forward, body=nn.Sequential(nn.Linear(20, 32), nn.ReLU()), head=nn.Linear(32, 4))
    model(torch.randn(2, 20))  # to print the shapes first
    return model


def functional_dropout() -> nn.Module:
    layers = {"hidden": nn.Linear(20, 64), "head": nn.Linear(64, 4)}
    return Wired(lambda model, x: model.head(F.dropout(model.hidden(x).relu(), 0.2, model.training)), **layers)


def tagger() -> nn.Module:
    embed, hidden = nn.Embedding(21, 16, padding_idx=0), nn.Conv1d(16, 24, 3, padding=1)
    layers = {"embed": embed, "hidden": hidden, "head": nn.Conv1d(24, 4, 1)}
    return Wired(lambda model, ids: model.head(model.hidden(model.embed(ids).transpose(1, 2)).relu()), **layers)


def cnn() -> nn.Module:
    first = conv(1, 8), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
    second = conv(8, 16), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1)
    return nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(16, 4))


def segmentation() -> nn.Module:
    return nn.Sequential(conv(1, 8), nn.ReLU(), conv(8, 8), nn.ReLU(), nn.Conv2d(8, 3, 1))


def lazy() -> nn.Module:
    return nn.Sequential(nn.LazyConv2d(8, 3), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(), nn.LazyLinear(4))


def causal_transformer() -> nn.Module:
    """A small GPT: a mask of -inf hides later words, and the blocks are recomputed in the backward pass."""

    def forward(model: Any, ids: torch.Tensor) -> torch.Tensor:
        features = model.embed(ids) + model.place
        features = torch.utils.checkpoint.checkpoint(model.block, features, model.mask, use_reentrant=False)
        return model.head(features).transpose(1, 2)

    embed, place = nn.Embedding(20, 16), nn.Parameter(0.02 * torch.randn(8, 16))
    block = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=True)
    mask = nn.Buffer(nn.Transformer.generate_square_subsequent_mask(8))
    return Wired(forward, embed=embed, place=place, block=block, head=nn.Linear(16, 20), mask=mask)


def zero_initialized() -> nn.Module:
    """Residual branches that start at zero, as in ReZero, Fixup and LoRA."""

    def forward(model: Any, features: torch.Tensor) -> torch.Tensor:
        features = model.stem(features).relu()
        for branch in model.branches:
            features = features + branch(features)
        return model.head(features)

    stem, branches = nn.Linear(20, 32), nn.ModuleList(mlp(32, 32) for _ in range(2))
    for parameter in (*branches[0][2].parameters(), *branches[1][2].parameters()):
        nn.init.zeros_(parameter)
    return Wired(forward, stem=stem, branches=branches, head=nn.Linear(32, 4))


def two_heads() -> nn.Module:
    """Predicts a class and a number from the same features."""
    body = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
    layers = {"body": body, "kind": nn.Linear(32, 4), "size": nn.Linear(32, 1)}
    return Wired(lambda model, x: (model.kind(model.body(x)), model.size(model.body(x))), **layers)


# ---------------------------------------------------------------------------------------------- losses and optimizers

cross_entropy, mse, bce = nn.CrossEntropyLoss(), nn.MSELoss(), nn.BCEWithLogitsLoss()


def real_or_not(scores: torch.Tensor, real: bool) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(scores, torch.full_like(scores, float(real)))


def discriminator_loss(discriminator: nn.Module, batch: Any) -> torch.Tensor:
    """The loss for real points and points of an untrained generator, which are noise around the center."""
    real, noise = batch
    return real_or_not(discriminator(real), True) + real_or_not(discriminator(0.2 * noise[:, :2]), False)


def autocast_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.cross_entropy(model(batch[0]), batch[1])


def loss_of_both(output: Any, targets: Any) -> torch.Tensor:
    return cross_entropy(output[0], targets[0]) + mse(output[1], targets[1])


def optimizer(kind: Callable[..., Any], rate: float = 1e-3, *options: float) -> Callable[[nn.Module], Any]:
    return lambda model: kind([p for p in model.parameters() if p.requires_grad], rate, *options)


adam, adamw, sgd = (partial(optimizer, kind) for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD))
discriminator_of = attrgetter("discriminator")


def two_adams(model: Any) -> tuple[torch.optim.Optimizer, ...]:
    parts = (model.generator, model.discriminator)
    return tuple(torch.optim.Adam(part.parameters(), lr=2e-4, betas=(0.5, 0.999)) for part in parts)


# --------------------------------------------------------------------------------------------------------------- steps


def gan_step(training: Training, batch: Any) -> torch.Tensor:
    generator, discriminator = training.model.train().generator, training.model.discriminator
    of_generator, of_discriminator = training.optimizer
    real, noise = batch
    made = generator(noise)
    of_discriminator.zero_grad()
    found = real_or_not(discriminator(real), True) + real_or_not(discriminator(made.detach()), False)
    found.backward()
    of_discriminator.step()
    of_generator.zero_grad()
    fooled = real_or_not(discriminator(made), True)
    fooled.backward()
    of_generator.step()
    return (found + fooled).detach()


def zero_grad_at_the_end(training: Training, batch: Any) -> torch.Tensor:
    value = training.loss(training.model, batch)
    value.backward()
    training.optimizer.step()
    training.optimizer.zero_grad()
    return value.detach()


def accumulating_step(training: Training, batch: Any) -> torch.Tensor:
    """Makes an optimizer step after every fourth batch."""
    training.model.train()
    value = training.loss(training.model, batch)
    (value / 4).backward()
    if training.steps % 4 == 0:
        training.optimizer.step()
        training.optimizer.zero_grad()
    return value.detach()


def micro_batch_step(training: Training, batch: Any) -> torch.Tensor:
    """Splits every batch into four micro-batches."""
    training.model.train()
    training.optimizer.zero_grad()
    total = torch.zeros(())
    for part in zip(*(tensor.chunk(4) for tensor in batch), strict=True):
        value = training.loss(training.model, part) / 4
        value.backward()
        total += value.detach()
    training.optimizer.step()
    return total


scaler = torch.amp.GradScaler("cpu", enabled=False)


def scaled_step(training: Training, batch: Any) -> torch.Tensor:
    training.model.train()
    training.optimizer.zero_grad()
    value = training.loss(training.model, batch)
    scaler.scale(value).backward()
    scaler.unscale_(training.optimizer)
    nn.utils.clip_grad_norm_(training.model.parameters(), 1.0)
    scaler.step(training.optimizer)
    scaler.update()
    return value.detach()


def warm_up(training: Training) -> Callable[[], Any]:
    """Starts at a learning rate of 0, as in Hugging Face's Trainer; then linear decay."""
    scheduler = torch.optim.lr_scheduler
    return scheduler.LambdaLR(training.optimizer, lambda done: min(done / 5, (200 - done) / 195)).step


# --------------------------------------------------------------------------------------------------------- the recipes

small = partial(pictures, 24, 3, 32, 10, 8)
lognormal = partial(targets_of, lambda x: (x[:, :1] + 0.5 * x[:, 1:2]).exp(), 8)  # prices: few are large
years = partial(targets_of, lambda x: 2000 + 10 * x[:, :1] - 5 * x[:, 1:2] + torch.randn(128, 1), 5)
noisy_classes = partial(targets_of, lambda x: (linear(x) + torch.randn(128, 1) > 0).float(), 20)
RECIPES = [
    Recipe("mlp", mlp, clustered, cross_entropy, adam()),
    Recipe("dataloader", mlp, loader, cross_entropy, sgd(0.1)),
    Recipe("resnet", resnet, small, cross_entropy, sgd(0.05, 0.9)),
    Recipe("vit", vit, small, cross_entropy, adamw()),
    Recipe("faster_rcnn", faster_rcnn, detection, lambda losses, _: sum(losses.values()), sgd(0.01, 0.9)),
    Recipe("lstm_language_model", language_model, next_words, cross_entropy, adam(3e-3)),
    Recipe("transformer_encoder", encoder, topics, cross_entropy, adamw()),
    Recipe("gru", recurrent, signals, cross_entropy, adam(3e-3), clips=True),
    Recipe("gan", gan, ring, discriminator_loss, two_adams, gan_step, takes_model=True, part=discriminator_of),
    Recipe("dict_inputs", dict_model, documents, lambda output, batch: output.loss, adamw(3e-3)),
    Recipe("tied_weights", tied, next_words, cross_entropy, adamw(3e-3)),
    Recipe("frozen_backbone", frozen_backbone, clustered, cross_entropy, adam(1e-2)),
    Recipe("linear_regression", lambda: nn.Linear(20, 1), partial(targets_of, linear, 20, 512, 8), mse, sgd(0.01)),
    Recipe("lognormal_targets", lambda: mlp(8, 1), lognormal, mse, adam(3e-3)),
    Recipe("targets_near_2000", lambda: nn.Linear(5, 1), years, mse, sgd(0.05)),
    Recipe("logistic_regression", lambda: nn.Linear(20, 1), noisy_classes, bce, sgd(0.1)),
    Recipe("batch_norm_cnn", cnn, pictures, cross_entropy, adam(1e-3)),
    Recipe("autocast_bfloat16", mlp, clustered, autocast_loss, adam(), takes_model=True),
    Recipe("compiled", lambda: torch.compile(mlp(), backend="eager"), clustered, cross_entropy, adam()),
    Recipe("lazy_layers", lazy, pictures, cross_entropy, adam(3e-3)),
    Recipe("weight_norm", weight_normed, lambda: [(x.mT, y) for x, y in signals()], cross_entropy, adam(3e-3)),
    Recipe("caching_model", caching, clustered, cross_entropy, adam()),
    Recipe("functional_dropout", functional_dropout, clustered, cross_entropy, adam()),
    Recipe("padding", tagger, tagged_words, nn.CrossEntropyLoss(ignore_index=-100), adam(3e-3)),
    Recipe("accumulation_over_calls", mlp, clustered, cross_entropy, adam(3e-3), accumulating_step),
    Recipe("accumulation_in_a_call", mlp, clustered, cross_entropy, adam(), micro_batch_step),
    Recipe("clipping", lambda: mlp(20, 1), partial(targets_of, linear, 20), mse, sgd(0.05), clips=True),
    Recipe("scheduler", mlp, clustered, cross_entropy, adamw(3e-3), after=warm_up),
    Recipe("grad_scaler_disabled", mlp, clustered, cross_entropy, adam(), scaled_step),
    Recipe("segmentation", segmentation, partial(squares, {1: 2.0, 2: -2.0}, 6), cross_entropy, adam(3e-3)),
    Recipe("causal_transformer", causal_transformer, next_words, cross_entropy, adamw(3e-3)),
    Recipe("zero_initialized_branches", zero_initialized, clustered, cross_entropy, adam()),
    Recipe("two_heads", two_heads, two_targets, loss_of_both, adam(3e-3)),
    Recipe("label_smoothing", mlp, clustered, nn.CrossEntropyLoss(label_smoothing=0.1), adam()),
    Recipe("autoencoder", lambda: mlp(20, 20, 8), lambda: [(x, x) for x, _ in clustered()], mse, adam(3e-3)),
    Recipe("zero_grad_at_the_end", mlp, clustered, cross_entropy, sgd(0.1), zero_grad_at_the_end),
]
