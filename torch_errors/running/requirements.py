"""What must be installed before scripts can be run. Imports nothing of it."""

from __future__ import annotations

import importlib.util
import sys

from torch_errors.errors import UserError


def require(*modules: str) -> None:
    """Raise UserError where one of `modules` is not installed for this interpreter."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise UserError(
                f"{module} is not installed for {sys.executable}, and scripts cannot run without it; in a checkout: "
                'make setup; elsewhere: pip install torch torchvision "torch-errors[run]"'
            )
