"""Verdicts of confirmations: yes, no, or that a program cannot tell."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest
import torch
from torch import nn

from tests.guide import CATALOG
from torch_errors.markdown.parsing import parse_page
from torch_errors.verifying.confirming import confirmation_source, verdict_of


class Poisoned(nn.Module):
    """Gives NaN for every input, as a training that has diverged does."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.relu, self.last = nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 3)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.last(self.relu(self.first(inputs.float() * torch.nan)))


class Collapsed(Poisoned):
    """Gives the same for every input."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.last(self.relu(self.first(torch.ones_like(inputs, dtype=torch.float))) * 0)


class WordByWord(nn.Module):
    """Gives (batch, length, 3) for token ids: all `value`, without regard to the words."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.embedding, self.value = nn.Embedding(40, 3), value

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.embedding(ids) * 0 + self.value


NAN = torch.nan
ROWS, CLASSES = torch.arange(24.0).reshape(4, 6), torch.tensor([0, 1, 2, 0])
WORDS = torch.arange(24).reshape(4, 6)


def weight(gradient: float | None) -> nn.Parameter:
    made = nn.Parameter(torch.ones(2, 2))
    made.grad = None if gradient is None else torch.full((2, 2), gradient)
    return made


def no_step(model: nn.Module) -> dict[str, Any]:
    """A training step that never updates the weights."""
    optimizer, step = torch.optim.SGD(model.parameters()), lambda: model(ROWS).sum().backward()
    return {
        "model": model,
        "optimizer": optimizer,
        "train": step,
        "run": step,
        "step": step,
        "limit": 1.0,
        "scale": 1.0,
    }


def loss_of(model: nn.Module) -> torch.Tensor:
    return nn.functional.cross_entropy(model(ROWS), CLASSES)


def trained(model: nn.Module) -> dict[str, Any]:
    """A model, its optimizer and its loss on one batch."""
    names = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "scale": 1.0, "steps": 3}
    names |= {"loss_of": loss_of, "fresh": type(model)(), "whole": lambda: loss_of(model), "size": 4}
    return names | {"compute": lambda: loss_of(model), "run": lambda: loss_of(model)}


def batch(model: nn.Module) -> dict[str, Any]:
    """A model and its call on one batch, under the names that pages give them."""
    names: dict[str, Any] = {"model": model, "call": lambda: model(ROWS), "forward": lambda net, x: net(x)}
    names |= {"snapshot": model, "output_of": lambda net: net(ROWS), "dtype": torch.float16}
    names |= dict.fromkeys(("batch", "inputs", "samples", "given", "other"), ROWS)
    return names | {"network": model, "exported": model, "truth": CLASSES, "batch_dim": 0}


def sentences(value: float) -> dict[str, Any]:
    model = WordByWord(value)
    names = {"model": model, "embedding": model.embedding, "predict": lambda: model(WORDS), "token_ids": WORDS}
    names |= {"output": lambda: model(WORDS), "padding": WORDS > 20, "ids": WORDS, "forward": model}
    return names | {"compute": lambda logits: logits.square().mean() * value}


def tokens(given: torch.Tensor, asked: torch.Tensor) -> dict[str, Any]:
    return {"given_tokens": given, "asked": asked}


