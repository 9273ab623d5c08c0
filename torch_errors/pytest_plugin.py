"""Plugin of pytest: a failed test shows what the catalog knows of its exception. `-p no:torch_errors` turns it off."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Before pytest reports on a test: what it prints of an exception includes the exception's notes."""
    if call.excinfo is not None and isinstance(call.excinfo.value, Exception):
        from torch_errors.explaining.note import annotate

        annotate(call.excinfo.value)
    return (yield)
