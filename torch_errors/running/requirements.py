"""Checks for the packages that running scripts needs, without importing them."""

from __future__ import annotations

import importlib.util
import sys

from torch_errors.errors import UserError


def is_installed(package: str) -> bool:
    """Whether this interpreter, which also runs the scripts, finds the package."""
    return importlib.util.find_spec(package) is not None


def require(*modules: str) -> None:
    """Raise UserError if one of `modules` is not installed for this interpreter."""
    for module in modules:
        if not is_installed(module):
            raise UserError(
                f"{module} is not installed for {sys.executable}, and scripts cannot run without it; in a checkout: "
                'make setup; elsewhere: pip install torch torchvision "torch-errors[run]"'
            )
