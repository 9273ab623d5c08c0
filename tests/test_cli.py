"""The command: what each subcommand prints, writes and returns, and how it refuses bad input."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.samples import BROADCAST, DIVERGE, GRAPH, ROWS, SHAPES, Sample, lines
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.recordings import Recording
from torch_errors.cli import main
from torch_errors.maintaining.verify import check_files
from torch_errors.running.runner import Runner

Python = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> Sample:
    """The sample catalog as the one around the working directory, in a wide terminal."""
    monkeypatch.chdir(sample.root)
    monkeypatch.setenv("COLUMNS", "200")
    return sample


@pytest.fixture
def modes(here: Sample, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, int | None]]:
    """Lets the commands share the tests' runner; gives the modes and workers that they asked for."""
    asked: list[tuple[str | None, int | None]] = []

    def shared(
        mode: str | None = None, workers: int | None = None, variables: object = None
    ) -> contextlib.AbstractContextManager[Runner]:
        asked.append((mode, workers))
        return contextlib.nullcontext(runner)

    monkeypatch.setattr("torch_errors.running.runner.Runner", shared)
    return asked


def _replace_scripts(sample: Sample, id: str) -> None:
    """Scripts that need no torch, where only what the command does with them matters."""
    for name, source in {
        "broken.py": "import sys\nprint('from broken', sys.argv[1:])\n[][1]  # error\n",
        "fixed.py": "import sys\nprint('from fixed', sys.argv[1:])\n",
        "wrong_fix.py": "print('from wrong fix', flush=True)\n{}[1]  # error\n",
    }.items():
        (sample.folder(id) / name).write_text(source, encoding="utf-8")


# list and show -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["200", "80"])
def test_list_names_every_entry(
    columns: str, here: Sample, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["list"]) == 0
    words = capsys.readouterr().out.split()
    assert [word for word in words if word in ROWS] == list(ROWS)
    assert {"exception", "warning", "silent", "samples"} <= set(words)


