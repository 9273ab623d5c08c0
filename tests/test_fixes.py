"""Errors that several mechanisms raise: `explain` names the fix of the right one, or all where words cannot tell.

Each case is a program that is run here.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable

import pytest
import torch
from torch import nn

from torch_errors.explaining.explain import Match, explain


def explained(program: Callable[[], object]) -> Match:
    """What `explain` says first of the exception or the warning of a program."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            program()
        except Exception:
            return explain(traceback.format_exc())[0]
    return explain("".join(warnings.formatwarning(w.message, w.category, w.filename, w.lineno) for w in caught))[0]


def after_step(
    critic: nn.Module, scores: Callable[[], torch.Tensor], optimizer: str = "SGD", **options: object
) -> None:
    """Two losses of one forward pass, and a step of the optimizer between their backward passes."""
    optimizer_of_critic = getattr(torch.optim, optimizer)(critic.parameters(), lr=0.1, **options)
    result = scores().square()
    result.mean().backward(retain_graph=True)
    optimizer_of_critic.step()
    (2 * result).mean().backward()


def rows(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, requires_grad=True)


def network(layer: nn.Module, *shape: int) -> tuple[nn.Module, Callable[[], torch.Tensor]]:
    inputs = rows(*shape)
    return layer, lambda: layer(inputs)


def recurrent(layer: nn.Module) -> tuple[nn.Module, Callable[[], torch.Tensor]]:
    inputs = rows(5, 2, 8)
    return layer, lambda: layer(inputs)[0]


def embedded() -> tuple[nn.Module, Callable[[], torch.Tensor]]:
    model = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 4))
    return model, lambda: model(torch.arange(6))


def slices(*shape: int) -> None:
    states = torch.zeros(4, *shape)
    cell = nn.Linear(shape[-1], shape[-1])
    for t in range(1, 4):
        states[t] = cell(states[t - 1]).sigmoid() * states[t - 1]
    states.sum().backward()


AFTER_STEP = {
    "linear": lambda: network(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)), 64, 8),
    "linear, three dimensions": lambda: network(nn.Linear(8, 16), 4, 64, 8),
    "convolution": lambda: network(nn.Sequential(nn.Conv2d(3, 8, 3), nn.Conv2d(8, 1, 3)), 2, 3, 8, 8),
    "transposed convolution": lambda: network(nn.ConvTranspose2d(3, 8, 3), 2, 3, 8, 8),
    "layer norm": lambda: network(nn.LayerNorm(8), 4, 8),
    "batch norm": lambda: network(nn.BatchNorm1d(8), 4, 8),
    "LSTM": lambda: recurrent(nn.LSTM(8, 16)),
    "RNN": lambda: recurrent(nn.RNN(8, 16)),
    "GRU": lambda: recurrent(nn.GRU(8, 16)),
    "embedding before a linear layer": embedded,
}


@pytest.mark.parametrize("name", AFTER_STEP)
@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW", "RMSprop"])
@pytest.mark.parametrize("foreach", [False, True])
def test_a_weight_that_the_optimizer_overwrote(name: str, optimizer: str, foreach: bool) -> None:
    model, scores = AFTER_STEP[name]()
    match = explained(lambda: after_step(model, scores, optimizer, foreach=foreach))
    assert match.id == "inplace-modified"
    assert match.fix and "`optimizer.step()`" in match.fix and "x += y" not in match.fix


@pytest.mark.parametrize("shape", [(64, 32), (4,), (2, 8, 4)])
def test_a_tensor_that_is_filled_slice_by_slice(shape: tuple[int, ...]) -> None:
    match = explained(lambda: slices(*shape))
    assert match.id == "inplace-modified" and match.fix and "`torch.stack`" in match.fix
    assert match.says and ("weight of a layer" in match.says) == (len(shape) == 2)  # a weight appears as a matrix


def test_a_message_that_was_cut() -> None:
    whole = "RuntimeError: one of the variables needed for gradient computation has been "
    whole += explained(lambda: slices(64, 32)).message
    assert explain(whole[: whole.index(", is at version")])[0].fix == explain(whole)[0].fix
    for end in (": [", " [", "]], which", "AsStrided"):
        fix = explain(whole[: whole.index(end)])[0].fix
        assert fix and "`optimizer.step()`" in fix


def relu_then_add() -> None:
    hidden = rows(4, 8).relu()
    hidden += 1
    hidden.sum().backward()


def on_meta(layer: Callable[..., nn.Module], *sizes: int) -> nn.Module:
    with torch.device("meta"):
        return layer(*sizes)


def nan(function: Callable[[torch.Tensor], torch.Tensor], *values: float) -> Callable[[], None]:
    def program() -> None:
        with torch.autograd.set_detect_anomaly(True):
            function(torch.tensor(values, requires_grad=True)).sum().backward()

    return program


def used_up() -> None:
    parameters = (parameter for parameter in nn.Linear(2, 2).parameters())
    torch.optim.SGD(parameters)
    torch.optim.Adam(parameters)


def two_heads() -> None:
    features = nn.Sequential(nn.Linear(4, 8), nn.ReLU())(rows(2, 4))
    features.sum().backward()
    features.mean().backward()


