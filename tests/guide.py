"""The guide of this checkout, read once in each process: reading it takes a second."""

from __future__ import annotations

from tests.conftest import ROOT
from torch_errors.catalog.loading import load_catalog

CATALOG = load_catalog(ROOT)
