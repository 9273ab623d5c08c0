"""Confirmations in programs that are not their entries': they run, find no fault in a right one, and leave no trace.

Readers replace what a line marked `# your` assigns and nothing else, so a block may not assume what a batch is, how the
model is called, or what it returns.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import pytest
import torch
from torch import nn

from tests.guide import CATALOG
from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import SYSTEMS
from torch_errors.markdown.parsing import Fence, parse_page
from torch_errors.verifying.confirming import confirmation_source, replaced_names, used_names, verdict_of

# What the programs below define: a confirmation that asks for no more must run in all of them.
GIVEN = {"model", "batch", "call", "output_of", "loss_of", "step", "loss", "optimizer", "loader"}
# Entries whose confirmation is about an object that these programs do not have.
ABOUT_OTHERS = {"ddp-static-graph-changed": "a model in DDP"}
# Confirmations that are right to say yes in these programs.
TRUE = {
    "attention-mask-inverted": "their attention has no mask",
    "dynamo-graph-break": "torch.compile does not enter an LSTM",
    "gradient-checkpointing": "no layer is checkpointed",
    "learning-rate-too-low": "twenty steps are few",
}
# Names of functions of the reader's that train or evaluate: what these leave behind is the reader's.
OWN = {"epoch_of_training", "evaluate", "run", "some_batches", "step", "train", "train_step"}
# What other confirmations, which run or change the model, ask for, as functions of the names of a program.
ASKED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "accidental-outer-product": lambda p: {"train": p["step"]},
    "accumulation-not-scaled": lambda p: {"whole": lambda: p["loss_of"](p["model"]), "scale": 1.0},
    "attention-mask-inverted": lambda p: {
        "embedding": p["model"].embedding,
        "padding": p["batch"]["ids"] < 1,
        "output": lambda: p["logits_in"](p["call"]()),
    },
    "batchnorm-channel-mismatch": lambda p: {"layer": p["model"].norm, "features": 16},
    "cat-size-mismatch": lambda p: {"dims": {1}},
    "class-imbalance": lambda p: {
        "samples": p["batch"],
        "truth": p["batch"]["labels"],
        "call": lambda: p["logits_in"](p["output_of"](p["model"])),
    },
    "clip-after-step": lambda p: {"run": p["step"], "limit": 1.0},
    "clip-before-unscale": lambda p: {"run": p["step"], "limit": 1.0, "used": torch.amp.GradScaler("cpu")},
    "conv-channel-mismatch": lambda p: {"raw": None},
    "dataset-mutated-in-place": lambda p: {"data": p["loader"].dataset},
    "dead-relu": lambda p: {"samples": p["batch"]},
    "detached-branch": lambda p: {"compute": lambda: p["loss_of"](p["model"])},
    "dynamo-backend-failed": lambda p: {"backend": "eager"},
    "expected-nd-input": lambda p: {"single": False},
    "fp16-gradient-underflow": lambda p: {"run": lambda: p["loss_of"](p["model"]), "scale": 1.0},
    "fp16-overflow": lambda p: {"snapshot": p["model"], "batch": p["batch"]["ages"], "dtype": torch.float16},
    "frozen-batchnorm-updates": lambda p: {"epoch_of_training": p["step"]},
    "fully-masked-softmax": lambda p: {"run": lambda: p["loss_of"](p["model"]).detach()},
    "gradient-checkpointing": lambda p: {"run": p["call"], "blocks": list(p["model"].children())},
    "hook-keeps-activations": lambda p: {"run": p["step"]},
    "inplace-modified": lambda p: {"compute": lambda: p["loss_of"](p["model"])},
    "layer-never-called": lambda p: {"loss_of": partial(p["loss_of"], p["model"])},
    "layers-in-python-list": lambda p: {"outputs": p["logits_in"](p["call"]())},
    "learning-rate-too-high": lambda p: {"fresh": type(p["model"])()},
    "learning-rate-too-low": lambda p: {"fresh": type(p["model"])(), "steps": 20},
    "log-of-zero": lambda p: {"run": lambda: p["loss_of"](p["model"]).detach()},
    "lr-scheduler-order": lambda p: {"scheduler": p["scheduler"], "some_batches": p["epoch"]},
    "missing-no-grad": lambda p: {"run": torch.no_grad()(p["call"])},
    "missing-seed": lambda p: {"run": p["seeded_run"]},
    "missing-zero-grad": lambda p: {"train": p["step"]},
    "nondeterministic-algorithm": lambda p: {"train_step": p["step"]},
    "packed-lengths-not-sorted": lambda p: {"line": p["call"]},
    "parameter-assigned-tensor": lambda p: {"again": p["call"]},
    "per-sample-inference": lambda p: {"evaluate": p["call"]},
    "sdpa-no-kernel": lambda p: {"attend": p["call"]},
    "softmax-overflow": lambda p: {"run": lambda: p["loss_of"](p["model"]).detach()},
    "tiny-batch-batchnorm": lambda p: {"one": p["batch"]},
    "uint8-not-scaled": lambda p: {"given": p["batch"]},
    "zero-grad-before-step": lambda p: {"train": p["step"]},
    "zero-std-normalization": lambda p: {"run": lambda: p["loss_of"](p["model"]).detach()},
}
# These train a copy of the model for some hundred steps, which takes seconds.
TRAINED = {"excessive-weight-decay", "learning-rate-too-high", "learning-rate-too-low"}
# These are asked about a model that is being evaluated.
EVALUATED = {"missing-eval-mode"}


class Reader(nn.Module):
    """A model with the layers that most confirmations look at, from (N, 12) ids and (N, 2) ages to (N, 5) logits."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.conv = nn.Conv1d(16, 16, 3, padding=1)
        self.norm = nn.BatchNorm1d(16)
        self.activation = nn.ReLU()
        self.pool = nn.MaxPool1d(2)
        self.rnn = nn.LSTM(16, 16, batch_first=True)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.layer_norm = nn.LayerNorm(16)
        self.dropout = nn.Dropout()
        self.head = nn.Linear(18, 5)

    def read(self, ids: torch.Tensor, ages: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.embedding(ids).transpose(1, 2)
        x = self.pool(self.activation(self.norm(self.conv(x)))).transpose(1, 2)
        x = self.rnn(x)[0]
        x = self.layer_norm(x + self.attention(x, x, x)[0])
        x = torch.cat([self.dropout(x).mean(1), ages], dim=1)
        return self.head(x), x


class TakesDict(Reader):
    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.read(batch["ids"], batch["ages"])[0]


class TakesKeywords(Reader):
    def forward(self, ids: torch.Tensor, *, ages: torch.Tensor) -> torch.Tensor:
        return self.read(ids, ages)[0]


class ReturnsDict(Reader):
    def forward(self, ids: torch.Tensor, ages: torch.Tensor) -> dict[str, torch.Tensor]:
        logits, hidden = self.read(ids, ages)
        return {"logits": logits, "hidden": hidden}


class ReturnsTuple(Reader):
    def forward(self, ids: torch.Tensor, ages: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.read(ids, ages)


# How each of them is called, and where the logits are in what it returns.
PROGRAMS: dict[type[Reader], tuple[Callable[..., Any], Callable[[Any], torch.Tensor]]] = {
    TakesDict: (lambda model, batch: model(batch), lambda out: out),
    TakesKeywords: (lambda model, batch: model(batch["ids"], ages=batch["ages"]), lambda out: out),
    ReturnsDict: (lambda model, batch: model(batch["ids"], batch["ages"]), lambda out: out["logits"]),
    ReturnsTuple: (lambda model, batch: model(batch["ids"], batch["ages"]), lambda out: out[0]),
}


def program(kind: type[Reader]) -> dict[str, Any]:
    """The names of a right program in the middle of its training, between two steps."""
    torch.manual_seed(0)
    samples = [
        {"ids": torch.randint(40, (12,)), "ages": torch.randn(2), "labels": torch.randint(5, ())} for _ in range(16)
    ]
    loader: Any = torch.utils.data.DataLoader(samples, batch_size=8)
    batch = next(iter(loader))
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    run, logits_in = PROGRAMS[kind]

    def output_of(model: nn.Module) -> Any:
        return run(model, batch)

    def loss_of(model: nn.Module) -> torch.Tensor:
        return nn.functional.cross_entropy(logits_in(output_of(model)), batch["labels"])

    def step() -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1000)

    def epoch() -> None:
        step()
        scheduler.step()

    def seeded_run() -> list[float]:
        torch.manual_seed(0)
        trained = kind()
        return [float(loss_of(trained).detach()) for _ in range(2)]

    epoch()
    names = {"torch": torch, "nn": nn, "model": model, "batch": batch, "optimizer": optimizer, "loader": loader}
    names |= {"scheduler": scheduler, "epoch": epoch, "seeded_run": seeded_run, "logits_in": logits_in}
    names |= {"output_of": output_of, "loss_of": loss_of, "step": step, "call": lambda: output_of(model)}
    return names | {"loss": loss_of(model)}


def confirmations() -> Iterator[tuple[Entry, Fence]]:
    """The confirmations that ask for nothing that these programs lack, and for something that they have."""
    for entry in CATALOG:
        fence = parse_page(entry.page).confirmation
        if (
            fence is None
            or "no-run" in fence.attributes
            or {"cuda", "mps", "xpu"} & {*entry.requires}
            or not all(map(find_spec, {*entry.requires} - {*SYSTEMS}))  # packages that are not installed
            or entry.id in ABOUT_OTHERS
        ):
            continue
        if entry.id in ASKED or (replaced_names(fence) <= GIVEN and used_names(fence) & GIVEN):
            yield entry, fence


RUNNING = {entry.id: (entry, fence) for entry, fence in confirmations()}


def each_in_each() -> Iterator[Any]:
    """Each confirmation in the first of the programs, and in each of the others where the suite is exhaustive."""
    for id in RUNNING:
        for kind in PROGRAMS:
            slow = kind is not TakesDict or id in TRAINED
            yield pytest.param(id, kind, marks=[pytest.mark.exhaustive] * slow, id=f"{id}-{kind.__name__}")


def ask(fence: Fence, names: dict[str, Any]) -> str:
    """What a confirmation prints in a program with these names."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(confirmation_source(fence, of_case=True), "confirmation", "exec"), names)
    return output.getvalue()


@pytest.mark.parametrize(("id", "kind"), list(each_in_each()))
def test_it_finds_no_fault_and_leaves_no_trace(id: str, kind: type[Reader]) -> None:
    entry, fence = RUNNING[id]
    names = program(kind)
    names["model"].train(id not in EVALUATED)
    ran = count_runs(names)
    names |= ASKED[id](names) if id in ASKED else {}
    ran.clear()
    before = traces(names)
    verdict = verdict_of(ask(fence, names)) or "nothing"
    after = traces(names)
    assert verdict.startswith(("no", "cannot tell", "yes") if id in TRUE else ("no", "cannot tell")), verdict
    # A forward pass for a silent failure leaves nothing; after an exception, nothing goes on in any case.
    usual = entry.kind != "silent" or replaced_names(fence) & OWN
    as_usual = traces(repeated(program(kind), ran)) if usual else before
    left = [name for name in before if after[name] not in (before[name], as_usual[name] if name in OF_STEPS else None)]
    assert left == []


# What a training step or a forward pass changes.
OF_STEPS = {"buffers", "gradients", "random state", "weights"}
RUN_BY_READER = ("call", "output_of", "loss_of", "step", "epoch")


def count_runs(names: dict[str, Any]) -> list[str]:
    """Wrap the reader's functions in `names`, so that the list gets the name of each that is run on the model."""
    ran: list[str] = []
    model = names["model"]

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            if not args or args[0] is model:
                ran.append(name)
            return function(*args) if name.endswith("_of") else function()

        return run

    names.update({name: counted(name, names[name]) for name in RUN_BY_READER})
    return ran


def repeated(names: dict[str, Any], ran: list[str]) -> dict[str, Any]:
    """The program after its own functions have run, as a confirmation ran them."""
    for name in ran:
        names[name](*([names["model"]] if name.endswith("_of") else []))
    return names


def traces(names: dict[str, Any]) -> dict[str, Any]:
    """All that a confirmation could change, in values that can be compared."""
    model, optimizer, loader = names["model"], names["optimizer"], names["loader"]
    modules, tensors = list(model.modules()), [*model.parameters(), *model.buffers()]
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    of_all = [f"_global{kind}" for kind in kinds[:3]]
    of_tensors = ("_backward_hooks", "_post_accumulate_grad_hooks")
    of_steps = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
    return {
        "mode": [module.training for module in modules],
        "attributes": [sorted(name for name in vars(module) if name[0] != "_") for module in modules],
        "hooks of modules": [list(getattr(module, kind)) for module in modules for kind in kinds],
        "hooks of all modules": [list(getattr(nn.modules.module, kind)) for kind in of_all],
        "hooks of tensors": [list(getattr(tensor, kind) or ()) for tensor in tensors for kind in of_tensors],
        "hooks of the optimizer": [list(getattr(optimizer, kind)) for kind in of_steps],
        "requires_grad": [tensor.requires_grad for tensor in tensors],
        "gradients": [None if tensor.grad is None else tensor.grad.tolist() for tensor in tensors],
        "weights": [tensor.tolist() for tensor in model.parameters()],
        "buffers": [tensor.tolist() for tensor in model.buffers()],
        "attributes of the scheduler": sorted(vars(names["scheduler"])),
        "groups of the optimizer": [{**group, "params": len(group["params"])} for group in optimizer.param_groups],
        "loader": (loader.num_workers, loader.timeout),
        "random state": (torch.get_rng_state().tolist(), random.getstate()),
        "settings": (torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_anomaly_enabled()),
        "determinism": torch.are_deterministic_algorithms_enabled(),
        "environment": dict(os.environ),
        "classes": (nn.Module.__setattr__, nn.functional.scaled_dot_product_attention),
    }
