"""Stop training when the validation loss has stopped improving, and restore the best weights.

Use it when the validation loss increases while the training loss still decreases. Call `step(value)` once per epoch
with the validation metric, and `restore_best()` after the loop. Compute the metric in `eval()` mode on data that is not
used for training; report final results on a third set, since this one selects the epoch.

It prints one line when it stops. NaN raises FloatingPointError, since it would otherwise count as "no better" and hide
the actual error.

**Healthy:** training stops some epochs after the best one, and the best epoch is neither the first (learning rate too
high, or validation data unlike the training data) nor the last (train for more epochs). `patience` is longer than the
fluctuations of the curve; 5 to 20 epochs are common.

Example:

    >>> import torch
    >>> from early_stopping import EarlyStopping
    >>> model = torch.nn.Linear(1, 1)
    >>> stopping = EarlyStopping(model, patience=3)
    >>> for epoch, loss in enumerate([0.9, 0.5, 0.4, 0.45, 0.41, 0.43, 0.5]):
    ...     with torch.no_grad():
    ...         _ = model.bias.fill_(epoch)  # in place of training
    ...     if stopping.step(loss):
    ...         break
    stopped after epoch 5: no better than 0.4 of epoch 2 for 3 epochs
    >>> stopping.restore_best()
    >>> model.bias.item()
    2.0
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import nn


class EarlyStopping:
    """Watches one number an epoch, and keeps a copy of the model's best state in the computer's main memory.

    Args:
        model: whose state is kept; None keeps none.
        patience: epochs without improvement before it stops.
        min_delta: what is better by less than this does not count as better.
        mode: "min" where lower is better (a loss), "max" where higher is (an accuracy).
    """

    def __init__(
        self, model: nn.Module | None = None, patience: int = 5, min_delta: float = 0.0, mode: str = "min"
    ) -> None:
        if model is not None and not isinstance(model, nn.Module):
            raise TypeError(f"the first argument is the model, not a {type(model).__name__}: write patience=5")
        if mode not in ("min", "max"):
            raise ValueError(f'mode must be "min" (a loss) or "max" (an accuracy), not {mode!r}')
        if patience < 1 or min_delta < 0:
            raise ValueError("patience must be at least 1, min_delta at least 0")
        self.model, self.patience, self.min_delta, self.mode = model, patience, min_delta, mode
        self.best = math.inf if mode == "min" else -math.inf
        self.best_epoch = self.epoch = -1
        self.best_state: dict[str, Any] | None = None

    def step(self, value: float | torch.Tensor) -> bool:
        """Take the value of the epoch that has just ended (the first is epoch 0); True means stop."""
        value = float(value)
        self.epoch += 1
        if math.isnan(value):
            raise FloatingPointError(f"the value of epoch {self.epoch} is NaN; find its cause before you go on")
        gain = self.best - value if self.mode == "min" else value - self.best
        if gain > self.min_delta or self.best_epoch < 0:
            self.best, self.best_epoch = value, self.epoch
            if self.model is not None:
                self.best_state = _copy(self.model.state_dict())
        if self.epoch - self.best_epoch < self.patience:
            return False
        print(
            f"stopped after epoch {self.epoch}: no better than {self.best:.4g} of epoch {self.best_epoch} "
            f"for {self.epoch - self.best_epoch} epochs"
        )
        return True

    def restore_best(self) -> None:
        """Give the model the state that it had after the best epoch. The optimizer keeps its own."""
        if self.model is None or self.best_state is None:
            raise RuntimeError("no state was kept: create it with EarlyStopping(model) and call step() once an epoch")
        self.model.load_state_dict(self.best_state)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint needs to go on; torch.load reads it with weights_only=True."""
        names = ("best", "best_epoch", "epoch", "best_state")
        return {name: getattr(self, name) for name in names}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in self.state_dict():
            setattr(self, name, state[name])


def _copy(state: dict[str, Any]) -> dict[str, Any]:
    """A copy that later training does not change, off the GPU."""
    return {
        name: value.detach().to("cpu", copy=True) if isinstance(value, torch.Tensor) else copy.deepcopy(value)
        for name, value in state.items()
    }