def test_list_shows_titles_as_they_are(here: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets in a title are no markup: shapes are written with them."""
    here.change_row(SHAPES, title="Got [batch, features], expected [red] of [/b]")
    assert main(["list"]) == 0
    assert "Got [batch, features], expected [red] of [/b]" in capsys.readouterr().out


def test_list_as_json(here: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == list(ROWS)
    for row in rows:
        assert (row["title"], row["summary"], row["kind"]) == tuple(
            ROWS[row["id"]][key] for key in ("title", "summary", "kind")
        )
        assert (row["category"], row["folder"]) == ("samples", f"common-errors/samples/{row['id']}")


def test_list_of_one_category(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["list", "--json"]) == 0
    every = json.loads(capsys.readouterr().out)
    assert main(["list", "--json", "--category", every[0]["category"]]) == 0
    some = json.loads(capsys.readouterr().out)
    assert some == [row for row in every if row["category"] == every[0]["category"]]
    assert 0 < len(some) < len(every)


def test_show_prints_the_page(here: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", SHAPES]) == 0
    shown = capsys.readouterr().out
    assert "Two shapes disagree" in shown
    assert "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)" in shown
    assert "recorded=" not in shown
    assert str(here.folder(SHAPES)) in shown


# run and compare ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "status", "output"),
    [([], 1, "from broken []\n"), (["--fixed"], 0, "from fixed []\n"), (["--wrong-fix"], 1, "from wrong fix\n")],
    ids=["broken", "fixed", "wrong-fix"],
)
def test_run_is_the_script_as_by_hand(
    options: list[str], status: int, output: str, here: Sample, capfd: pytest.CaptureFixture[str]
) -> None:
    _replace_scripts(here, GRAPH)
    assert main(["run", GRAPH, *options]) == status
    shown = capfd.readouterr()
    assert shown.out == output
    assert bool(shown.err) == bool(status)
    assert ("Traceback" in shown.err) == bool(status)


def test_compare_shows_both_outputs_and_the_fix(here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    _replace_scripts(here, GRAPH)
    assert main(["compare", GRAPH]) == 0
    shown = capfd.readouterr().out
    parts = ["broken.py", "from broken []", "IndexError", "fixed.py", "from fixed []", "-[][1]  # error"]
    found = [shown.find(part) for part in parts]
    assert -1 not in found
    assert found == sorted(found)


# verify ------------------------------------------------------------------------------------------------------------


def test_verify_returns_0_where_all_holds(here: Sample, modes: list, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify"]) == 0
    shown = capsys.readouterr()
    assert re.findall(r"^([a-z-]+) +held", shown.out, re.MULTILINE) == list(ROWS)
    assert "5 held, 0 not held, 0 skipped" in shown.out
    assert shown.err == ""
    assert modes == [(None, None)]


def test_verify_returns_1_and_says_what_did_not_hold(
    here: Sample, modes: list, capsys: pytest.CaptureFixture[str]
) -> None:
    here.edit(SHAPES, "broken.py", "left @ right", "left.view([7])")
    assert main(["verify", SHAPES, GRAPH, SHAPES, "--fresh", "--workers", "3"]) == 1
    shown = capsys.readouterr().out
    assert re.search(
        rf"^{SHAPES} +not held +broken\.out: .*\n +broken\.py: no pattern matches .*'\[7\]'", shown, re.MULTILINE
    )
    assert "1 held, 1 not held, 0 skipped" in shown
    assert modes == [("fresh", 3)]


def test_verify_as_json(here: Sample, modes: list, capsys: pytest.CaptureFixture[str]) -> None:
    here.edit(SHAPES, "broken.py", "  # error", "")
    here.edit(DIVERGE, "wrong_fix.py", "item():.4g", "item() * float('nan'):.4g")
    assert main(["verify", "--json", "--seeds", "2", SHAPES, DIVERGE, BROADCAST]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["held"] is False
    states = {row["id"]: row["state"] for row in found["entries"]}
    assert states == {SHAPES: "not held", BROADCAST: "held", DIVERGE: "not held"}
    rows = {row["id"]: row for row in found["entries"]}
    assert {finding["where"] for finding in rows[SHAPES]["findings"]} == {"broken.py"}
    assert rows[DIVERGE]["values"]["wrong_fix"] == ["nan", "nan"]
    assert len(rows[DIVERGE]["values"]["broken"]) == 2
    assert rows[BROADCAST]["findings"] == []


def test_verify_of_all_reports_stray_folders(here: Sample, modes: list, capsys: pytest.CaptureFixture[str]) -> None:
    here.folder("forgotten").mkdir()
    assert main(["verify", BROADCAST]) == 0
    assert "forgotten" not in capsys.readouterr().out
    assert main(["verify"]) == 1
    shown = capsys.readouterr().out
    assert "common-errors/samples/forgotten: the folder is not in catalog.yaml" in shown
    assert main(["verify", "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["strays"]) == 1


# record ------------------------------------------------------------------------------------------------------------


def _contents(root: Path) -> dict[Path, tuple[bytes, int]]:
    files = [path for path in root.rglob("*") if path.is_file() and ".compiled" not in path.parts]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_record_again_changes_nothing(here: Sample, modes: list, capsys: pytest.CaptureFixture[str]) -> None:
    before = _contents(here.root)
    assert main(["record"]) == 0
    assert _contents(here.root) == before
    assert capsys.readouterr().out == ""


def test_record_refreshes_recording_and_page(here: Sample, modes: list, capsys: pytest.CaptureFixture[str]) -> None:
    here.change_row(SHAPES, patterns=[{"match": "shapes cannot be multiplied"}])
    for file in ("broken.py", "fixed.py"):
        here.edit(SHAPES, file, "torch.ones(2, 3)", "torch.ones(6, 3)")
    assert main(["record", SHAPES]) == 0
    folder = f"common-errors/samples/{SHAPES}"
    assert sorted(capsys.readouterr().out.split()) == [
        f"{folder}/{name}" for name in ("README.md", "broken.out", "fixed.out")
    ]
    page = (here.folder(SHAPES) / "README.md").read_text(encoding="utf-8")
    assert "(6x3 and 4x5)" in page
    assert "```text printed\n(6, 5)\n```" in page
    assert "(2x3 and 4x5)" not in page
    assert lines(check_files(here.entry(SHAPES))) == []


def test_a_recording_reads_as_a_terminal(here: Sample) -> None:
    text = (here.folder(SHAPES) / "broken.out").read_text(encoding="utf-8")
    assert re.fullmatch(
        r"\$ python broken\.py\nTraceback \(most recent call last\):\n"
        r'  File "broken\.py", line 5, in <module>\n(?:.*\n)*'
        r"RuntimeError: .*\(2x3 and 4x5\)\n# exit status 1 \| torch \S+ \| Python \S+ \| \w+ \w+ \| .+\n",
        text,
    )
    assert Recording.load(here.folder(SHAPES) / "broken.out").to_text() == text
    assert str(here.root) not in text


def test_a_broken_promise_is_not_recorded(here: Sample, modes: list, capsys: pytest.CaptureFixture[str]) -> None:
    here.edit(SHAPES, "broken.py", "left @ right", "left[7]")
    here.edit(BROADCAST, "fixed.py", "loss=", "error=")
    before = _contents(here.folder(SHAPES))
    assert main(["record", SHAPES, BROADCAST]) == 1
    shown = capsys.readouterr()
    assert _contents(here.folder(SHAPES)) == before
    assert shown.err.startswith(f"{SHAPES}: not recorded: broken.py: promised RuntimeError, raised IndexError")
    assert shown.err.count("\n") == 1
    assert f"common-errors/samples/{BROADCAST}/fixed.out" in shown.out


# new ---------------------------------------------------------------------------------------------------------------

INDEX = """\
# The first line.
categories:
  shapes:   # a comment behind a key
    title: "Shapes"
    summary: Shapes that disagree.
    entries:
      one-error:
        title: One error
        summary: >-
          A sentence
          over two lines.
        kind: exception
        exception: RuntimeError{end}{between}
  numbers:
    summary: Numbers that are wrong.
    title: Numbers
    entries:
      silent-error: {{kind: warning, title: A, summary: B, warning: C}}
# The last line.
"""
ENDS = {
    "plain": "",
    "comment": "  # a comment",
    "block-scalar": "\n        requires:\n          - |-\n            posix",
    "folded-scalar": "\n        requires:\n          - >-\n            posix",
    "flow": "\n        requires: [\n          posix\n        ]",
    "quoted": '\n        requires:\n          - "posix"',
}


def _index(root: Path, text: str) -> None:
    (root / "catalog.yaml").write_bytes(text.encode())
    for id in ("shapes/one-error", "numbers/silent-error"):
        folder = root / "common-errors" / id
        folder.mkdir(parents=True)
        (folder / "entry.yaml").write_text("patterns: [{match: mat1 and mat2}]\n", encoding="utf-8")


def _without_row(text: str) -> str:
    """The index without the row of my-new-error."""
    return re.sub(r"      my-new-error:\r?\n(?:        .*\n)+", "", text, count=1)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("between", ["", "\n\n  # A comment above the next category."], ids=["close", "apart"])
@pytest.mark.parametrize("category", ["shapes", "numbers"])
def test_new_keeps_the_index_as_people_wrote_it(
    end: str, between: str, category: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = INDEX.format(end=ENDS[end], between=between)
    _index(tmp_path, before)
    assert main(["new", category, "my-new-error"]) == 0
    after = (tmp_path / "catalog.yaml").read_bytes().decode()
    assert after != before
    assert _without_row(after) == before
    assert [entry.id for entry in load_catalog(tmp_path).category(category).entries][1:] == ["my-new-error"]


PLAIN = INDEX.format(end="", between="\n")
OTHER_FORMS = {
    "no-newline-at-the-end": PLAIN.replace("# The last line.\n", "").rstrip("\n"),
    "windows-line-ends": PLAIN.replace("\n", "\r\n"),
    "empty-category": re.sub(r"entries:\n      silent-error.*", "entries: {}", PLAIN),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_new_in_an_index_of_another_form(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = OTHER_FORMS[form]
    _index(tmp_path, before)
    assert main(["new", "numbers", "my-new-error"]) == 0
    after = (tmp_path / "catalog.yaml").read_bytes().decode()
    kept = before.replace("entries: {}", "entries:")
    assert _without_row(after) in (kept, kept + "\n")
    assert load_catalog(tmp_path).entry("my-new-error").category == "numbers"


def test_new_fits_the_schema_and_fails_verification(
    here: Sample, modes: list, runner: Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "samples", "my-new-error"]) == 0
    written = [line for line in capsys.readouterr().out.splitlines() if (here.root / line).is_file()]
    assert {Path(line).name for line in written} == {
        "catalog.yaml", "entry.yaml", "broken.py", "fixed.py", "cases.py", "README.md",
    }  # fmt: skip
    assert here.entry("my-new-error").kind == "exception"
    found = here.verify(runner, "my-new-error")["my-new-error"]
    assert any("promised RuntimeError, ended with exit status 0" in line for line in found)
    assert any(line.startswith("cases.py") for line in found)
    assert any("the confirmation should say yes" in line for line in found)
    assert main(["record", "my-new-error"]) == 1
    assert not (here.folder("my-new-error") / "broken.out").exists()
    assert main(["verify", "my-new-error"]) == 1


@pytest.mark.parametrize(
    "id",
    ["My-Error", "my_error", "-error", "error-", "a--b", "", "../x", "ü", "123", "null", "on", "2024-01-02", "a" * 300],
)
def test_new_refuses_a_bad_id_and_writes_nothing(id: str, here: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    before = _contents(here.root)
    with pytest.raises(SystemExit) if id.startswith("-") else contextlib.nullcontext():
        assert main(["new", "samples", id]) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert id in line
    assert _contents(here.root) == before


# renamed entries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old", ["sizes-disagree", pytest.param("tensors/sizes-disagree", marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize(("command", "status"), [("show", 0), ("run", 1), ("compare", 0), ("verify", 0), ("record", 0)])
def test_commands_accept_what_an_entry_was_called(
    command: str, status: int, old: str, here: Sample, modes: list, capfd: pytest.CaptureFixture[str]
) -> None:
    """They use the entry, and say on standard error what it is called now."""
    here.change_row(SHAPES, formerly=["tensors/sizes-disagree"])
    if command in ("run", "compare"):
        _replace_scripts(here, SHAPES)
    assert main([command, SHAPES]) == status
    now = capfd.readouterr()
    assert main([command, old]) == status
    then = capfd.readouterr()
    name = f"samples/{SHAPES}" if "/" in old else SHAPES
    assert then.err.startswith(f"torch-errors: {old} is now called {name}\n")
    assert "is now called" not in now.err and "is now called" not in then.out
    assert then.out == now.out


def test_an_entry_named_by_both_its_ids_is_verified_once(
    here: Sample, modes: list, capfd: pytest.CaptureFixture[str]
) -> None:
    here.change_row(SHAPES, formerly=["sizes-disagree"])
    assert main(["verify", "--json", "sizes-disagree", SHAPES]) == 0
    assert [row["id"] for row in json.loads(capfd.readouterr().out)["entries"]] == [SHAPES]


def test_a_former_id_is_not_given_again(here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    here.change_row(SHAPES, formerly=["sizes-disagree"])
    before = _contents(here.root)
    assert f"is what {SHAPES} was called" in _one_line(["new", "samples", "sizes-disagree"], capfd)
    assert _contents(here.root) == before


def test_pages_quote_an_entry_by_its_id_of_today(here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    here.change_row(SHAPES, formerly=["sizes-disagree"])
    page = here.root / "troubleshooting-workflows" / "shapes.md"
    page.parent.mkdir()
    page.write_text('# Shapes\n\n```text recorded="sizes-disagree/broken.out" part="message"\n```\n', encoding="utf-8")
    assert main(["verify", "troubleshooting-workflows/shapes.md"]) == 1
    assert f"is now called {SHAPES}" in " ".join(capfd.readouterr().out.split())


# schema -----------------------------------------------------------------------------------------------------------


def test_schema_prints_the_committed_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == (ROOT / "catalog.schema.json").read_text(encoding="utf-8")


# Bad input ---------------------------------------------------------------------------------------------------------


def _one_line(arguments: Sequence[str], capfd: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    [line] = shown.err.splitlines()
    assert line.startswith("torch-errors: ")
    return line


@pytest.mark.parametrize("command", ["show", "run", "compare", "verify", "record"])
def test_an_unknown_id(command: str, here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    line = _one_line([command, "shape-disagree"], capfd)
    assert "no entry 'shape-disagree' in catalog.yaml; did you mean shapes-disagree" in line


@pytest.mark.parametrize("arguments", [["list", "--category", "sample"], ["new", "sample", "my-new-error"]])
def test_an_unknown_category(arguments: list[str], here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    assert "no category 'sample' in catalog.yaml; did you mean samples?" in _one_line(arguments, capfd)


@pytest.mark.parametrize(
    "command", [["list"], ["show", SHAPES], ["run", SHAPES], ["verify"], ["record"], ["new", "samples", "x"]]
)
def test_a_broken_index(command: list[str], here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    here.change_row(SHAPES, exceptoin="RuntimeError")
    line = _one_line(command, capfd)
    assert re.search(r"entry\.yaml:\d+: entry shapes-disagree, field exceptoin: is not a known field", line)


@pytest.mark.parametrize(
    ("file", "commands"),
    [
        ("broken.py", [["run", GRAPH], ["compare", GRAPH], ["record", GRAPH]]),
        ("fixed.py", [["run", GRAPH, "--fixed"], ["compare", GRAPH], ["record", GRAPH]]),
        ("wrong_fix.py", [["run", GRAPH, "--wrong-fix"], ["record", GRAPH]]),
        ("README.md", [["show", GRAPH]]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_missing_file(
    file: str, commands: list[list[str]], here: Sample, modes: list, capfd: pytest.CaptureFixture[str]
) -> None:
    _replace_scripts(here, GRAPH)
    (here.folder(GRAPH) / file).unlink()
    for command in commands:
        assert str(here.folder(GRAPH) / file) in _one_line(command, capfd)


def test_a_page_that_is_not_utf8(here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    (here.folder(GRAPH) / "README.md").write_bytes(b"# Gr\xf6\xdfe\n")
    assert "README.md" in _one_line(["show", GRAPH], capfd)


def test_no_wrong_fix(here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    assert f"{SHAPES} has no wrong fix" in _one_line(["run", SHAPES, "--wrong-fix"], capfd)


def test_an_id_that_is_taken(here: Sample, capfd: pytest.CaptureFixture[str]) -> None:
    before = _contents(here.root)
    assert f"the id {SHAPES} is taken by {here.folder(SHAPES)}" in _one_line(["new", "samples", SHAPES], capfd)
    here.folder("forgotten").mkdir()
    assert "forgotten exists, and catalog.yaml does not list it" in _one_line(["new", "samples", "forgotten"], capfd)
    assert _contents(here.root) == before


def test_alone_it_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("usage: torch-errors") and "explain" in shown.out and shown.err == ""


@pytest.mark.parametrize("arguments", [["nothing"], ["verify", "--seeds", "0"], ["verify", "--workers", "x"], ["run"]])
def test_bad_arguments_end_with_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: torch-errors" in capsys.readouterr().err


# As a command of its own -------------------------------------------------------------------------------------------


def test_the_module_is_the_command(sample: Sample, python: Python) -> None:
    listed = python("-m", "torch_errors", "list", "--json", cwd=sample.root)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [row["id"] for row in json.loads(listed.stdout)] == list(ROWS)
    unknown = python("-m", "torch_errors", "show", "nothing-like-it", cwd=sample.folder(SHAPES))
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.splitlines() == [
        "torch-errors: no entry 'nothing-like-it' in catalog.yaml; `torch-errors list` shows them all"
    ]


def test_the_command_runs_and_verifies(sample: Sample, python: Python) -> None:
    ran = python("-m", "torch_errors", "run", BROADCAST, cwd=sample.root)
    assert (ran.returncode, ran.stdout) == (0, "loss=0.0\n")
    assert "UserWarning: Using a target size" in ran.stderr
    verified = python("-m", "torch_errors", "verify", BROADCAST, cwd=sample.root)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "1 held, 0 not held, 0 skipped" in verified.stdout


@pytest.mark.exhaustive  # one interpreter a script; test_runner.py compares what both ways report
def test_the_command_verifies_afresh(sample: Sample, python: Python) -> None:
    sample.edit(BROADCAST, "fixed.py", ".squeeze(1)", "")
    fresh = python("-m", "torch_errors", "verify", "--fresh", "--json", BROADCAST, cwd=sample.root)
    assert (fresh.returncode, json.loads(fresh.stdout)["held"]) == (1, False)


COMMANDS = """\
import io, sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import PathFinder
{prepare}
import torch_errors
from torch_errors.cli import main
for command in {commands}:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = main(command)
    print(command[0], status, err.getvalue(), sep="|", end="" if err.getvalue() else "\\n")
print("torch" in sys.modules)
"""
# An environment in which only the package's own dependencies are installed.
WITHOUT_EXTRAS = """
class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name in ("torch", "torchvision", "numpy", "psutil") else PathFinder.find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""
LOOKING_UP = [["list"], ["list", "--json"], ["show", SHAPES], ["schema"], ["new", "samples", "my-new-error"]]
RUNNING = [["run", SHAPES], ["compare", SHAPES], ["verify"], ["record"]]


@pytest.mark.parametrize("prepare", ["", WITHOUT_EXTRAS], ids=["torch-installed", "torch-not-installed"])
def test_looking_up_never_imports_torch(prepare: str, sample: Sample, python: Python) -> None:
    done = python("-c", COMMANDS.format(prepare=prepare, commands=LOOKING_UP), cwd=sample.root)
    assert done.stdout.splitlines() == [f"{command[0]}|0|" for command in LOOKING_UP] + ["False"], done.stderr


@pytest.mark.parametrize("command", RUNNING, ids=lambda command: command[0])
def test_without_torch_one_line_says_so(command: list[str], sample: Sample, python: Python) -> None:
    done = python("-c", COMMANDS.format(prepare=WITHOUT_EXTRAS, commands=[command]), cwd=sample.root)
    assert done.stderr == ""
    said, torch_imported = done.stdout.splitlines()
    assert said.startswith(f"{command[0]}|2|torch-errors: torch is not installed for ")
    assert "make setup" in said
    assert torch_imported == "False"


def test_outside_a_checkout_the_packages_own_catalog_answers(tmp_path: Path, python: Python) -> None:
    listed = python("-m", "torch_errors", "list", "--json", cwd=tmp_path)
    assert listed.returncode == 0
    assert len(json.loads(listed.stdout)) >= 18


def test_a_closed_pipe_is_no_error(sample: Sample, python: Python) -> None:
    code = (
        "import subprocess as s, sys\n"
        "p = s.Popen([sys.executable, '-m', 'torch_errors', 'list'], stdout=s.PIPE, stderr=s.PIPE)\n"
        "p.stdout.close()\nprint(p.stderr.read(), p.wait())\n"
    )
    assert python("-c", code, cwd=sample.root).stdout == "b'' 0\n"
