"""The callback for Lightning's `Trainer`, under either of its names, `lightning` and `pytorch_lightning`."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from torch_errors.callbacks.watching import WatchingCallback

# A trainer knows only the callbacks of its own package, which the program has imported already.
_OLD = "pytorch_lightning" in sys.modules and "lightning" not in sys.modules
_PACKAGE = "pytorch_lightning" if _OLD else "lightning.pytorch"
_Callback: Any = import_module(_PACKAGE).Callback


class LightningCallback(WatchingCallback, _Callback):
    """Watches `trainer.fit()`, with its validations."""

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Start to watch, before the validation that checks the program."""
        self.begin()

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop watching."""
        self.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Stop watching a training that failed."""
        self.end()
