"""The run of the tests survives tests that crash their process, and V8 is started safely."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from xdist.dsession import DSession  # type: ignore[import-untyped]
from xdist.remote import Producer  # type: ignore[import-untyped]

from tests.scheduling import Scheduling, pytest_xdist_auto_num_workers

ROOT = Path(__file__).resolve().parents[1]
# Every second file has a test that ends its process by a segmentation fault.
FILES = 6
FILE = """
import os, signal, time
import pytest

@pytest.mark.parametrize("number", range(4))
def test_passes(number):
    time.sleep(0.05)
"""
CRASH = """
def test_crashes():
    os.kill(os.getpid(), signal.SIGSEGV)

def test_after_the_crash():
    pass
"""


@pytest.mark.weekly  # starts ten interpreters; the scheduling itself is tested below
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSEGV to send")
def test_a_crashed_worker_fails_as_its_test(tmp_path: Path) -> None:
    """Three workers die. Every other test runs once, and no test that crashed runs again."""
    crashing = range(0, FILES, 2)
    for number in range(FILES):
        (tmp_path / f"test_{number}.py").write_text(FILE + CRASH * (number in crashing), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "3", "-p", "tests.scheduling", "-p", "no:torch_errors", "-rf"]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert "INTERNALERROR" not in done.stdout + done.stderr
    assert done.returncode == 1
    failed = re.findall(r"(?m)^FAILED \S*test_(\d)\.py::(\w+)", done.stdout)
    assert sorted(failed) == [(str(number), "test_crashes") for number in crashing], done.stdout
    assert f"3 failed, {4 * FILES + 3} passed" in done.stdout, done.stdout


class Worker:
    """A process that runs the tests it is sent and dies of those named so.

    As in xdist, it starts a test only when it has the next one or knows that there is none.
    """

    def __init__(self, name: str, session: Session) -> None:
        self.gateway, self.session = SimpleNamespace(id=name, spec=name), session
        self.workeroutput = {"exitstatus": 0, "shouldfail": False, "shouldstop": False}
        self.received: deque[int | None] = deque()  # tests by their index; None: there are no more
        self.crashed = self.shutting_down = self.ended = self.waiting = False
        self.life = self.live()

    def send_runtest_some(self, indices: list[int]) -> None:
        if self.crashed and self.session.random.random() < 0.5:  # or the pipe takes what nobody will read
            raise OSError("cannot send (already closed?)")
        self.received += indices

    def shutdown(self) -> None:
        self.shutting_down = True
        self.received.append(None)

    def report(self, event: str, **values: object) -> None:
        self.session.events.append((event, {"node": self, **values}))

    def live(self) -> Iterator[None]:
        """Pause after each step, since anything may happen elsewhere before the next."""
        self.report("workerready", workerinfo={})
        yield
        self.report("collectionfinish", ids=self.session.tests)
        following = yield from self.receive()
        while following is not None:
            test, following = following, (yield from self.receive())
            self.session.ran.append(test)
            assert self.session.ran.count(test) == 1, f"{self.session.tests[test]} runs again"
            if self.session.tests[test].endswith("crashes"):
                self.crashed = True
                yield
                break
            self.report("runtest_protocol_complete", item_index=test, duration=0)
        self.shutting_down = self.ended = True
        self.report("errordown", error="crashed") if self.crashed else self.report("workerfinished")

    def receive(self) -> Generator[None, None, int | None]:
        yield
        while not self.received:
            self.waiting = True
            yield
        self.waiting = False
        return self.received.popleft()


class Session(DSession):
    """The controlling process of a run. Chance decides who takes the next step."""

    def __init__(self, tests: list[str], workers: int, seed: int) -> None:
        self.tests, self.random = tests, random.Random(seed)
        self.events: deque[tuple[str, dict[str, Any]]] = deque()
        self.ran: list[int] = []
        self.failed: list[str] = []
        self.workers: list[Worker] = []
        option = SimpleNamespace(loadscopereorder=False)
        self.config: Any = SimpleNamespace(hook=Mock(), option=option, getvalue=lambda name: [f"{workers}*popen"])
        self.log, self.terminal, self._session = Producer("test", enabled=False), None, Mock()
        self.sched = Scheduling(self.config, self.log)
        self.shuttingdown, self._failed_nodes_count, self._max_worker_restart = False, 0, None
        self._active_nodes: set[Worker] = set()
        for _ in range(workers):
            self._clone_node()

    def _clone_node(self, node: Worker | None = None) -> None:
        self.workers.append(Worker(f"gw{len(self.workers)}", self))
        self._active_nodes.add(self.workers[-1])

    def report_line(self, line: str) -> None:
        """Print nothing."""

    def handle_crashitem(self, nodeid: str, worker: Worker) -> None:
        self.failed.append(nodeid)

    def run(self) -> None:
        """Raise AssertionError if everyone waits for someone else."""
        while self._active_nodes:
            able: list[Worker | None] = [
                worker for worker in self.workers if not worker.ended and (worker.received or not worker.waiting)
            ]
            if self.events:
                able += [None] * max(1, len(able))
            assert able, f"the run stands still; tests that were never sent: {self.sched.workqueue}"
            worker = self.random.choice(able)
            if worker:
                next(worker.life, None)
                continue
            event, values = self.events.popleft()
            getattr(self, f"worker_{event}")(**values)
            if self.sched.tests_finished:
                self.triggershutdown()


def test_each_test_runs_once_in_whatever_order_things_happen() -> None:
    """Many runs with other crashes, in which events arrive in another order; see the faults named in Scheduling."""
    for seed in range(1000):
        chance = random.Random(seed)
        tests = [
            f"test_{file}.py::{number}_{'crashes' if chance.random() < 0.3 else 'passes'}"
            for file in range(chance.randint(1, 7))
            for number in range(chance.randint(1, 4))
        ]
        session = Session(tests, workers=chance.randint(1, 4), seed=seed)
        session.run()
        assert sorted(session.ran) == list(range(len(tests))), seed
        assert sorted(session.failed) == [test for test in tests if test.endswith("crashes")], seed


def test_v8_is_started_in_the_main_thread() -> None:
    """Tests the rule itself, since most processors do not show its violation; see `tests.site.javascript`."""
    from tests.site.javascript import Modules

    refused: list[str] = []

    def create() -> None:
        try:
            Modules()
        except RuntimeError as error:
            refused.append(str(error))

    thread = threading.Thread(target=create)
    thread.start()
    thread.join()
    assert refused and "in the main thread" in refused[0]
    program = (
        "import threading\n"
        "thread = threading.Thread(target=__import__, args=['tests.site.javascript'])\n"
        "thread.start(); thread.join()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert "RuntimeError: V8 must be started" in done.stderr


def test_v8_is_started_in_one_module_only() -> None:
    """In other modules, it could be started in any thread."""
    sources = [
        path for folder in ("tests", "tools", "website", "torch_errors") for path in (ROOT / folder).rglob("*.py")
    ]
    users = [
        path.name for path in sources if re.search(r"(?m)^\s*(?:import|from) py_mini_racer", path.read_text("utf-8"))
    ]
    assert users == ["javascript.py"]


def test_processes_are_as_many_as_the_cores_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under `taskset -c 3`: the machine has more cores than the process may use."""
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {3}, raising=False)
    assert pytest_xdist_auto_num_workers() == 2
