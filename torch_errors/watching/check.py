"""`torch_errors.check(model, batch, loss)`: looks closely at one batch, without a training step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from torch_errors.watching.batch import undisturbed
from torch_errors.watching.detector import Finding
from torch_errors.watching.watch import start


def check(
    model: nn.Module,
    batch: tuple[Any, Any],
    loss: Callable[[Any, Any], torch.Tensor],
    optimizer: torch.optim.Optimizer | None = None,
    language: str | None = None,
) -> list[Finding]:
    """Look closely at the loss of one batch, print what was found and what is fine, and return the findings.

    Weights, buffers, gradients, modes, the batch and the random states are as before afterwards. No step is made.

    Args:
        model: The model, in the mode in which it trains.
        batch: Inputs and targets on the device of the model. A dict of inputs is passed as keyword arguments, a tuple
            or list as positional ones.
        loss: Called as `loss(output, targets)`; returns a scalar.
        optimizer: The optimizer; None to leave out what concerns it.
        language: Language of the texts, such as `zh`; None for that of the environment.
    """
    inputs, targets = batch
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    name = getattr(loss, "__name__", "")
    of_torch = getattr(nn.functional, name, None) is loss
    session = start(language, checking="and go on")
    try:
        with undisturbed(model), torch.enable_grad(), warnings.catch_warnings():
            if optimizer is not None:
                session.run.optimizers.add(optimizer)
            if isinstance(inputs, Mapping):
                output = model(**inputs)
            else:
                output = model(*inputs) if isinstance(inputs, tuple | list) else model(inputs)
            # Watching has replaced the losses of torch, which the caller has passed as they were before.
            session.check((getattr(nn.functional, name) if of_torch else loss)(output, targets))
    finally:
        for buffer, value in buffers:
            buffer.data.copy_(value)
        session.finish()
    return session.findings
