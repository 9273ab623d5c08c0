"""Faults that raise no exception, each a small change of a healthy training.

The silent entries of the catalog are all here, with what else goes wrong unnoticed in a model, in data and in a
training step. `tests/snippets/table.py` says which snippet finds which.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.snippets.healthy import BY_NAME, Loss, Recipe, Step, _clusters, _mlp


@dataclass(frozen=True)
class Fault:
    """A recipe with something wrong.

    Attributes:
        healthy: the recipe that was changed.
        recipe: what became of it; has the fault's name.
        entry: the id of the catalog's entry about it, or the file name of a workflow.
    """

    healthy: Recipe
    recipe: Recipe
    entry: str

    @property
    def name(self) -> str:
        return self.recipe.name


def _fault(name: str, healthy: str, entry: str, **changes: Any) -> Fault:
    base = BY_NAME[healthy]
    return Fault(base, dataclasses.replace(base, name=name, **changes), entry)


# -------------------------------------------------------------------------------------------------------------- models


class InList(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = [nn.Linear(2, 32), nn.Linear(32, 32)]
        self.head = nn.Linear(32, 1)

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        for layer in self.hidden:
            places = layer(places).relu()
        return self.head(places)


class Detached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(20, 32)
        self.head = nn.Linear(32, 4)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(inputs).relu().detach())


class ReplacedHead(nn.Module):
    """A frozen backbone and a last layer for 1000 classes, as before fine-tuning."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 64), nn.ReLU()).requires_grad_(False)
        self.fc = nn.Linear(64, 1000)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.fc(self.backbone(inputs))


def _deep(gain: float) -> nn.Module:
    """Twenty layers whose default weights were multiplied by `gain`."""
    layers: list[nn.Module] = []
    for _ in range(20):
        linear = nn.Linear(20, 20)
        with torch.no_grad():
            linear.weight.mul_(gain)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(20, 4))


def _changed(change: Callable[[nn.Sequential], None], build: Callable[[], nn.Sequential] = _mlp) -> Any:
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
    return _mlp()


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


def _shuffled() -> list[Any]:
    inputs, labels = _clusters()
    labels = labels[torch.randperm(len(labels))]
    return list(zip(inputs.split(16), labels.split(16), strict=True))


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
    labels = torch.randint(2, (64,))
    tones = torch.where(labels == 1, 40, 10) + 3 * torch.randn(64)
    times = torch.arange(256) / 256
    waves = torch.sin(6.28 * tones[:, None] * times + 6.28 * torch.rand(64, 1))
    recordings = (10_000 + 10_000 * torch.rand(64, 1)) * waves
    return list(zip(recordings.split(16), labels.split(16), strict=True))


def _float16_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    inputs, labels = batch
    with torch.autocast("cpu", dtype=torch.float16):
        return F.cross_entropy(model(inputs), labels)


# --------------------------------------------------------------------------------------------------------------- steps


