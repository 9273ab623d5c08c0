"""Callbacks that watch a training inside a framework, for those who do not start the program themselves.

    from torch_errors.callbacks import TransformersCallback
    trainer = transformers.Trainer(..., callbacks=[TransformersCallback()])

    from torch_errors.callbacks import LightningCallback
    trainer = lightning.Trainer(callbacks=[LightningCallback()])

Importing this package imports no framework; each name imports its own. `python -m torch_errors --watch train.py`
watches the same programs without a callback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_errors.callbacks.in_lightning import LightningCallback
    from torch_errors.callbacks.in_transformers import TransformersCallback

__all__ = ["LightningCallback", "TransformersCallback"]


def __getattr__(name: str) -> Any:
    if name == "LightningCallback":
        from torch_errors.callbacks.in_lightning import LightningCallback

        return LightningCallback
    if name == "TransformersCallback":
        from torch_errors.callbacks.in_transformers import TransformersCallback

        return TransformersCallback
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
