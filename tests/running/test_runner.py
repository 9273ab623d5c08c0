"""Running scripts: in a sandbox, and with the same report from a fork, a new interpreter and a run by hand."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests import data
from tests.conftest import ROOT
from tests.samples import BROADCAST, DIVERGE, GRAPH, SHAPES, Sample
from torch_errors.catalog.fields import ExceptionPromise, MessagePattern
from torch_errors.errors import UserError
from torch_errors.running.pool import FORK_WORKS, Runner
from torch_errors.running.recordings import Recording
from torch_errors.running.report import Job, Limits, Report, StackFrame, Warned

PROGRAMS = data("programs.yaml")["runner"]

forks = pytest.mark.skipif(not FORK_WORKS, reason="scripts are not forked on this system")

SCRIPTS: dict[str, str] = data("scripts.yaml")
SAMPLED = {f"{id}-{variant}": (id, variant) for id, variant in [
    (SHAPES, "broken"), (BROADCAST, "broken"), (DIVERGE, "wrong_fix"), (GRAPH, "broken"),
]}  # fmt: skip
# Scripts whose reports contain more than output and exit status.
AFRESH = ["syntax", "raises", "warnings", "left-file", "refused", "failing-worker", *SAMPLED]
# Run by hand, the first two would write files beside themselves; the others take seconds and show nothing new.
NOT_BY_HAND = {"left-file", "refused", "data-loader", f"{DIVERGE}-wrong_fix", f"{GRAPH}-broken"}


Script = Callable[..., Path]
Reports = dict[str, Report]
ByHand = dict[str, tuple[int, str]]  # exit status and output


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Function that writes a script."""

    def write(source: str, name: str = "script.py") -> Path:
        (tmp_path / name).write_text(source, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture(scope="module")
def scripts(recorded_sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scripts").resolve()
    paths = {}
    for name, source in SCRIPTS.items():
        paths[name] = folder / f"script_{name}.py"
        paths[name].write_text(source, encoding="utf-8")
    return paths | {name: recorded_sample.folder(id) / f"{variant}.py" for name, (id, variant) in SAMPLED.items()}


def _reports(runner: Runner, scripts: dict[str, Path]) -> Reports:
    names = {path: name for name, path in scripts.items()}
    return {names[job.script]: report for job, report in runner.run_all([Job(path) for path in scripts.values()])}


@pytest.fixture(scope="module")
def reports(runner: Runner, scripts: dict[str, Path]) -> Reports:
    return _reports(runner, scripts)


@pytest.fixture(scope="module")
def fresh_reports(scripts: dict[str, Path]) -> Reports:
    with Runner("fresh") as runner:
        return _reports(runner, {name: scripts[name] for name in AFRESH})


def _comparable(report: Report) -> Report:
    refused = [_normal(text) for text in report.refused]
    return replace(report, seconds=0.0, cpu_seconds=0.0, output=_normal(report.output), refused=refused)


def _normal(text: str) -> str:
    """The text without process ids, addresses and the name of the sandbox."""
    return re.sub(r"torch-errors-\w+|\(pid \d+\)|0x[0-9a-f]+|Thread-\d+", "_", text)


@pytest.mark.exhaustive  # starts ten interpreters; reports of forks are also compared with runs by hand
@forks
@pytest.mark.parametrize("name", AFRESH)
def test_fork_and_fresh_report_the_same(name: str, reports: Reports, fresh_reports: Reports) -> None:
    assert _comparable(reports[name]) == _comparable(fresh_reports[name])


@pytest.fixture(scope="module")
def by_hand(scripts: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> ByHand:
    """Exit status and output of `python -u script.py`, in a folder of its own."""
    folder = tmp_path_factory.mktemp("hand")
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONWARNINGS")}
    env = kept | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def start(path: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-u", str(path)]
        return subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, encoding="utf-8")  # fmt: skip

    chosen = [name for name in scripts if name not in NOT_BY_HAND]
    results = {}
    for at in range(0, len(chosen), 4):
        processes = {name: start(scripts[name]) for name in chosen[at : at + 4]}
        for name, process in processes.items():
            output, _ = process.communicate(timeout=100)
            results[name] = (process.returncode, output)
    return results


@pytest.mark.exhaustive  # starts an interpreter for each script
@pytest.mark.parametrize("name", [name for name in [*SCRIPTS, *SAMPLED] if name not in NOT_BY_HAND])
def test_output_and_exit_status_equal_those_of_a_run_by_hand(name: str, reports: Reports, by_hand: ByHand) -> None:
    status, output = by_hand[name]
    assert (reports[name].exit_status, _normal(reports[name].output)) == (status, _normal(output))


@pytest.mark.parametrize("name", ["clean", "exit", "exit-with-words", "failing-thread", "segfault"])
def test_no_exception_is_reported_without_one(name: str, reports: Reports) -> None:
    assert reports[name].raised is None


def test_the_report_has_the_exception_and_its_frames(reports: Reports, scripts: dict[str, Path]) -> None:
    raised = reports["raises"].raised
    assert raised is not None
    assert (raised.type, raised.message) == ("IndexError", "list index out of range")
    script = str(scripts["raises"])
    assert raised.frames == [StackFrame(script, 5, "<module>"), StackFrame(script, 2, "inner")]
    assert reports["raises"].script_line(scripts["raises"]) == 2
    assert reports["raises"].script_line(scripts["clean"]) is None


def test_the_line_of_the_script_is_not_that_of_a_deeper_frame(reports: Reports, scripts: dict[str, Path]) -> None:
    report = reports["failing-worker"]
    assert report.raised is not None
    assert report.raised.type == "IndexError"
    assert "Original Traceback" in report.raised.message
    assert report.script_line(scripts["failing-worker"]) == 12


def test_the_cause_of_the_exception_of_a_program_that_the_script_ran(runner: Runner, script: Script) -> None:
    """Python 3.13 raises the KeyError of `getpass.getuser()` as an OSError, and the entry promises the KeyError."""
    source = "try:\n    {}['user']\nexcept KeyError as error:\n    raise OSError('no name') from error"
    report = runner.run(Job(script(PARENT.format(source), "parent.py")))
    last, cause = report.failure(), report.failure("KeyError")
    assert last and (last.type, last.message) == ("OSError", "no name")
    assert cause and (cause.type, cause.message) == ("KeyError", "'user'")


PARENT = "import subprocess, sys\nsubprocess.run([sys.executable, '-S', '-c', {!r}], check=True)\n"


@pytest.mark.parametrize(
    ("source", "type", "message"),
    [
        ("import torch", "ModuleNotFoundError", "No module named 'torch'"),
        ("import json\njson.loads('')", "JSONDecodeError", "Expecting value: line 1 column 1 (char 0)"),
        ("raise ValueError('two\\nlines: yes')", "ValueError", "two\nlines: yes"),
        ("raise ValueError", "ValueError", ""),
    ],
)
def test_the_exception_of_a_program_that_the_script_ran(
    source: str, type: str, message: str, runner: Runner, script: Script, tmp_path: Path
) -> None:
    """It replaces the CalledProcessError, which only says that the program failed; the line is that of the script."""
    parent = script(PARENT.format(source), "parent.py")
    report = runner.run(Job(parent))
    raised = report.failure()
    assert raised and report.raised
    assert (report.raised.type, raised.type, raised.message) == ("CalledProcessError", type, message)
    assert report.script_line(parent) == 2 and raised.frames == report.raised.frames
    body = f"$ python parent.py\n{report.output}# exit status 1 | torch 2 | Python 3 | Linux x86_64 | CPU\n"
    (tmp_path / "parent.out").write_text(body, encoding="utf-8")
    patterns = [MessagePattern.model_validate({"match": "a pattern"})]
    promise = ExceptionPromise(kind="exception", exception=type, patterns=patterns)
    recorded = Recording.load(tmp_path / "parent.out").message(promise)
    assert recorded.endswith(f"{type}: {message}" if message else type) and "subprocess" not in recorded


@pytest.mark.skipif(os.name == "nt", reason="creating a symbolic link needs a privilege on Windows")
def test_a_link_to_a_different_folder_may_be_removed_and_its_target_may_not(
    runner: Runner, script: Script, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.txt"
    kept.touch()
    links = script(
        "import os, tempfile\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        f"    os.symlink({str(tmp_path)!r}, os.path.join(folder, 'link'))\n"
        f"    os.symlink({str(kept)!r}, os.path.join(folder, 'file'))\n"
        "    os.remove(os.path.join(folder, 'file'))\n"
        "    os.remove(os.path.join(folder, 'link', 'kept.txt'))\n"
    )
    report = runner.run(Job(links))
    assert report.refused == [f"os.remove outside its own folder: {kept}"] and kept.exists()
    assert report.left_files == []


def test_a_program_that_failed_without_a_traceback(runner: Runner, script: Script) -> None:
    report = runner.run(Job(script(PARENT.format("import os; os._exit(3)"))))
    assert report.raised and report.failure() == report.raised


def test_warnings_are_reported_with_category_and_line(reports: Reports) -> None:
    assert reports["warnings"].warned == [
        Warned("UserWarning", "first", 5),
        Warned("DeprecationWarning", "second", 9),
        Warned("FutureWarning", "third", 10),
        Warned("UserWarning", "once", 12),
    ]


def test_left_files_and_refused_calls_are_reported(reports: Reports, scripts: dict[str, Path]) -> None:
    assert reports["left-file"].left_files == ["work/left.txt"]
    [refused] = reports["refused"].refused
    assert refused == f"open outside its own folder: {scripts['refused'].with_name('other.txt')}"
    assert not scripts["refused"].with_name("other.txt").exists()
    assert all(not report.left_processes for report in reports.values())


def test_a_seed_offset_changes_the_seeds_and_nothing_else(runner: Runner, script: Script) -> None:
    seeded = script(PROGRAMS["seeded"])
    plain, shifted, again = (runner.run(Job(seeded, offset)).output.splitlines() for offset in (0, 4, 4))
    assert (plain[0], plain[1], plain[3]) == ("3", "5", "11 3 3")
    assert (shifted[0], shifted[1], shifted[3]) == ("7", "9", "11 3 3")
    assert plain[2] != shifted[2]
    assert shifted == again


def test_a_seed_offset_keeps_the_lines(runner: Runner, script: Script) -> None:
    late = script("import torch\n\n\ntorch.manual_seed(0)\n\n[][1]\n")
    assert runner.run(Job(late, 5)).script_line(late) == 6


def test_each_run_starts_fresh(runner: Runner, script: Script) -> None:
    """A forked script inherits nothing from the previous one."""
    changing = script(
        "import os, random, warnings, torch\nprint(random.random() == random.Random(0).random(), torch.pi)\n"
        "print('TRACE' in os.environ, len(os.listdir()))\n"
        "torch.pi = 3; os.environ['TRACE'] = '1'; warnings.warn('again'); open('x', 'w').close()\n"
    )
    first, second = runner.run(Job(changing)), runner.run(Job(changing))
    assert _comparable(first) == _comparable(second)
    assert "False 0" in first.output
    assert len(second.warned) == 1


def test_limits_of_time_and_output_end_a_script(runner: Runner, script: Script) -> None:
    started = time.monotonic()
    endless = script("import time\nprint('begun', flush=True)\ntime.sleep(300)\n")
    report = runner.run(Job(endless, limits=Limits(seconds=1)))
    assert (report.exit_status, report.limit, report.output) == (None, "ran longer than 1 s", "begun\n")
    report = runner.run(Job(script("while True:\n    print('words')\n"), limits=Limits(output_bytes=1000)))
    assert (report.exit_status, report.limit) == (None, "printed more than 1000 bytes")
    assert report.output == ("words\n" * 200)[:1000]
    assert time.monotonic() - started < 30


def test_fresh_runs_end_what_a_script_leaves(script: Script) -> None:
    leaver = script(
        "import subprocess, sys\nsleep = [sys.executable, '-S', '-c', 'import time; time.sleep(300)']\n"
        "print(subprocess.Popen(sleep, start_new_session=True).pid)\n"
    )
    with Runner("fresh", 1) as runner:
        report = runner.run(Job(leaver))
    assert len(report.left_processes) == 1
    assert not psutil.pid_exists(int(report.output))


def test_values_are_read_from_lines_of_their_own() -> None:
    report = Report(0, "loss=1\n loss=2\nstep=0 loss=3\nloss=4 \nfinal_loss=5\nloss=6.5e3\nloss = 7\nloss=nan\n")
    assert report.values("loss") == ["1", "6.5e3", "nan"]
    assert report.values("final_loss") == ["5"]
    assert report.values("final.loss") == []


def test_without_torch_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else find(name, *rest))
    says = r"torch is not installed for .*: make setup; .*: pip install torch"
    with pytest.raises(UserError, match=says) as caught, Runner():
        pytest.fail("the runner started")
    assert "\n" not in str(caught.value)


def test_a_torch_that_cannot_be_imported_is_reported(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("import sys\nsys.exit(9)\n", "torch.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(UserError, match=r"ended with status|cannot be used"), Runner(workers=1) as runner:
        runner.machine()


@forks
def test_a_fork_runs_its_own_exit_handlers_only(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Handlers that the import of torch registered belong to the process that imported it."""
    script(PROGRAMS["inherited"], "torch.py")
    own = script(PROGRAMS["own"])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Runner("fork", 1) as runner:
        first, second = (runner.run(Job(own)) for _ in range(2))
    assert first.output.splitlines() == ["own handler True", "own finalizer", "flushed at the end"]
    assert _comparable(first) == _comparable(second)
    assert (first.exit_status, first.trespasses()) == (0, [])


@forks
def test_a_worker_passes_nothing_on_to_the_next_script(script: Script) -> None:
    """One worker runs a script that leaves processes and files, then a clean one."""
    leaver = script(
        "import os, signal, subprocess\n"
        "open('left.txt', 'w').close()\n"
        "if os.fork() == 0:\n    os.setsid()\n    os.fork() or os.execlp('sleep', 'sleep', '300')\n    os._exit(0)\n"
        "subprocess.Popen(['sleep', '300'], start_new_session=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n",
        "leaver.py",
    )
    clean = script("import os\nprint(os.listdir())\n")
    with Runner("fork", 1) as runner:
        left, after = runner.run(Job(leaver)), runner.run(Job(clean))
    assert (left.exit_status, left.left_files, len(left.left_processes)) == (-signal.SIGKILL, ["work/left.txt"], 2)
    pids = [int(pid) for pid in re.findall(r"pid (\d+)", " ".join(left.left_processes))]
    assert not any(map(psutil.pid_exists, pids))
    assert (after.exit_status, after.output, after.trespasses()) == (0, "[]\n", [])


@pytest.fixture
def abandoned(script: Script) -> Iterator[subprocess.Popen[bytes]]:
    endless = script("import subprocess, time\nsubprocess.Popen(['sleep', '300'])\ntime.sleep(300)\n")
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAMS["abandoned"], str(endless)], env=env)
    yield process
    process.kill()
    process.wait()


@forks
def test_nothing_is_left_when_the_program_is_killed(abandoned: subprocess.Popen[bytes]) -> None:
    program = psutil.Process(abandoned.pid)
    for _ in range(600):
        started = program.children(recursive=True)  # the zygote, the supervisor, the script, its child
        if len(started) >= 4:
            break
        time.sleep(0.1)
    assert len(started) >= 4
    program.kill()
    abandoned.wait()
    _, alive = psutil.wait_procs(started, timeout=15)
    for process in alive:
        process.kill()
    assert alive == []


def test_scripts_ignore_the_warning_settings_of_the_shell(
    script: Script, monkeypatch: pytest.MonkeyPatch, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """`PYTHONWARNINGS` must not hide a warning that an entry promises."""
    warns = script("import warnings\nwarnings.warn('seen')\n")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    with Runner("fresh", 1) as runner:
        assert [warning.message for warning in runner.run(Job(warns)).warned] == ["seen"]
    assert python(str(warns), PYTHONWARNINGS="ignore").stderr == ""