def _no_zero_grad(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        value = loss(model, batch)
        value.backward()
        optimizer.step()
        return value.detach()

    return step


def _zero_grad_after_backward(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        value = loss(model, batch)
        value.backward()
        optimizer.zero_grad()
        optimizer.step()
        return value.detach()

    return step


def _no_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        value.backward()
        return value.detach()

    return step


def _no_backward(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        optimizer.step()
        return value.detach()

    return step


def _step_before_backward(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        optimizer.step()
        value.backward()
        return value.detach()

    return step


def _clip_after_step(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        value.backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        return value.detach()

    return step


def _clip_before_backward(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        value.backward()
        optimizer.step()
        return value.detach()

    return step


def _stays_in_eval(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    """A validation before the first epoch called eval(), and nothing calls train()."""
    model.eval()

    def step(batch: Any) -> torch.Tensor:
        optimizer.zero_grad()
        value = loss(model, batch)
        value.backward()
        optimizer.step()
        return value.detach()

    return step


def _keeps_losses(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
    history = []

    def step(batch: Any) -> torch.Tensor:
        model.train()
        optimizer.zero_grad()
        value = loss(model, batch)
        value.backward()
        optimizer.step()
        history.append(loss(model, batch))
        return value.detach()

    return step


def _validates(evaluate: Callable[[nn.Module, Loss, Any], Any]) -> Callable[[nn.Module, Any, Loss], Step]:
    """A step with a validation after every eighth batch."""

    def make(model: nn.Module, optimizer: Any, loss: Loss) -> Step:
        calls = itertools.count(1)

        def step(batch: Any) -> torch.Tensor:
            model.train()
            optimizer.zero_grad()
            value = loss(model, batch)
            value.backward()
            optimizer.step()
            if next(calls) % 8 == 0:
                evaluate(model, loss, batch)
            return value.detach()

        return step

    return make


def _in_training_mode(model: nn.Module, loss: Loss, batch: Any) -> float:
    with torch.no_grad():
        return loss(model, batch).item()


def _with_graph(model: nn.Module, loss: Loss, batch: Any) -> float:
    model.eval()
    return loss(model, batch).item()


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
    # In the data
    _fault("nan_in_data", "clipping", "nan-loss", data=_one_bad_row(torch.nan)),
    _fault(
        "outlier_in_data",
        "clipping",
        "gradient-explosion",
        data=_one_bad_row(65535.0),
        make_step=BY_NAME["mlp"].make_step,
    ),
    _fault("unscaled_inputs", "smooth_regression", "unnormalized-inputs", data=_raw_units, build=lambda: _mlp(4, 1)),
    _fault("shuffled_labels", "mlp", "loss-does-not-fall", data=_shuffled),
    _fault("labels_out_of_range", "mlp", "target-out-of-range", data=_altered("mlp", lambda x, y: (x, y + 1))),
    _fault(
        "identical_inputs",
        "mlp",
        "loss-does-not-fall",
        data=_altered("mlp", lambda x, y: (x[:1].expand_as(x).contiguous(), y)),
    ),
    _fault("one_repeated_batch", "mlp", "loss-does-not-fall", data=lambda: [next(iter(BY_NAME["mlp"].data()))] * 8),
    # In the model
    _fault("layers_in_list", "smooth_regression", "layers-in-python-list", build=InList),
    _fault("detached_layer", "mlp", "missing-gradients", build=Detached),
    _fault("dead_relus", "mlp", "missing-gradients", build=_changed(_dead)),
    _fault("nan_weight", "mlp", "loss-is-nan", build=_changed(_nan_weight)),
    _fault("constant_initialization", "mlp", "loss-does-not-fall", build=_changed(_constant)),
    _fault("vanishing_gradients", "mlp", "vanishing-gradient", build=lambda: _deep(1.0)),
    _fault("exploding_activations", "mlp", "gradient-explosion", build=lambda: _deep(6.0)),
    _fault(
        "softmax_before_cross_entropy",
        "mlp",
        "softmax-before-cross-entropy",
        build=lambda: _mlp().append(nn.Softmax(dim=1)),
    ),
    _fault("relu_on_the_output", "smooth_regression", "loss-does-not-fall", build=lambda: _mlp(2, 1).append(nn.ReLU())),
    # In the loss
    _fault(
        "broadcast_loss",
        "smooth_regression",
        "mse-broadcast-warning",
        data=lambda: [(x, y.squeeze(1)) for x, y in BY_NAME["smooth_regression"].data()],
        loss_fn=lambda output, targets: (output - targets).square().mean(),
    ),
    _fault(
        "float16_overflow",
        "autocast_bfloat16",
        "fp16-overflow",
        data=_raw_audio,
        build=lambda: _mlp(256, 2),
        loss_fn=_float16_loss,
    ),
    # In the step
    _fault("missing_zero_grad", "clipping", "missing-zero-grad", make_step=_no_zero_grad),
    _fault("zero_grad_after_backward", "mlp", "missing-zero-grad", make_step=_zero_grad_after_backward),
    _fault("missing_backward", "mlp", "missing-gradients", make_step=_no_backward),
    _fault("missing_step", "mlp", "loss-does-not-fall", make_step=_no_step),
    _fault("step_before_backward", "mlp", "loss-does-not-fall", make_step=_step_before_backward),
    _fault("clipping_after_step", "clipping", "gradient-explosion", make_step=_clip_after_step),
    _fault("clipping_before_backward", "clipping", "gradient-explosion", make_step=_clip_before_backward),
    _fault("stuck_in_eval_mode", "batch_norm_cnn", "missing-eval-mode", make_step=_stays_in_eval),
    # In the optimizer
    _fault("optimizer_without_some_parameters", "mlp", "optimizer-stale-parameters", make_optimizer=_head_only),
    _fault(
        "optimizer_made_too_early",
        "mlp",
        "optimizer-stale-parameters",
        build=ReplacedHead,
        make_optimizer=_before_the_new_head,
    ),
    _fault("learning_rate_too_high", "linear_regression", "learning-rate-too-high", make_optimizer=_rate(1.0)),
    _fault("learning_rate_too_low", "linear_regression", "learning-rate-too-low", make_optimizer=_rate(1e-6)),
    # Beside the training
    _fault("graph_kept_every_step", "mlp", "retained-graph-leak", make_step=_keeps_losses),
    _fault("validation_without_no_grad", "batch_norm_cnn", "missing-no-grad", make_step=_validates(_with_graph)),
    _fault(
        "validation_in_training_mode", "batch_norm_cnn", "missing-eval-mode", make_step=_validates(_in_training_mode)
    ),
    _fault("no_seed", "mlp", "missing-seed", build=_unseeded),
]
