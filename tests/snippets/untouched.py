"""Checks that a snippet leaves a model, the random numbers after it and torch.compile as they were."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn


def compiles() -> bool:
    """Whether torch.compile works: `torch.compiler.set_stance` may have turned it off."""
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Any:
        graphs.append(graph)
        return graph.forward

    torch.compile(lambda x: x + 1, backend=backend)(torch.ones(1))
    return bool(graphs)


@contextmanager
def untouched(model: nn.Module) -> Iterator[None]:
    """Assert that values, gradients, buffers, modes, hooks and random state are the same after the block."""
    before = _state(model)
    try:
        yield
    finally:
        after = _state(model)
        for key, value in before.items():
            if isinstance(value, torch.Tensor):
                same = {"rtol": 0, "atol": 0, "equal_nan": True}
                torch.testing.assert_close(after[key], value, **same, msg=lambda m, k=key: f"{k}: {m}")
            else:
                assert after[key] == value, key
        assert after.keys() == before.keys()


def same_training(model: nn.Module, plain: Callable[[Any], Any], other: Callable[[Any], Any]) -> None:
    """Assert that `other(model)` gives the same weights, gradients and random numbers as `plain` with a copy."""
    twin, random = copy.deepcopy(model), torch.get_rng_state()
    plain(twin)
    after = torch.get_rng_state()
    torch.set_rng_state(random)
    other(model)
    assert torch.equal(torch.get_rng_state(), after)
    torch.testing.assert_close(model.state_dict(), twin.state_dict(), rtol=0, atol=0)
    for one, expected in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(one.grad.to_dense(), expected.grad.to_dense())


def _state(model: nn.Module) -> dict[str, Any]:
    modes = torch.is_grad_enabled(), torch.is_anomaly_enabled()
    state: dict[str, Any] = {"random state": torch.get_rng_state(), "modes of torch": modes}
    for name, module in model.named_modules():
        hooks = [len(hooks) for key, hooks in sorted(vars(module).items()) if key.endswith("hooks")]
        state[name] = module.training, hooks, sorted(vars(module))
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        state[f"{name} itself"] = id(tensor), tensor.requires_grad, len(tensor._backward_hooks or {})
        state[f"{name} gradient"] = None if tensor.grad is None else tensor.grad.to_dense().clone()
        if not tensor.is_meta:
            state[f"{name} values"] = tensor.detach().clone()
    return state
