"""The callback for `transformers.Trainer`."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from torch_errors.callbacks.watching import WatchingCallback


class TransformersCallback(WatchingCallback, TrainerCallback):
    """Watches `trainer.train()`, with its evaluations."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Start to watch. The trainer has made its model, and makes its optimizer and its batches."""
        self.begin()

    def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Stop watching."""
        self.end()
