"""Decides which tests run in the same process with `pytest -n auto`, and in which order.

A group of tests runs in one process. Usually it is a file, so that its fixtures are made once; files that share only
the built site, the browser or a runner are split into their functions. Groups that take long start first, and groups
that need the site last, since it is built meanwhile.
"""

from __future__ import annotations

import contextlib

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

from torch_errors.running.pool import usable_cores

RUNNER = "runner"
# Files whose tests run scripts. They form one group, so that only one process imports torch.
WITH_RUNNER = [
    "test_violations",
    "test_documents",
    "test_runner",
    "test_cli",
    "test_versions",
    "test_bench",
    "test_entries",
]
# Files of which each function is a group.
CUT = ["test_site", "test_paste_box", "test_all_errors"]
# Files of which each test is a group.
SPLIT = ["test_accessibility"]
FIRST = [RUNNER, "test_watching", "test_prompts", "test_engine", "test_note"]
OF_SITE = ["test_accessibility", "test_copied_prompt", "test_site", "test_paste_box", "test_all_errors"]
LAST = [*OF_SITE, "test_machine_files", "test_policy", "test_release", "test_verification"]

# Each process takes up to 1 GB of memory.
MOST_PROCESSES = 8


def pytest_xdist_auto_num_workers() -> int:
    """Hook of pytest-xdist for `-n auto`: one process more than cores, since most tests wait for a browser."""
    return min(usable_cores() + 1, MOST_PROCESSES)


def group_of(test: str) -> str:
    """Name of the group of a test. Test ids look like `tests/site/test_site.py::test_tabs_switch[...]`."""
    path, _, function = test.partition("::")
    file = path.rpartition("/")[2].removesuffix(".py")
    if file in WITH_RUNNER:
        return RUNNER
    if file in SPLIT:
        return f"{file} {function}"
    return f"{file} {function.partition('[')[0]}" if file in CUT else file


def place_of(group: str) -> int:
    """Position of the group in the order; lower starts earlier."""
    file = group.partition(" ")[0]
    if file in FIRST:
        return FIRST.index(file) - len(FIRST)
    return 1 + LAST.index(file) if file in LAST else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hook of pytest: tests run in the order of their groups, also in a single process."""
    items.sort(key=lambda item: place_of(group_of(item.nodeid)))


class Scheduling(LoadScopeScheduling):
    """Distributes whole groups in the order of their first tests, and continues when a worker dies.

    LoadScopeScheduling of pytest-xdist 3.8, and LoadGroupScheduling (`--dist loadgroup`), which inherits from it, have
    four faults. The run ends with INTERNALERROR when a second worker dies before the replacement of the first has
    collected its tests, and when tests are sent to a worker that has just died. The test that killed a worker is handed
    to the next one. And since a worker starts a test only when it has the next one, the run stops for ever when the
    last worker gets a single test while others wait.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test that the node was running, which does not run again; None if there was none."""
        for tests in self.assigned_work[node].values():
            for test, done in tests.items():
                if not done:
                    tests[test] = True
                    super().remove_node(node)
                    return test
        return super().remove_node(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        with contextlib.suppress(OSError):  # it has died: the report of its death returns the tests to the queue
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node not in self.registered_collections:  # a replacement gets tests after it has collected them
            return
        super()._reschedule(node)
        while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            self._assign_work_unit(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """Hook of pytest-xdist."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)
