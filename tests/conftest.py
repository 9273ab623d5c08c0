"""What the tests share: the catalog, one runner for all of them, and a small catalog to plant violations in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from tests.browsing import address, browser, open_page, site  # noqa: F401  # fixtures
from tests.samples import Sample
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.loading import load_catalog
from torch_errors.maintaining.record import record
from torch_errors.running.runner import Runner

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("guide", database=None, deadline=None, derandomize=True)
settings.load_profile("guide")


@pytest.fixture(scope="session", autouse=True)
def _hypothesis_writes_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Verification watches the repository for changes, so the tests themselves make none."""
    set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))


@pytest.fixture(scope="session", autouse=True)
def _in_english() -> Iterator[None]:
    """The command line follows the locale, and so would the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        yield


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog(ROOT)


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """The runner as people use it: forked where that works."""
    with Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def recorded_sample(tmp_path_factory: pytest.TempPathFactory, runner: Runner) -> Sample:
    """The sample catalog, recorded once. Not to be changed: take `sample`."""
    sample = Sample.build(tmp_path_factory.mktemp("sample").resolve() / "guide")
    results = record(list(sample.catalog()), runner)
    assert not [problem for result in results for problem in result.problems]
    return sample


@pytest.fixture
def sample(recorded_sample: Sample, tmp_path: Path) -> Sample:
    """A copy of the sample catalog, to be changed at will."""
    return recorded_sample.copy(tmp_path.resolve() / "guide")


@pytest.fixture(scope="session")
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs this interpreter with the package on its path, as a user would."""

    def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        env = os.environ | {"PYTHONPATH": path, "COLUMNS": "200"} | environment
        return subprocess.run(
            [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False
        )

    return run
