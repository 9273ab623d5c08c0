"""The run of the tests survives tests that crash their process, and V8 is started safely."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

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


@pytest.mark.exhaustive  # starts ten interpreters
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
