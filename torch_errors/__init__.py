"""PyTorch debugging guide: a catalog of errors, each with scripts that reproduce it and fix it.

    import torch_errors

    torch_errors.explain(text)    # the errors in a pasted text, each with its entry, the one to fix first at the top
    torch_errors.facts(text)      # facts read from any error: type, message, operation, shapes, dtypes, line
    torch_errors.install()        # from now on, add a note to every uncaught exception that matches an entry
    with torch_errors.watch():    # report faults of a training run that raise no exception
    torch_errors.check(model, batch, loss)  # look closely at one batch before a training

Importing this package loads no other module, neither torch nor the modules that `explain` needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_errors.explaining.explain import Match, explain
    from torch_errors.explaining.note import install
    from torch_errors.ipython import load_ipython_extension
    from torch_errors.paste.facts import Facts, facts
    from torch_errors.watching.check import check
    from torch_errors.watching.watch import watch

__all__ = ["Facts", "Match", "check", "explain", "facts", "install", "load_ipython_extension", "watch"]


def __getattr__(name: str) -> Any:
    if name in ("explain", "Match"):
        from torch_errors.explaining import explain as module

        return getattr(module, name)
    if name in ("facts", "Facts"):
        from torch_errors.paste import facts as read

        return getattr(read, name)
    if name == "install":
        from torch_errors.explaining.note import install

        return install
    if name == "load_ipython_extension":
        from torch_errors.ipython import load_ipython_extension

        return load_ipython_extension
    if name == "check":
        from torch_errors.watching.check import check

        return check
    if name == "watch":
        from torch_errors.watching.watch import watch

        return watch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
