"""Fixtures of all tests: the catalog, a runner, a small catalog to plant violations in, results computed once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from tests.chromium import NO_BROWSER
from tests.samples import Sample
from tests.scheduling import (  # noqa: F401  # hooks
    pytest_collection_modifyitems,
    pytest_xdist_auto_num_workers,
    pytest_xdist_make_scheduler,
)
from tests.sharing import HELD, Shared, Task, site_task, verification_task, wheel_folder, wheel_task
from tests.site.browsing import address, ask, browser, new_page, open_page, site, site_folder  # noqa: F401  # fixtures
from tests.wheel import python_in
from torch_errors.catalog.entries import Catalog
from torch_errors.running.pool import Runner
from torch_errors.verifying.category_pages import add_rows
from torch_errors.verifying.record import record

ROOT = Path(__file__).resolve().parents[1]
# `make test`, `make test-all` and `make test-weekly`; each contains the one before it.
Suite = Literal["test", "test-all", "weekly"]
# Number of seeds and further options of `torch-errors verify` in each suite.
EXTENTS: dict[Suite, tuple[int, list[str]]] = {
    "test": (1, ["--quick", "--skip-held", str(HELD)]),
    "test-all": (3, []),
    "weekly": (10, ["--kernels"]),
}

settings.register_profile("guide", database=None, deadline=None, derandomize=True)
settings.load_profile("guide")


@pytest.fixture(scope="session", autouse=True)
def _hypothesis_writes_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep hypothesis from writing into the repository, which verification watches for changes."""
    set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))


@pytest.fixture(scope="session", autouse=True)
def _in_english() -> Iterator[None]:
    """The language of the command line follows the locale."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        yield


@pytest.fixture(scope="session", autouse=True)
def _with_python_as_it_is() -> Iterator[None]:
    """Unset variables that container images often set: some faults show only if output is buffered."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):
            patch.delenv(name, raising=False)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip all tests that lack a browser at the same place, so that pytest's summary has one line for them."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and NO_BROWSER in report.longrepr[2]:
        report.longrepr = (str(ROOT / "tests" / "chromium.py"), 1, report.longrepr[2])
    return report


def suite_of(config: pytest.Config) -> Suite:
    """The suite that runs, from the markers that `make` excludes."""
    left_out = config.getoption("markexpr")
    return "test" if "not exhaustive" in left_out else "test-all" if "not weekly" in left_out else "weekly"


def verification_of(suite: Suite) -> Task:
    """The verification of all entries and pages that a suite needs."""
    seeds, options = EXTENTS[suite]
    return verification_task(seeds, options=options)


@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Shared]:
    """Results computed once for all processes of a run. Those that the chosen tests need are started at once."""
    base, worker = tmp_path_factory.getbasetemp(), os.environ.get("PYTEST_XDIST_WORKER")
    shared = Shared(base.parent if worker else base)
    needed = {name for item in request.session.items for name in getattr(item, "fixturenames", [])}
    if "verification" in needed and worker in (None, "gw0"):
        shared.start(verification_of(suite_of(request.config)))
    if "site" in needed and worker in (None, "gw0"):
        shared.start(site_task(site_folder(shared)))
    if "wheel_python" in needed and worker in (None, "gw0"):
        shared.start(wheel_task(wheel_folder(shared)))
    yield shared
    if request.session.shouldfail or request.session.shouldstop:
        shared.end()
    else:
        shared.close()


@pytest.fixture(scope="session")
def suite(request: pytest.FixtureRequest) -> Suite:
    """The suite that runs."""
    return suite_of(request.config)


@pytest.fixture(scope="session")
def exhaustive(suite: Suite) -> bool:
    """Whether tests that check a sample check a larger one."""
    return suite != "test"


@pytest.fixture(scope="session")
def verification(shared: Shared, suite: Suite) -> dict[str, Any]:
    """The result of `torch-errors verify --json` for all entries and pages."""
    done = shared.result(verification_of(suite))
    assert done.status in (0, 1), done.errors
    return json.loads(done.output)


@pytest.fixture(scope="session")
def wheel_python(shared: Shared) -> Path:
    """An interpreter without torch and without the checkout, into which the wheel is installed."""
    folder = wheel_folder(shared)
    done = shared.result(wheel_task(folder))
    assert done.status == 0, done.errors
    return python_in(folder)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    from tests.guide import CATALOG  # here, so that tests without the catalog need not wait for it

    return CATALOG


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """The runner as people use it: with forks, if the system allows them."""
    with Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def recorded_sample(tmp_path_factory: pytest.TempPathFactory, runner: Runner) -> Sample:
    """The sample catalog, recorded once. Tests must not change it; `sample` is a copy that they may."""
    sample = Sample.build(tmp_path_factory.mktemp("sample").resolve() / "guide")
    results = record(list(sample.catalog()), runner)
    assert not [problem for result in results for problem in result.problems]
    for category in sample.catalog().categories:
        add_rows(sample.catalog(), category)
    return sample


@pytest.fixture
def sample(recorded_sample: Sample, tmp_path: Path) -> Sample:
    """A copy of the sample catalog, which a test may change."""
    return recorded_sample.copy(tmp_path.resolve() / "guide")


@pytest.fixture(scope="session")
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Function that runs this interpreter with the package on its path, as a user would."""

    def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        env = os.environ | {"PYTHONPATH": path, "COLUMNS": "200"} | environment
        return subprocess.run(
            [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False
        )

    return run