# Programs that give no answer to the confirmation of a page, by its id.
WITHOUT_ANSWER: list[tuple[str, str, dict[str, Any]]] = [
    ("accumulation-not-scaled", "no step", trained(Poisoned()) | {"step": lambda: None}),
    ("activation-on-output", "NaN", {"outputs": Poisoned()(ROWS), "targets": ROWS[:, :3] / 30}),
    ("attention-mask-inverted", "no influence", sentences(1.0)),
    ("attention-mask-inverted", "NaN", sentences(NAN)),
    (
        "augmentation-breaks-label",
        "one answer for all",
        {"fit": lambda _: Collapsed(), "change": torch.relu, "pictures": ROWS, "classes": CLASSES},
    ),
    (
        "bad-initialization",
        "NaN",
        {"model": nn.Linear(3, 3).requires_grad_(True).apply(lambda m: m.weight.data.fill_(NAN))},
    ),
    ("batch-first-swapped", "one answer for all", batch(Collapsed())),
    ("batch-first-swapped", "NaN", batch(Poisoned())),
    ("causal-mask-missing", "no influence", sentences(1.0)),
    ("causal-mask-missing", "NaN", sentences(NAN)),
    ("class-imbalance", "NaN", batch(Poisoned())),
    ("class-imbalance", "one class", batch(Collapsed()) | {"truth": torch.zeros(4)}),
    ("clip-after-step", "no step", no_step(Collapsed())),
    ("constant-feature", "NaN", {"rows": ROWS, "scaled": ROWS * NAN}),
    (
        "data-leakage",
        "few values",
        {"train_data": [(torch.ones(2), 0)], "test_data": [(torch.ones(2), 0)], "field": lambda s: s[0]},
    ),
    ("ddp-module-bypassed", "NaN", {"checksums": [NAN, NAN]}),
    ("dead-relu", "NaN", batch(Poisoned())),
    ("dead-relu", "no ReLU", batch(nn.Linear(6, 3))),
    ("detached-branch", "NaN", trained(Poisoned())),
    ("double-normalization", "NaN", {"given": torch.full((2, 3, 4, 4), NAN)}),
    ("excessive-weight-decay", "NaN", trained(Poisoned())),
    ("forgot-shuffle", "one batch", {"labels": [CLASSES]}),
    ("forgot-shuffle", "one class", {"labels": [torch.zeros(4), torch.zeros(4)]}),
    ("fp16-gradient-underflow", "NaN", trained(Poisoned())),
    ("fp16-overflow", "NaN", batch(Poisoned())),
    ("functional-dropout-always-on", "NaN", batch(Poisoned())),
    ("gradcheck-failure", "NaN", {"f": lambda x: x * NAN, "args": (ROWS.double().requires_grad_(),)}),
    ("image-channels-bgr", "gray", dict.fromkeys(("one", "other"), torch.rand(1, 4, 4).expand(3, 4, 4))),
    ("image-channels-bgr", "one color", dict.fromkeys(("one", "other"), torch.ones(3, 4, 4))),
    ("jit-trace-control-flow", "NaN", batch(Poisoned())),
    ("labels-misaligned", "NaN", {"taken": [(ROWS * NAN, CLASSES)]}),
    ("labels-misaligned", "one target", {"taken": [(ROWS, torch.ones(4))]}),
    ("learning-rate-too-high", "NaN", trained(Poisoned())),
    ("learning-rate-too-low", "NaN", trained(Poisoned())),
    ("loss-sign-flipped", "NaN", {"loss": torch.tensor(NAN), "first": 1.0, "now": NAN}),
    (
        "loss-summed-not-averaged",
        "NaN",
        trained(Poisoned()) | {"compute": lambda x, y: x.sum() * NAN, "batch": ROWS, "target": CLASSES},
    ),
    (
        "metric-averaged-per-batch",
        "NaN",
        batch(Poisoned()) | {"batches": [(ROWS, CLASSES)], "metric": lambda x, y: x.mean(), "value": 1.0},
    ),
    ("missing-activation", "one answer for all", batch(Collapsed())),
    ("missing-activation", "NaN", batch(Poisoned())),
    ("missing-eval-mode", "NaN", batch(Poisoned())),
    ("missing-seed", "NaN", {"run": lambda: [NAN, NAN]}),
    ("missing-seed", "one number", {"run": lambda: [1.0, 1.0]}),
    ("missing-zero-grad", "no step", no_step(Collapsed())),
    (
        "noisy-labels",
        "NaN",
        {
            "samples": ROWS.repeat(10, 1),
            "given": CLASSES.repeat(10),
            "kept": torch.arange(40),
            "fit": lambda rows: Poisoned(),
            "relabel": lambda rows: CLASSES.repeat(10)[rows],
        },
    ),
    ("overfitting", "NaN", {"train_losses": [1.0, 0.5, 0.4], "val_losses": [1.0, NAN, NAN]}),
    ("padding-not-ignored", "NaN", sentences(NAN)),
    ("padding-not-ignored", "no padding", sentences(1.0) | {"padding": WORDS < 0}),
    ("positions-not-encoded", "NaN", sentences(NAN)),
    ("positions-not-encoded", "no influence", sentences(1.0)),
    ("softmax-before-cross-entropy", "NaN", {"outputs": Poisoned()(ROWS)}),
    ("softmax-wrong-dim", "NaN", {"scores": ROWS * NAN, "class_dim": 1}),
    (
        "squeeze-removes-batch",
        "NaN",
        {"metric": lambda x, y: x.mean() * NAN, "pair": (ROWS, ROWS)},
    ),
    ("state-dict-not-copied", "no weights", {"model": nn.ReLU(), "state": {}}),
    ("stuck-in-eval-mode", "NaN", batch(Poisoned())),
    ("target-not-scaled", "NaN", {"compared": ROWS * NAN}),
    ("targets-not-shifted", "no overlap", tokens(WORDS, torch.full_like(WORDS, -100))),
    ("targets-not-shifted", "one word", tokens(WORDS * 0, WORDS * 0)),
    ("uint8-not-scaled", "NaN", batch(Poisoned())),
    ("underfitting", "NaN", {"fit_with": lambda width: (None, NAN), "units": 4}),
    ("unnormalized-inputs", "NaN", batch(Poisoned())),
    ("validation-order-shuffled", "one class", {"handed_out": [(ROWS, CLASSES * 0)], "compared": CLASSES * 0}),
    ("validation-transform-differs", "NaN", {"train_images": ROWS, "val_images": ROWS * NAN}),
    ("validation-transform-differs", "one color", {"train_images": ROWS * 0, "val_images": ROWS * 0}),
    ("vanishing-gradient", "NaN", {"weights": [weight(NAN), weight(1.0)], "sequences": None}),
    ("vanishing-gradient", "no gradients", {"weights": [weight(None)], "sequences": None}),
    ("zero-grad-before-step", "no step", no_step(Collapsed())),
]


