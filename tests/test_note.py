"""The note on exceptions that the catalog knows: it is added, and it changes nothing else."""

import subprocess
import sys

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
LINK = pytest.param("link.py", marks=pytest.mark.skipif(sys.platform == "win32", reason="needs a symbolic link"))


def _run(*command, cwd):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, cwd=cwd)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(KNOWN)
    return path


def test_note_names_the_entry_the_numbers_and_the_command():
    note = note_for(RuntimeError(MESSAGE)) or ""
    assert "512 features" in note and "torch-errors show matmul-shape-mismatch" in note
    assert note_for(RuntimeError("something else")) is None


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


@pytest.mark.parametrize("typed", ["{script}", "train.py", "./train.py", "../{folder}/train.py", LINK])
def test_a_script_run_through_the_module_differs_by_the_note_only(script, typed):
    typed = typed.format(script=script, folder=script.parent.name)
    if typed == "link.py":
        elsewhere = script.parent / "elsewhere"
        elsewhere.mkdir()
        script = script.rename(elsewhere / "train.py")
        (elsewhere.parent / typed).symlink_to(script)
    cwd = script.parent.parent if typed == "link.py" else script.parent
    plain = _run(typed, "--epochs", 3, cwd=cwd)
    noted = _run("-m", "torch_errors", typed, "--epochs", 3, cwd=cwd)
    assert noted.returncode == plain.returncode == 1
    assert noted.stdout == plain.stdout and noted.stdout.startswith(f"{[typed, '--epochs', '3']} __main__ ")
    added = [line for line in noted.stderr.splitlines() if line not in plain.stderr.splitlines()]
    assert noted.stderr.replace("\n".join(added) + "\n", "") == plain.stderr
    assert added[0].startswith("torch-errors: ") and "torch-errors show matmul-shape-mismatch" in added[-1]


# As anomaly mode tells of the forward call: torch.fx.traceback.format_stack.
STACKS = PROGRAMS["stacks"]


SAME = {
    "stacks": (STACKS, 0, "in forward"),
    "an exception that is not known": ("print({}['missing'])\n", 1, ""),
    "exit status": ("import sys\nsys.exit(3)\n", 3, ""),
    "exit": ("import sys\nsys.exit()\n", 0, ""),
    "interrupted": ("raise KeyboardInterrupt\n", -2, ""),  # Python ends itself by SIGINT
}


@pytest.mark.parametrize("name", SAME)
def test_what_has_no_note_is_shown_as_it_is(name, tmp_path):
    source, status, printed = SAME[name]
    (tmp_path / "train.py").write_text(source)
    plain, noted = _run("train.py", cwd=tmp_path), _run("-m", "torch_errors", "train.py", cwd=tmp_path)
    assert printed in plain.stdout and plain.returncode in (status, 130 if status == -2 else status)
    assert noted.returncode == plain.returncode
    if name != "interrupted":
        assert (noted.stdout, noted.stderr) == (plain.stdout, plain.stderr)


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


def test_note_has_the_users_line_and_the_fix(script):
    done = _run("-m", "torch_errors", "train.py", cwd=script.parent)
    note = done.stderr[done.stderr.index("torch-errors: ") :].splitlines()
    assert note[1].strip() == "your line: train.py:6"
    assert note[2].strip().startswith("smallest fix: ") and "in_features=512" in note[2]
    assert note[3].strip().startswith("torch-errors show matmul-shape-mismatch")


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
