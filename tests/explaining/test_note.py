"""The note on exceptions that the catalog knows: it is added, and it changes nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import data
from torch_errors.explaining.note import annotate, note_for

PROGRAMS = data("programs.yaml")["note"]

MESSAGE = "mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)"
# Raised by hand, so that these tests need no torch: the note goes by the message.
KNOWN = f"""
import sys


def forward(rows):
    raise RuntimeError({MESSAGE!r})


print(sys.argv, __name__, __file__, sys.path[0])
forward(3)
"""
# Windows makes links for administrators only.
LINK = pytest.param("../link.py", marks=pytest.mark.skipif(sys.platform == "win32", reason="needs a symbolic link"))


def _run(*command, cwd):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, cwd=cwd)


def test_note_is_added_once():
    error = RuntimeError(MESSAGE)
    annotate(error)
    annotate(error)
    assert len(error.__notes__) == 1


def test_note_follows_the_cause():
    try:
        try:
            raise RuntimeError(MESSAGE)
        except RuntimeError as error:
            raise ValueError("step 3") from error
    except ValueError as error:
        assert "matmul-shape-mismatch" in (note_for(error) or "")


def test_an_exception_whose_text_fails_is_left_alone():
    class Hostile(Exception):
        def __str__(self):
            raise OSError("no text")

    error = Hostile()
    annotate(error)
    assert not getattr(error, "__notes__", ())


@pytest.mark.parametrize("typed", ["{folder}/train.py", "train.py", "./train.py", "../thesis/train.py", LINK])
def test_a_script_run_through_the_module_differs_by_the_note_only(typed, tmp_path):
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "train.py").write_text(KNOWN)
    if typed == "../link.py":
        (folder / typed).symlink_to(folder / "train.py")
    typed = typed.format(folder=folder)
    plain = _run(typed, "--epochs", 3, cwd=folder)
    noted = _run("-m", "torch_errors", typed, "--epochs", 3, cwd=folder)
    assert noted.returncode == plain.returncode == 1
    assert noted.stdout == plain.stdout and noted.stdout.startswith(f"{[typed, '--epochs', '3']} __main__ ")
    added = [line for line in noted.stderr.splitlines() if line not in plain.stderr.splitlines()]
    assert noted.stderr.replace("\n".join(added) + "\n", "") == plain.stderr
    what, line, fix, entry = (text.strip() for text in added)
    assert what.startswith("torch-errors: ") and "512 features" in what and line == f"your line: {Path(typed).name}:6"
    assert fix.startswith("smallest fix: ") and "in_features=512" in fix
    assert entry.startswith("torch-errors show matmul-shape-mismatch")


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        # As anomaly mode tells of the forward call: torch.fx.traceback.format_stack.
        (PROGRAMS["stacks"], "in forward"),
        ("print({}['missing'])\n", "KeyError"),
        ("import sys\nsys.exit(3)\n", ""),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),  # Python ends itself by SIGINT
    ],
    ids=["stacks", "an exception that is not known", "exit status", "interrupted"],
)
def test_what_has_no_note_is_shown_as_it_is(source, printed, tmp_path):
    (tmp_path / "train.py").write_text(source)
    plain, noted = _run("train.py", cwd=tmp_path), _run("-m", "torch_errors", "train.py", cwd=tmp_path)
    assert printed in plain.stdout + plain.stderr
    assert (noted.returncode, noted.stdout) == (plain.returncode, plain.stdout)
    assert "Interrupt" in printed or noted.stderr == plain.stderr


def test_install_notes_what_is_uncaught(tmp_path):
    code = f"import torch_errors; torch_errors.install(); raise RuntimeError({MESSAGE!r})"
    assert "torch-errors show matmul-shape-mismatch" in _run("-c", code, cwd=tmp_path).stderr
    # A broken catalog doesn't hide the error.
    (tmp_path / "catalog.yaml").write_text("categories: [")
    (tmp_path / "common-errors").mkdir()
    assert _run("-c", code, cwd=tmp_path).stderr.rstrip().endswith(f"RuntimeError: {MESSAGE}")


IN_A_THREAD = f"""
import sys, threading, torch_errors
torch_errors.install()
torch_errors.install()
def work(): raise RuntimeError({MESSAGE!r})
sys.stderr = sys.stdout
thread = threading.Thread(target=work); thread.start(); thread.join()
"""
HOOK_OF_ITS_OWN = f"""
import sys, torch_errors
sys.excepthook = lambda kind, error, trace: print("mine", kind.__name__, len(error.__notes__))
torch_errors.install()
raise RuntimeError({MESSAGE!r})
"""
CAUGHT = f"""
import sys, torch_errors
torch_errors.install()
try:
    raise RuntimeError({MESSAGE!r})
except RuntimeError as error:
    print(hasattr(error, "__notes__"), "torch_errors.explaining.explain" in sys.modules)
"""


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (IN_A_THREAD, "torch-errors show matmul-shape-mismatch"),
        (HOOK_OF_ITS_OWN, "mine RuntimeError 1\n"),
        (CAUGHT, "False False\n"),
    ],
    ids=["in a thread", "a hook that was there", "caught: not touched"],
)
def test_installed_it_changes_nothing_else(code, printed, tmp_path):
    assert _run("-c", code, cwd=tmp_path).stdout.count(printed) == 1


def test_ipython_extension_adds_the_note():
    """Against a stand-in for IPython's shell, which shows the exceptions of cells, `%run` and `--ext` by one method."""
    shown = []

    class Shell:
        def showtraceback(self, exc_tuple=None, *, running_compiled_code=False):
            shown.append((exc_tuple, running_compiled_code))

        def register_magic_function(self, function, magic_kind):
            assert (function.__name__, magic_kind) == ("torch_errors_watch", "line_cell")

    import torch_errors

    shell = Shell()
    torch_errors.load_ipython_extension(shell)
    torch_errors.load_ipython_extension(shell)
    error = RuntimeError(MESSAGE)
    shell.showtraceback((RuntimeError, error, None), running_compiled_code=True)
    assert shown == [((RuntimeError, error, None), True)] and "matmul-shape-mismatch" in error.__notes__[0]
    try:
        raise RuntimeError(MESSAGE)
    except RuntimeError as caught:
        shell.showtraceback()
        assert len(caught.__notes__) == 1


def test_a_failed_test_shows_the_note(tmp_path):
    (tmp_path / "test_train.py").write_text(f"def test_step():\n    raise RuntimeError({MESSAGE!r})\n")
    plugin = ["-p", "no:cacheprovider"]
    done = _run("-m", "pytest", "-q", *plugin, "test_train.py", cwd=tmp_path)
    assert done.returncode == 1 and "torch-errors show matmul-shape-mismatch" in done.stdout
    assert "your line: test_train.py:2" in done.stdout