@pytest.mark.parametrize("id, names", [pytest.param(id, names, id=f"{id}: {why}") for id, why, names in WITHOUT_ANSWER])
def test_a_program_without_an_answer_cannot_tell(id: str, names: dict[str, Any]) -> None:
    assert (_verdict(id, names) or "").startswith("cannot tell")


def test_the_zeros_that_lora_starts_with_are_no_fault() -> None:
    model = nn.ParameterDict({"lora_A": nn.Parameter(torch.randn(2, 6)), "lora_B": nn.Parameter(torch.zeros(6, 2))})
    assert (_verdict("bad-initialization", {"model": model}) or "").startswith("no")
    model["head"] = nn.Parameter(torch.zeros(6, 2))
    assert (_verdict("bad-initialization", {"model": model}) or "").startswith("yes")


def test_comparing_with_eval_leaves_the_mode_and_the_random_state() -> None:
    model = nn.Sequential(nn.Linear(6, 4), nn.Dropout())
    before = torch.get_rng_state()
    names = {"model": model, "call": lambda: model(ROWS)}
    assert (_verdict("missing-eval-mode", names) or "").startswith("yes")
    assert torch.equal(torch.get_rng_state(), before)
    assert model.training and model[1].training


def _verdict(id: str, names: dict[str, Any]) -> str | None:
    """The verdict of an entry's confirmation in a program with these names."""
    fence = parse_page(CATALOG.entry(id).page).confirmation
    assert fence
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(confirmation_source(fence, of_case=True), id, "exec"), {"torch": torch, "nn": nn} | names)
    return verdict_of(output.getvalue())


@pytest.mark.parametrize(
    "output, verdict",
    [
        ("no, a\nyes, b\ncannot tell: c", "yes, b"),
        ("no, a\ncannot tell: c\n", "cannot tell: c"),
        ("a line\nno, a\nno, b", "no, a"),
        ("nothing\ncannot say", None),
    ],
)
def test_yes_goes_before_cannot_tell_before_no(output: str, verdict: str | None) -> None:
    assert verdict_of(output) == verdict
