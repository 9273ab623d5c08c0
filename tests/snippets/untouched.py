"""Checks that a snippet leaves a model, the random numbers after it and torch.compile as they were."""

from __future__ import annotations

from collections.abc import Iterator
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
    """Whatever happens inside: values, gradients, buffers, modes, hooks and random state are the same afterwards."""
    before = _state(model)
    try:
        yield
    finally:
        after = _state(model)
        for key, value in before.items():
            if isinstance(value, torch.Tensor):
                torch.testing.assert_close(
                    after[key], value, rtol=0, atol=0, equal_nan=True, msg=lambda m, k=key: f"{k}: {m}"
                )
            else:
                assert after[key] == value, key
        assert after.keys() == before.keys()


def _state(model: nn.Module) -> dict[str, Any]:
    state: dict[str, Any] = {
        "random state": torch.get_rng_state(),
        "grad mode": torch.is_grad_enabled(),
        "anomaly mode": torch.is_anomaly_enabled(),
    }
    for name, module in model.named_modules():
        state[f"{name} mode"] = module.training
        state[f"{name} hooks"] = [len(hooks) for key, hooks in sorted(vars(module).items()) if key.endswith("hooks")]
        state[f"{name} attributes"] = sorted(vars(module))
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        state[f"{name} itself"] = id(tensor)
        state[f"{name} requires_grad"] = tensor.requires_grad
        state[f"{name} hooks"] = len(tensor._backward_hooks or {})
        state[f"{name} gradient"] = None if tensor.grad is None else tensor.grad.to_dense().clone()
        if not tensor.is_meta:
            state[f"{name} values"] = tensor.detach().clone()
    return state
