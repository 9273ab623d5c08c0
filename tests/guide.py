"""The catalog of this checkout, loaded once in each process, since loading takes a second."""

from __future__ import annotations

from tests.conftest import ROOT
from torch_errors.catalog.loading import load_catalog

CATALOG = load_catalog(ROOT)
