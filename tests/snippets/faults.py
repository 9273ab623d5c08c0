"""Faults that raise no exception, each a small change of a healthy training.

The silent entries of the catalog are all here, with what else goes wrong unnoticed in a model, in data and in a
training step. `tests/snippets/table.py` says which snippet finds which.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

from tests.snippets.healthy import BY_NAME, Loss, Recipe, Step, clusters, mlp, patients, plain_step, step_of
from tests.snippets.models import Wired

# Where a fault is: what a snippet must be given to be able to find it.
BATCH = "batch"  # in every batch
DATA = "data"  # in some batches, or only visible in several
LOADING = "loading"
MODEL = "model"
LOSS = "loss"
STEP = "step"
OPTIMIZER = "optimizer"
RATE = "rate"
MEMORY = "memory"
VALIDATION = "validation"
GENERALIZATION = "generalization"
SEED = "seed"


@dataclass(frozen=True)
class Fault:
    """A recipe with something wrong.

    Attributes:
        place: where the fault is, one of the names above.
        healthy: the recipe that was changed.
        recipe: what became of it; has the fault's name.
        page: the id of the catalog's entry about it, or the name of a workflow.
    """

    place: str
    healthy: Recipe
    recipe: Recipe
    page: str

    @property
    def name(self) -> str:
        return self.recipe.name


def _fault(name: str, place: str, healthy: str, page: str, **changes: Any) -> Fault:
    base = BY_NAME[healthy]
    return Fault(place, base, dataclasses.replace(base, name=name, **changes), page)


# -------------------------------------------------------------------------------------------------------------- models


def _in_list() -> nn.Module:
    def forward(model: Any, places: torch.Tensor) -> torch.Tensor:
        for layer in model.hidden:
            places = layer(places).relu()
        return model.head(places)

    return Wired(forward, hidden=[nn.Linear(2, 32), nn.Linear(32, 32)], head=nn.Linear(32, 1))


def _detached() -> nn.Module:
    return Wired(
        lambda model, inputs: model.head(model.encoder(inputs).relu().detach()),
        encoder=nn.Linear(20, 32),
        head=nn.Linear(32, 4),
    )


def _replaced_head() -> nn.Module:
    """A frozen backbone and a last layer for 1000 classes, as before fine-tuning."""
    return Wired(
        lambda model, inputs: model.fc(model.backbone(inputs)),
        backbone=nn.Sequential(nn.Linear(20, 64), nn.ReLU()).requires_grad_(False),
        fc=nn.Linear(64, 1000),
    )


def _deep(gain: float) -> nn.Module:
    """Twenty layers whose default weights were multiplied by `gain`."""
    layers: list[nn.Module] = []
    for _ in range(20):
        linear = nn.Linear(20, 20)
        with torch.no_grad():
            linear.weight.mul_(gain)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(20, 4))


def _changed(change: Callable[[nn.Sequential], None], build: Callable[[], nn.Sequential] = mlp) -> Any:
    def made() -> nn.Module:
        model = build()
        with torch.no_grad():
            change(model)
        return model

    return made


def _constant(model: nn.Sequential) -> None:
    for parameter in model.parameters():
        parameter.fill_(0.1)


def _dead(model: nn.Sequential) -> None:
    model[0].bias.fill_(-100.0)


def _nan_weight(model: nn.Sequential) -> None:
    model[2].weight[1, 3] = torch.nan


def _unseeded() -> nn.Module:
    torch.seed()
    return mlp()


# ---------------------------------------------------------------------------------------------------------------- data


def _altered(name: str, change: Callable[[Any, Any], tuple[Any, Any]]) -> Callable[[], list[Any]]:
    """The batches of a healthy recipe, all changed in the same way."""
    return lambda: [change(*batch) for batch in BY_NAME[name].data()]


def _with(tensor: torch.Tensor, index: Any, value: float) -> torch.Tensor:
    tensor = tensor.clone()
    tensor[index] = value
    return tensor


def _one_bad_row(value: float) -> Callable[[], list[Any]]:
    """One value of the sixth of the batches."""

    def made() -> list[Any]:
        batches = list(BY_NAME["clipping"].data())
        inputs, targets = batches[5]
        batches[5] = _with(inputs, (3, 2), value), targets
        return batches

    return made


class _Samples(Dataset[Any]):
    """Inputs and labels, of which every sample takes `seconds` to read, as decoding would."""

    def __init__(self, number: int, repeats: int, seconds: float = 0.0) -> None:
        self.inputs, self.labels = clusters(number)
        self.repeats, self.seconds = repeats, seconds

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Any:
        """Counts modulo `repeats`: with the size of a batch, every batch is the first one."""
        time.sleep(self.seconds)
        return self.inputs[index % self.repeats], self.labels[index % self.repeats]


def _raw_units() -> list[Any]:
    """Area, rooms, year of construction and kilometres to the center; prices are standardized."""
    area, year, km = 30 + 170 * torch.rand(128), 1900 + 120 * torch.rand(128), 30 * torch.rand(128)
    rooms = torch.randint(1, 7, (128,))
    features = torch.stack([area, rooms, year, km], 1)
    prices = 4 * area + 15 * rooms + 0.5 * year - 3 * km - 0.05 * area * km + 10 * torch.randn(128)
    targets = ((prices - prices.mean()) / prices.std()).unsqueeze(1)
    return list(zip(features.split(16), targets.split(16), strict=True))


def _raw_audio() -> list[Any]:
    """16-bit audio with a low or a high tone."""
    labels = torch.randint(2, (128,))
    tones = torch.where(labels == 1, 40, 10) + 3 * torch.randn(128)
    times = torch.arange(512) / 512
    waves = torch.sin(6.28 * tones[:, None] * times + 6.28 * torch.rand(128, 1))
    recordings = (10_000 + 10_000 * torch.rand(128, 1)) * waves
    return list(zip(recordings.split(16), labels.split(16), strict=True))


def _float16_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    inputs, labels = batch
    with torch.autocast("cpu", dtype=torch.float16):
        return F.cross_entropy(model(inputs), labels)


# --------------------------------------------------------------------------------------------------------------- steps


def _stays_in_eval(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """A validation before the first epoch called eval(), and nothing calls train()."""
    model.eval()
    return step_of("zero_grad forward backward step")(model, optimizer, loss)


def _keeps_losses(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    history = []
    train = plain_step(model, optimizer, loss)

    def step(batch: Any) -> torch.Tensor:
        value = train(batch)
        history.append(loss(model, batch))
        return value

    return step


def _in_training_mode(model: nn.Module, loss: Loss, batches: list[Any]) -> float:
    with torch.no_grad():
        return sum(loss(model, batch).item() for batch in batches) / len(batches)


def _with_graph(model: nn.Module, loss: Loss, batches: list[Any]) -> float:
    model.eval()
    value = sum(loss(model, batch).item() for batch in batches) / len(batches)
    model.train()
    return value


# ---------------------------------------------------------------------------------------------------------- optimizers


def _head_only(model: Any) -> torch.optim.Optimizer:
    return torch.optim.Adam(model[2].parameters(), lr=1e-3)


def _before_the_new_head(model: Any) -> torch.optim.Optimizer:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(64, 4)
    return optimizer


def _rate(rate: float) -> Callable[[nn.Module], torch.optim.Optimizer]:
    return lambda model: torch.optim.SGD(model.parameters(), lr=rate)


FAULTS = [
    _fault("nan_in_data", DATA, "clipping", "nan-loss", data=_one_bad_row(torch.nan)),
    _fault(
        "outlier_in_data",
        DATA,
        "clipping",
        "gradient-explosion",
        data=_one_bad_row(65535.0),
        make_step=plain_step,
    ),
    _fault(
        "unscaled_inputs",
        BATCH,
        "smooth_regression",
        "unnormalized-inputs",
        data=_raw_units,
        build=lambda: mlp(4, 1),
    ),
    _fault(
        "shuffled_labels",
        DATA,
        "validated",
        "loss-does-not-fall",
        data=lambda: patients(0.5)[:16],
        held_out=lambda: patients(0.5)[16:],
    ),
    _fault("labels_out_of_range", BATCH, "mlp", "target-out-of-range", data=_altered("mlp", lambda x, y: (x, y + 1))),
    _fault(
        "identical_inputs",
        BATCH,
        "mlp",
        "loss-does-not-fall",
        data=_altered("mlp", lambda x, y: (x[:1].expand_as(x).contiguous(), y)),
    ),
    _fault(
        "one_repeated_batch",
        DATA,
        "mlp",
        "loss-does-not-fall",
        data=lambda: DataLoader(_Samples(128, repeats=16), batch_size=16),
    ),
    _fault(
        "slow_data",
        LOADING,
        "mlp",
        "slow-training",
        data=lambda: DataLoader(_Samples(64, repeats=64, seconds=0.01), batch_size=4),
    ),
    _fault("layers_in_list", MODEL, "smooth_regression", "layers-in-python-list", build=_in_list),
    _fault("detached_layer", MODEL, "mlp", "missing-gradients", build=_detached),
    _fault("dead_relus", MODEL, "mlp", "missing-gradients", build=_changed(_dead)),
    _fault("nan_weight", MODEL, "mlp", "loss-is-nan", build=_changed(_nan_weight)),
    _fault("constant_initialization", MODEL, "mlp", "loss-does-not-fall", build=_changed(_constant)),
    _fault("vanishing_gradients", MODEL, "mlp", "vanishing-gradient", build=lambda: _deep(1.0)),
    _fault("exploding_activations", MODEL, "mlp", "gradient-explosion", build=lambda: _deep(6.0)),
    _fault(
        "softmax_before_cross_entropy",
        MODEL,
        "mlp",
        "softmax-before-cross-entropy",
        build=lambda: mlp().append(nn.Softmax(dim=1)),
    ),
    _fault(
        "relu_on_the_output",
        MODEL,
        "smooth_regression",
        "loss-does-not-fall",
        build=lambda: mlp(2, 1).append(nn.ReLU()),
    ),
    _fault(
        "broadcast_loss",
        LOSS,
        "smooth_regression",
        "loss-target-broadcast-warning",
        data=lambda: [(x, y.squeeze(1)) for x, y in BY_NAME["smooth_regression"].data()],
        loss_fn=lambda output, targets: (output - targets).square().mean(),
    ),
    _fault(
        "float16_overflow",
        LOSS,
        "autocast_bfloat16",
        "fp16-overflow",
        data=_raw_audio,
        build=lambda: mlp(512, 2, 64),
        loss_fn=_float16_loss,
        make_optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=0.01),
    ),
    _fault(
        "missing_zero_grad", STEP, "clipping", "missing-zero-grad", make_step=step_of("train forward backward step")
    ),
    _fault(
        "zero_grad_after_backward",
        STEP,
        "mlp",
        "missing-zero-grad",
        make_step=step_of("train forward backward zero_grad step"),
    ),
    _fault("missing_backward", STEP, "mlp", "missing-gradients", make_step=step_of("train zero_grad forward step")),
    _fault("missing_step", STEP, "mlp", "loss-does-not-fall", make_step=step_of("train zero_grad forward backward")),
    _fault(
        "step_before_backward",
        STEP,
        "mlp",
        "loss-does-not-fall",
        make_step=step_of("train zero_grad forward step backward"),
    ),
    _fault(
        "clipping_after_step",
        STEP,
        "clipping",
        "gradient-explosion",
        make_step=step_of("train zero_grad forward backward step clip"),
    ),
    _fault(
        "clipping_before_backward",
        STEP,
        "clipping",
        "gradient-explosion",
        make_step=step_of("train zero_grad forward clip backward step"),
    ),
    _fault("stuck_in_eval_mode", STEP, "batch_norm_cnn", "missing-eval-mode", make_step=_stays_in_eval),
    _fault(
        "optimizer_without_some_parameters",
        OPTIMIZER,
        "mlp",
        "optimizer-stale-parameters",
        make_optimizer=_head_only,
    ),
    _fault(
        "optimizer_made_too_early",
        OPTIMIZER,
        "mlp",
        "optimizer-stale-parameters",
        build=_replaced_head,
        make_optimizer=_before_the_new_head,
    ),
    _fault("learning_rate_too_high", RATE, "linear_regression", "learning-rate-too-high", make_optimizer=_rate(1.0)),
    _fault("learning_rate_too_low", RATE, "linear_regression", "learning-rate-too-low", make_optimizer=_rate(1e-6)),
    _fault("graph_kept_every_step", MEMORY, "mlp", "retained-graph-leak", make_step=_keeps_losses),
    _fault(
        "validation_without_no_grad",
        VALIDATION,
        "validated",
        "missing-no-grad",
        evaluate=_with_graph,
    ),
    _fault(
        "validation_in_training_mode",
        VALIDATION,
        "validated",
        "missing-eval-mode",
        evaluate=_in_training_mode,
    ),
    _fault(
        "overfitting",
        GENERALIZATION,
        "validated",
        "overfitting",
        build=lambda: mlp(10, 1, 256),
        data=lambda: patients(0.15)[:6],
        held_out=lambda: patients(0.15)[16:],
        make_optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
    ),
    _fault("no_seed", SEED, "mlp", "missing-seed", build=_unseeded),
]
