"""Pytest plugin: a failed test shows the catalog's note on its exception. `-p no:torch_errors` turns it off."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Add the note to the exception before pytest formats it; pytest prints the notes of an exception."""
    if call.excinfo is not None and isinstance(call.excinfo.value, Exception):
        from torch_errors.explaining.note import annotate

        annotate(call.excinfo.value)
    return (yield)
