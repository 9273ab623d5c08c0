"""Which tests run in the same process when they run in several (`pytest -n auto`), and in which order.

A group runs in one process. It is a file, so that what its tests share is made once; files in which nothing is shared
beyond the built site, the browser or a runner are cut into their functions. Groups that take long start first, and
what needs the site comes late: it is built meanwhile.
"""

from __future__ import annotations

import os

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

RUNNER = "runner"
# Files whose tests run scripts: one process that has imported torch for all of them.
WITH_RUNNER = [
    "test_violations",
    "test_documents",
    "test_runner",
    "test_cli",
    "test_versions",
    "test_bench",
    "test_entries",
]
CUT = ["test_site", "test_paste_box", "test_all_errors"]
# Files of which each test is a group.
SPLIT = ["test_accessibility"]
FIRST = [RUNNER, "test_watching", "test_prompts", "test_engine", "test_note"]
OF_SITE = ["test_accessibility", "test_copied_prompt", "test_site", "test_paste_box", "test_all_errors"]
LAST = [*OF_SITE, "test_machine_files", "test_policy", "test_release", "test_verification"]


# Each process takes up to 1 GB of memory.
MOST_PROCESSES = 8


def pytest_xdist_auto_num_workers() -> int:
    """A hook of pytest-xdist, for `-n auto`: one process more than there are cores, since most wait for a browser."""
    return min((os.cpu_count() or 1) + 1, MOST_PROCESSES)


def group_of(test: str) -> str:
    """Name of the group of a test, whose id is `tests/site/test_site.py::test_tabs_switch[...]`."""
    path, _, function = test.partition("::")
    file = path.rpartition("/")[2].removesuffix(".py")
    if file in WITH_RUNNER:
        return RUNNER
    if file in SPLIT:
        return f"{file} {function}"
    return f"{file} {function.partition('[')[0]}" if file in CUT else file


def place_of(group: str) -> int:
    """Where the group stands among the others; lower starts earlier."""
    file = group.partition(" ")[0]
    if file in FIRST:
        return FIRST.index(file) - len(FIRST)
    return 1 + LAST.index(file) if file in LAST else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests run in the order of their groups, also in a single process."""
    items.sort(key=lambda item: place_of(group_of(item.nodeid)))


class Scheduling(LoadScopeScheduling):
    """Hands out whole groups in the order of their first tests, and goes on when a worker dies.

    LoadScopeScheduling of pytest-xdist 3.8, and LoadGroupScheduling (`--dist loadgroup`), which inherits from it, have
    two faults: the run ends with INTERNALERROR when a second worker dies before the replacement of the first has
    collected its tests, and the test that killed a worker is handed to the next one.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test that the node was running, which is not tried again; None if none was left."""
        for tests in self.assigned_work[node].values():
            for test, completed in tests.items():
                if not completed:
                    tests[test] = True
                    super().remove_node(node)
                    return test
        return super().remove_node(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node in self.registered_collections:  # a replacement is given tests once it has collected them
            super()._reschedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """A hook of pytest-xdist."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)