def skipped_step() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scaler = torch.amp.GradScaler("cpu", init_scale=3e38)
    scaler.scale(model(1e6 * torch.ones(4, 2)).square().sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()


def replaced_step() -> None:
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    step = optimizer.step
    optimizer.step = lambda: step()
    optimizer.step()
    scheduler.step()


def whole_checkpoint() -> None:
    model = nn.Linear(2, 2)
    model.load_state_dict({"epoch": 3, "state_dict": model.state_dict()})


FIXES: dict[str, tuple[Callable[[], object], str, str, str]] = {
    # program, entry, what the fix names, what it does not name
    "inplace after relu": (relu_then_add, "inplace-modified", "`x = x + y`", "torch.stack"),
    "meta linear": (lambda: on_meta(nn.Linear, 8, 4)(rows(2, 8)), "device-mismatch", "to_empty", "images"),
    "meta layer norm": (lambda: on_meta(nn.LayerNorm, 8)(rows(2, 8)), "device-mismatch", "to_empty", "images"),
    "meta batch norm": (lambda: on_meta(nn.BatchNorm1d, 8)(rows(2, 8)), "device-mismatch", "to_empty", "images"),
    "meta LSTM": (lambda: on_meta(nn.LSTM, 8, 4)(rows(3, 2, 8)), "device-mismatch", "to_empty", "images"),
    "meta attention": (
        lambda: on_meta(nn.MultiheadAttention, 8, 2)(*[rows(3, 2, 8)] * 3), "device-mismatch", "to_empty", "images"
    ),
    "meta input": (lambda: nn.Linear(8, 4)(rows(2, 8).to("meta")), "device-mismatch", "to_empty", "images"),
    "root of -1": (nan(torch.sqrt, -1.0), "anomaly-nan-in-backward", "below 0", "defined at this value"),
    "root of 0": (nan(lambda x: x.sqrt() * 0, 0.0), "anomaly-nan-in-backward", "clamp", "defined at this value"),
    "reciprocal root of -1": (nan(torch.rsqrt, -1.0), "anomaly-nan-in-backward", "below 0", "defined at this value"),
    "power of -1": (nan(lambda x: x**0.5, -1.0), "anomaly-nan-in-backward", "below 0", "defined at this value"),
    "log of -1, squared": (nan(lambda x: x.log() ** 2, -1.0), "anomaly-nan-in-backward", "negative", "at this value"),
    "x log x": (nan(lambda x: x * x.log(), 0.0), "anomaly-nan-in-backward", "logarithm", "defined at this value"),
    "0 / 0": (nan(lambda x: x / x, 0.0), "anomaly-nan-in-backward", "divisor", "defined at this value"),
    "std of one": (nan(torch.std, 1.0), "anomaly-nan-in-backward", "two values", "defined at this value"),
    "masked row": (
        nan(lambda x: x.masked_fill(x > 0, float("-inf")).softmax(0), 1.0, 2.0),
        "anomaly-nan-in-backward", "unmasked", "defined at this value",
    ),
    "acos of 2": (nan(torch.acos, 2.0), "anomaly-nan-in-backward", "normalize", "defined at this value"),
    "NaN weight": (
        nan(lambda x: x @ torch.tensor([float("nan"), 1.0]) * x, 1.0, 2.0),
        "anomaly-nan-in-backward", "isfinite", "defined at this value",
    ),
    "two losses": (two_heads, "backward-twice", "add them", "retain_graph"),
    "frozen model": (
        lambda: nn.Linear(2, 2).requires_grad_(False)(torch.ones(1, 2)).sum().backward(),
        "no-grad-fn", "frozen", "x += y",
    ),
    "generator used up": (used_up, "optimizer-empty-params", "generator", "x += y"),
    "ReLU in place": (lambda: nn.ReLU(inplace=True)(rows(3)), "leaf-inplace", "inplace=False", "x += y"),
    "index_select": (
        lambda: torch.ones(5).index_select(0, torch.tensor([7])),
        "embedding-index-out-of-range", "index_select", "x += y",
    ),
    "BatchNorm2d after Linear": (
        lambda: nn.BatchNorm2d(4)(rows(3, 4)), "expected-nd-input", "BatchNorm1d", "unsqueeze"
    ),
    "mm with a vector": (lambda: torch.mm(rows(3, 4), rows(4)), "expected-nd-input", "`@`", "unsqueeze"),
    "bmm with matrices": (lambda: torch.bmm(rows(3, 4), rows(4, 2)), "expected-nd-input", "`@`", "flatten"),
    "batch twice": (
        lambda: nn.Conv2d(3, 4, 1)(rows(1, 1, 3, 4, 4)), "expected-nd-input", "squeeze(0)", "normalization"
    ),
    "gray image": (lambda: nn.Conv2d(3, 4, 1)(rows(2, 1, 4, 4)), "conv-channel-mismatch", 'convert("RGB")', "x += y"),
    "wrong layer": (lambda: nn.Conv2d(128, 4, 1)(rows(2, 64, 4, 4)), "conv-channel-mismatch", "in_channels", "x += y"),
    "whole checkpoint": (whole_checkpoint, "state-dict-missing-keys", 'checkpoint["state_dict"]', "prefix"),
    "GradScaler skipped": (skipped_step, "lr-scheduler-order", "`GradScaler`", "replaces"),
    "step replaced": (replaced_step, "lr-scheduler-order", "Create the scheduler after", "GradScaler"),
}  # fmt: skip


@pytest.mark.parametrize("name", FIXES)
def test_the_fix_fits_the_mechanism(name: str) -> None:
    program, entry, named, unnamed = FIXES[name]
    match = explained(program)
    assert match.id == entry
    assert match.fix and named in match.fix and unnamed not in match.fix, match.fix
