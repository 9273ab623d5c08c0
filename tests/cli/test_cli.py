"""The command: what each subcommand prints, writes and returns, and how it refuses bad input."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import data
from tests.conftest import ROOT
from tests.guide import CATALOG
from tests.samples import BROADCAST, DIVERGE, GRAPH, ROWS, SHAPES, VIEWED, Sample, lines
from torch_errors.catalog.loading import load_catalog
from torch_errors.cli import main
from torch_errors.running.pool import Runner
from torch_errors.verifying.files import check_files

PROGRAMS = data("programs.yaml")["cli"]

Python = Callable[..., subprocess.CompletedProcess[str]]
Shown = Any  # what pytest captured: `out` and `err`
Command = Callable[..., Shown]


@pytest.fixture
def here(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> Sample:
    """The sample catalog as the one around the working directory, in a wide terminal."""
    monkeypatch.chdir(sample.root)
    monkeypatch.setenv("COLUMNS", "200")
    return sample


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command, which must end with `status`, and gives what it printed."""

    def run(*arguments: str, status: int = 0) -> Shown:
        assert main(arguments) == status
        return capfd.readouterr()

    return run


@pytest.fixture
def refused(command: Command) -> Callable[..., str]:
    """Runs the command with bad input, and gives the one line that it must say."""

    def run(*arguments: str) -> str:
        shown = command(*arguments, status=2)
        assert shown.out == "" and "Traceback" not in shown.err
        [line] = shown.err.splitlines()
        assert line.startswith("torch-errors: ")
        return line

    return run


@pytest.fixture
def modes(here: Sample, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, int | None]]:
    """Lets the commands share the tests' runner; gives the modes and workers that they asked for."""
    asked: list[tuple[str | None, int | None]] = []

    def shared(mode: str | None = None, workers: int | None = None, variables: object = None) -> Any:
        asked.append((mode, workers))
        return contextlib.nullcontext(runner)

    monkeypatch.setattr("torch_errors.running.pool.Runner", shared)
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


def test_list_names_every_entry(here: Sample, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = command("list").out.split()
    assert [word for word in words if word in ROWS] == list(ROWS)
    assert {"exception", "warning", "silent", "(samples)"} <= set(words)


def test_list_shows_titles_as_they_are(here: Sample, command: Command) -> None:
    """Brackets in a title are no markup: shapes are written with them."""
    here.change_row(SHAPES, title="Got [batch, features], expected [red] of [/b]")
    assert "Got [batch, features], expected [red] of [/b]" in command("list").out


def test_list_as_json(here: Sample, command: Command) -> None:
    rows = json.loads(command("list", "--json").out)
    assert [row["id"] for row in rows] == list(ROWS)
    for row in rows:
        expected = {key: ROWS[row["id"]][key] for key in ("title", "summary", "kind")}
        assert row == row | expected | {"category": "samples", "folder": f"common-errors/samples/{row['id']}"}


def test_list_of_one_category(tmp_path: Path, command: Command) -> None:
    """Outside a checkout: of the package's own catalog."""
    with contextlib.chdir(tmp_path):
        every = json.loads(command("list", "--json").out)
        some = json.loads(command("list", "--json", "--category", every[0]["category"]).out)
    assert some == [row for row in every if row["category"] == every[0]["category"]]
    assert 0 < len(some) < len(every) == len(CATALOG)


def test_show_prints_the_page(here: Sample, command: Command) -> None:
    shown = command("show", SHAPES).out
    assert "Two shapes disagree" in shown and str(here.folder(SHAPES)) in shown
    assert "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)" in shown and "recorded=" not in shown


def test_show_begins_with_the_smallest_fix(command: Command) -> None:
    fix = (CATALOG.entry("missing-zero-grad").fields.fix or "").replace("`", "")
    assert " ".join(command("show", "missing-zero-grad").out.split()).startswith(f"smallest fix: {fix} ")


WIDTHS = [40, 100, *(pytest.param(columns, marks=pytest.mark.exhaustive) for columns in (60, 80, 140))]


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_list_in_a_terminal_fits_and_cuts_no_id(
    columns: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = re.sub(r"\x1b\[[\d;]*m", "", command("list").out)
    assert {entry.id for entry in CATALOG} <= set(shown.split())
    assert max(map(len, shown.splitlines())) <= columns


# explain -----------------------------------------------------------------------------------------------------------


def test_explain_takes_a_message(command: Command) -> None:
    message = "mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"
    for arguments in ([f"RuntimeError: {message}"], message.split()):  # in quotes, and without
        assert "(matmul-shape-mismatch)" in command("explain", *arguments).out


def test_explain_takes_a_file(tmp_path: Path, command: Command, refused: Callable[..., str]) -> None:
    path = tmp_path / "my errors.txt"
    path.write_text("mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)", encoding="utf-8")
    assert "(matmul-shape-mismatch)" in command("explain", str(path)).out
    (tmp_path / "error.txt").touch()
    assert refused("explain", str(tmp_path / "eror.txt")).endswith(f"no such file; did you mean {tmp_path}/error.txt?")
    assert "put a message in quotes" in refused("explain", "nowhere/at-all.log")


@pytest.mark.parametrize("text", ["", " \n"])
def test_explain_of_nothing_says_what_to_pass(text: str, refused: Callable[..., str]) -> None:
    assert "the whole output of the program" in refused("explain", text)


def test_no_text_is_a_dead_end(command: Command) -> None:
    """The nearest by words, called so, and where to go on."""
    told = command("explain", "my loss is not decreasing", status=1).out
    for part in (
        "symptom: Loss does not decrease",
        "1. ",
        "2. ",
        "3. ",
        "torch-errors show loss-does-not-fall",
        "--watch",
    ):
        assert part in told
    error = command("explain", "IndexError: list index out of range", status=1).out
    assert "error: IndexError: list index out of range" in error and "nearest entries by words" in error
    assert error.count(" -> ") == 3 and "five-minute-checklist" in error
    nothing = command("explain", "zzz qqq", status=1).out
    assert nothing.startswith("Nothing in the guide") and "five-minute-checklist" in nothing
    chinese = command("explain", "--lang", "zh", "显存越来越大", status=1).out
    assert "现象：内存或显存不断增长" in chinese and "排查流程：torch-errors show out-of-memory" in chinese


def test_what_is_nearest_as_json(command: Command) -> None:
    found = json.loads(command("explain", "--json", "loss is nan", status=1).out)
    assert found["matches"] == [] and len(found["guesses"]) == 3
    [symptom] = found["symptoms"]
    assert (
        symptom["id"] == "loss-becomes-nan"
        and symptom["workflow"] == "loss-is-nan"
        and "fp16-overflow" in symptom["causes"]
    )


def test_show_prefers_the_entry_where_a_workflow_has_its_name(command: Command) -> None:
    """What `explain` names is an entry."""
    catalog = CATALOG
    assert "overfitting" in catalog.by_id and "overfitting" in catalog.workflows
    with contextlib.chdir(ROOT):
        assert str(catalog.entry("overfitting").folder) in command("show", "overfitting").out.replace("\n", "")
        assert "Decision path" in command("show", "loss-is-nan").out


# run and compare ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "status", "output"),
    [([], 1, "from broken []\n"), (["--fixed"], 0, "from fixed []\n"), (["--wrong-fix"], 1, "from wrong fix\n")],
    ids=["broken", "fixed", "wrong-fix"],
)
def test_run_is_the_script_as_by_hand(
    options: list[str], status: int, output: str, here: Sample, command: Command
) -> None:
    _replace_scripts(here, GRAPH)
    shown = command("run", GRAPH, *options, status=status)
    assert shown.out == output
    assert bool(shown.err) == ("Traceback" in shown.err) == bool(status)


def test_run_case_runs_one_cell_and_explains_its_error(here: Sample, command: Command) -> None:
    """As verification does: with the lines above the first cell, which import torch."""
    shown = command("run", VIEWED, "--case", "seven", status=1).out
    printed, _, explained = shown.partition("\ntorch-errors explain:\n")
    assert "RuntimeError: shape '[2, 3]' is invalid for input of size 7" in printed
    assert VIEWED in explained and "There are 7 elements." in explained
    assert command("run", VIEWED, "--case", "twelve, fixed").out == ""


def test_run_case_lists_the_titles(here: Sample, command: Command, refused: Callable[..., str]) -> None:
    listed = command("run", VIEWED, "--case").out.splitlines()
    assert listed[:2] == ["fault    seven", "fault    eight"] and "right    six" in listed
    assert "'seven', 'eight', 'twelve', 'twelve, fixed', 'twenty'" in refused("run", VIEWED, "--case", "nine")
    (here.folder(VIEWED) / "cases.py").unlink()
    assert "cases.py: is missing" in refused("run", VIEWED, "--case", "seven")


def test_compare_says_what_an_entry_needs(here: Sample, command: Command) -> None:
    _replace_scripts(here, GRAPH)
    here.change_row(GRAPH, requires=["cuda"])
    assert command("compare", GRAPH).err == f"{GRAPH} needs cuda\n"


def test_compare_shows_both_outputs_and_the_fix(here: Sample, command: Command) -> None:
    _replace_scripts(here, GRAPH)
    shown = command("compare", GRAPH).out
    parts = ["broken.py", "from broken []", "IndexError", "fixed.py", "from fixed []", "-[][1]  # error"]
    found = [shown.find(part) for part in parts]
    assert -1 not in found and found == sorted(found)


# verify ------------------------------------------------------------------------------------------------------------


def test_verify_returns_0_where_all_holds(here: Sample, modes: list, command: Command) -> None:
    shown = command("verify")
    assert re.findall(r"^([a-z-]+) +held", shown.out, re.MULTILINE) == list(ROWS)
    assert "5 held, 0 not held, 0 skipped" in shown.out and shown.err == ""
    assert modes == [(None, None)]


def test_verify_returns_1_and_says_what_did_not_hold(here: Sample, modes: list, command: Command) -> None:
    here.edit(SHAPES, "broken.py", "left @ right", "left.view([7])")
    shown = command("verify", SHAPES, GRAPH, SHAPES, "--fresh", "--workers", "3", status=1).out
    not_held = rf"^{SHAPES} +not held +broken\.py: no pattern matches .*'\[7\]'.*\n +recorded/broken\.out: "
    assert re.search(not_held, shown, re.MULTILINE)
    assert "1 held, 1 not held, 0 skipped" in shown
    assert modes == [("fresh", 3)]


def test_verify_as_json(here: Sample, modes: list, command: Command) -> None:
    here.edit(SHAPES, "broken.py", "  # error", "")
    here.edit(DIVERGE, "wrong_fix.py", "item():.4g", "item() * float('nan'):.4g")
    found = json.loads(command("verify", "--json", "--seeds", "2", SHAPES, DIVERGE, BROADCAST, status=1).out)
    assert found["held"] is False
    rows = {row["id"]: row for row in found["entries"]}
    states = {id: row["state"] for id, row in rows.items()}
    assert states == {SHAPES: "not held", BROADCAST: "held", DIVERGE: "not held"}
    assert {finding["where"] for finding in rows[SHAPES]["findings"]} == {"broken.py"}
    assert rows[DIVERGE]["values"]["wrong_fix"] == ["nan", "nan"]
    assert len(rows[DIVERGE]["values"]["broken"]) == 2
    assert rows[BROADCAST]["findings"] == []


def test_verify_of_all_reports_stray_folders(here: Sample, modes: list, command: Command) -> None:
    here.write_rows({BROADCAST: here.rows()[BROADCAST]})
    for id in ROWS.keys() - {BROADCAST}:
        shutil.rmtree(here.folder(id))
    here.folder("forgotten").mkdir()
    assert "forgotten" not in command("verify", BROADCAST).out
    assert "common-errors/samples/forgotten: the folder is not in catalog.yaml" in command("verify", status=1).out
    assert len(json.loads(command("verify", "--json", status=1).out)["strays"]) == 1


# record ------------------------------------------------------------------------------------------------------------


def _contents(root: Path) -> dict[Path, tuple[bytes, int]]:
    files = [path for path in root.rglob("*") if path.is_file() and ".compiled" not in path.parts]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_record_again_changes_nothing(here: Sample, modes: list, command: Command) -> None:
    before = _contents(here.root)
    assert command("record").out == ""
    assert _contents(here.root) == before


def test_record_refreshes_recording_and_page(here: Sample, modes: list, command: Command) -> None:
    here.change_row(SHAPES, patterns=[{"match": "shapes cannot be multiplied"}])
    for file in ("broken.py", "fixed.py"):
        here.edit(SHAPES, file, "torch.ones(2, 3)", "torch.ones(6, 3)")
    written = [
        f"common-errors/samples/{SHAPES}/{name}" for name in ("README.md", "recorded/broken.out", "recorded/fixed.out")
    ]
    assert sorted(command("record", SHAPES).out.split()) == written
    page = (here.folder(SHAPES) / "README.md").read_text(encoding="utf-8")
    assert "(6x3 and 4x5)" in page and "(2x3 and 4x5)" not in page
    assert "```text printed\n(6, 5)\n```" in page
    assert lines(check_files(here.entry(SHAPES))) == []


def test_a_recording_reads_as_a_terminal_in_the_folder_of_the_script(here: Sample) -> None:
    text = (here.folder(SHAPES) / "recorded/broken.out").read_text(encoding="utf-8")
    assert text.startswith('$ python broken.py\nTraceback (most recent call last):\n  File "broken.py", line 5, in <m')


def test_a_broken_promise_is_not_recorded(here: Sample, modes: list, command: Command) -> None:
    here.edit(SHAPES, "broken.py", "left @ right", "left[7]")
    here.edit(BROADCAST, "fixed.py", "loss=", "error=")
    before = _contents(here.folder(SHAPES))
    shown = command("record", SHAPES, BROADCAST, status=1)
    assert _contents(here.folder(SHAPES)) == before
    assert shown.err.startswith(f"{SHAPES}: not recorded: broken.py: promised RuntimeError, raised IndexError")
    assert shown.err.count("\n") == 1
    assert f"common-errors/samples/{BROADCAST}/recorded/fixed.out" in shown.out


# new ---------------------------------------------------------------------------------------------------------------

INDEX = PROGRAMS["index"]
ENDS = {
    "plain": "",
    "comment": "  # a comment",
    "block-scalar": "\n        requires:\n          - |-\n            posix",
    "flow": "\n        requires: [\n          posix\n        ]",
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


PLAIN = INDEX.format(end="", between="\n")
# Indexes as people write them, to each of which an entry is added in two categories.
INDEXES = {
    **{f"{name}-{apart}": INDEX.format(end=end, between=between) for name, end in ENDS.items()
       for apart, between in {"close": "", "apart": "\n\n  # A comment above the next category."}.items()},
    "no-newline-at-the-end": PLAIN.replace("# The last line.\n", "").rstrip("\n"),
    "windows-line-ends": PLAIN.replace("\n", "\r\n"),
    "empty-category": re.sub(r"entries:\n      silent-error.*", "entries: {}", PLAIN),
}  # fmt: skip


@pytest.mark.parametrize("form", INDEXES)
@pytest.mark.parametrize("category", ["shapes", "numbers"])
def test_new_keeps_the_index_as_people_wrote_it(form: str, category: str, tmp_path: Path, command: Command) -> None:
    before = INDEXES[form]
    _index(tmp_path, before)
    there = len(load_catalog(tmp_path).category(category).entries)
    with contextlib.chdir(tmp_path):
        command("new", category, "my-new-error")
    after = (tmp_path / "catalog.yaml").read_bytes().decode()
    kept = before.replace("entries: {}", "entries:") if category == "numbers" else before
    assert (
        _without_row(after) in (kept, f"{kept}\n") if form == "no-newline-at-the-end" else _without_row(after) == kept
    )
    assert [entry.id for entry in load_catalog(tmp_path).category(category).entries][there:] == ["my-new-error"]


# Kind -> what verification says of the new broken.py, and of the new cases.
UNFINISHED = {
    "exception": ("promised RuntimeError, ended with exit status 0 and no exception", "raises nothing"),
    "warning": ("promised a UserWarning that matches; warnings seen: none", "`explain` answers nothing, .*"),
    "silent": ("final_loss=.* is not in the broken range .*", "the confirmation should say yes, .*"),
}


@pytest.mark.parametrize("kind", UNFINISHED)
def test_new_writes_all_that_verification_asks_for(
    kind: str, here: Sample, modes: list, runner: Runner, command: Command
) -> None:
    """What is left to say of it: that it does not fail yet, is not recorded, and what is still to be filled in."""
    id = f"my-new-{kind}"
    shown = command("new", "samples", id, *(["--kind", kind] if kind != "exception" else []))
    written = [line for line in shown.out.splitlines() if (here.root / line).is_file()]
    detector = {"watch.py"} if kind == "silent" else set()
    assert {Path(line).name for line in written} == detector | {
        "catalog.yaml", "entry.yaml", "broken.py", "fixed.py", "cases.py", "README.md",
    }  # fmt: skip
    assert here.entry(id).kind == kind
    found = here.verify(runner, id)[id]
    unfilled = [line for line in found if "still to be filled in: " in line]
    broken, case = UNFINISHED[kind]
    expected = [
        rf"broken\.py: {broken}",
        rf"cases\.py:\d+: TODO: .*: {case}",
        r"(broken|cases)\.py(:\d+: TODO: .*)?: the confirmation should say yes, says: no, .*",
        r"cases\.py:\d+: TODO: .*: `explain` answers nothing, to: no output",
        r"README\.md:\d+: is not what the confirmation says; .*",
        r"recorded/(broken|fixed)\.out: is missing; .*",
        *([rf"broken\.py: --watch: should report {id}, reports nothing"] if detector else []),
    ]
    rest = [line for line in found if line not in unfilled]
    assert [line for line in rest if not any(re.fullmatch(pattern, line) for pattern in expected)] == []
    assert [pattern for pattern in expected[:3] if not any(re.fullmatch(pattern, line) for line in rest)] == []
    assert len(unfilled) == sum(_todos(here.root / line) for line in written[1:])
    command("record", id, status=1)
    assert not (here.folder(id) / "recorded/broken.out").exists()
    command("verify", id, status=1)


def _todos(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("TODO:")


def test_new_silent_entry_names_a_symptom_of_the_catalog(here: Sample, command: Command) -> None:
    """Or the catalog could not be loaded."""
    here.change_row(DIVERGE, symptoms={"odd-loss": 1})
    symptoms = "symptoms: {odd-loss: {title: Odd loss, summary: It is odd., keywords: [odd]}}\n"
    here.index.write_text(symptoms + here.index.read_text(encoding="utf-8"), encoding="utf-8")
    command("new", "samples", "my-new-error", "--kind", "silent")
    assert here.entry("my-new-error").fields.symptoms == {"odd-loss": 1}


@pytest.mark.parametrize(
    "id",
    ["My-Error", "my_error", "-error", "error-", "a--b", "", "../x", "ü", "123", "null", "on", "2024-01-02", "a" * 300],
)
def test_new_refuses_a_bad_id_and_writes_nothing(id: str, here: Sample, command: Command) -> None:
    before = _contents(here.root)
    with pytest.raises(SystemExit) if id.startswith("-") else contextlib.nullcontext():
        [line] = command("new", "samples", id, status=2).err.splitlines()
        assert id in line
    assert _contents(here.root) == before


# renamed entries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "status"),
    [
        ("show", "tensors/sizes-disagree", 0),
        *((name, "sizes-disagree", 0) for name in ("show", "compare", "verify")),
        ("run", "sizes-disagree", 1),
    ],
)
def test_commands_accept_what_an_entry_was_called(
    name: str, old: str, status: int, here: Sample, modes: list, command: Command
) -> None:
    """They use the entry, and say on standard error what it is called now."""
    here.change_row(SHAPES, formerly=["tensors/sizes-disagree"])
    if name in ("run", "compare"):
        _replace_scripts(here, SHAPES)
    now, then = command(name, SHAPES, status=status), command(name, old, status=status)
    entry = f"samples/{SHAPES}" if "/" in old else SHAPES
    assert then.err.startswith(f"torch-errors: {old} is now called {entry}\n")
    assert "is now called" not in now.err and then.out == now.out


def test_an_entry_named_by_both_its_ids_is_verified_once(here: Sample, modes: list, command: Command) -> None:
    here.change_row(SHAPES, formerly=["sizes-disagree"])
    found = json.loads(command("verify", "--json", "sizes-disagree", SHAPES).out)
    assert [row["id"] for row in found["entries"]] == [SHAPES]


def test_pages_quote_an_entry_by_its_id_of_today(here: Sample, modes: list, command: Command) -> None:
    here.change_row(SHAPES, formerly=["sizes-disagree"])
    page = here.root / "troubleshooting-workflows" / "shapes.md"
    page.parent.mkdir()
    page.write_text('# Shapes\n\n```text recorded="sizes-disagree/broken.out" part="message"\n```\n', encoding="utf-8")
    shown = command("verify", "troubleshooting-workflows/shapes.md", status=1)
    assert f"is now called {SHAPES}" in " ".join(shown.out.split())


# schema -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "arguments"), [("catalog", []), ("entry", ["entry"])])
def test_schema_prints_the_committed_schema(name: str, arguments: list[str], command: Command) -> None:
    """Written by `torch-errors schema NAME > NAME.schema.json`."""
    assert command("schema", *arguments).out == (ROOT / f"{name}.schema.json").read_text(encoding="utf-8")


# Bad input ---------------------------------------------------------------------------------------------------------

NO_ENTRY = "no entry 'shape-disagree' in catalog.yaml; did you mean shapes-disagree"
NO_CATEGORY = "no category 'sample' in catalog.yaml; did you mean samples?"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        *(([name, "shape-disagree"], NO_ENTRY) for name in ("show", "run", "compare", "verify", "record")),
        (["list", "--category", "sample"], NO_CATEGORY),
        (["new", "sample", "my-new-error"], NO_CATEGORY),
        (["run", SHAPES, "--wrong-fix"], f"{SHAPES} has no wrong fix"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_not_there(arguments: list[str], says: str, here: Sample, refused: Callable[..., str]) -> None:
    assert says in refused(*arguments)


def test_a_broken_index(here: Sample, refused: Callable[..., str]) -> None:
    here.change_row(SHAPES, exceptoin="RuntimeError")
    for arguments in (["list"], ["show", SHAPES], ["run", SHAPES], ["verify"], ["record"], ["new", "samples", "x"]):
        said = refused(*arguments)
        assert re.search(r"entry\.yaml:\d+: entry shapes-disagree, field exceptoin: is not a known field", said)


@pytest.mark.parametrize(
    ("file", "commands"),
    [
        ("broken.py", [["run"], ["compare"], ["record"]]),
        ("fixed.py", [["run", "--fixed"], ["compare"], ["record"]]),
        ("wrong_fix.py", [["run", "--wrong-fix"], ["record"]]),
        ("README.md", [["show"]]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_missing_file(
    file: str, commands: list[list[str]], here: Sample, modes: list, refused: Callable[..., str]
) -> None:
    _replace_scripts(here, GRAPH)
    (here.folder(GRAPH) / file).unlink()
    for name, *options in commands:
        assert str(here.folder(GRAPH) / file) in refused(name, GRAPH, *options)


def test_a_page_that_is_not_utf8(here: Sample, refused: Callable[..., str]) -> None:
    (here.folder(GRAPH) / "README.md").write_bytes(b"# Gr\xf6\xdfe\n")
    assert "README.md" in refused("show", GRAPH)


def test_an_id_that_is_taken(here: Sample, refused: Callable[..., str]) -> None:
    here.change_row(SHAPES, formerly=["sizes-disagree"])
    here.folder("forgotten").mkdir()
    before = _contents(here.root)
    for id, says in (
        (SHAPES, f"the id {SHAPES} is taken by {here.folder(SHAPES)}"),
        ("forgotten", "forgotten exists, and catalog.yaml does not list it"),
        ("sizes-disagree", f"is what {SHAPES} was called"),
    ):
        assert says in refused("new", "samples", id)
    assert _contents(here.root) == before


def test_alone_it_shows_its_help(command: Command) -> None:
    shown = command()
    assert shown.out.startswith("usage: torch-errors") and "explain" in shown.out and shown.err == ""


def test_help_names_all_commands_users_first(command: Command) -> None:
    shown = command().out
    places = [shown.find(f"\n  {name}") for name in ("  explain", "  show", "  compare", "verify", "record", "schema")]
    assert -1 not in places and places == sorted(places)
    assert "--watch train.py" in shown and "exit status: 0" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and re.fullmatch(r"torch-errors \d+\.\d+\.\d+\n", capsys.readouterr().out)


@pytest.mark.parametrize(("typed", "meant"), [("exlpain", "did you mean explain?"), ("nothing", "--help lists")])
def test_typos_of_commands_are_corrected(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([typed])
    assert meant in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["nothing"], ["verify", "--seeds", "0"], ["verify", "--workers", "x"], ["run"]])
def test_bad_arguments_end_with_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2 and "usage: torch-errors" in capsys.readouterr().err


# As a command of its own -------------------------------------------------------------------------------------------


def test_the_module_is_the_command(sample: Sample, python: Python) -> None:
    unknown = python("-m", "torch_errors", "show", "nothing-like-it", cwd=sample.folder(SHAPES))
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.splitlines() == [
        "torch-errors: no entry 'nothing-like-it' in catalog.yaml; `torch-errors list` shows them all"
    ]


COMMANDS = PROGRAMS["commands"]
# An environment in which only the package's own dependencies are installed.
WITHOUT_EXTRAS = PROGRAMS["without extras"]
LOOKING_UP = [["list"], ["list", "--json"], ["show", SHAPES], ["schema"], ["new", "samples", "my-new-error"]]
RUNNING = [["run", SHAPES], ["compare", SHAPES], ["verify"], ["record"]]


@pytest.mark.parametrize("prepare", ["", WITHOUT_EXTRAS], ids=["torch-installed", "torch-not-installed"])
def test_looking_up_never_imports_torch(prepare: str, sample: Sample, python: Python) -> None:
    done = python("-c", COMMANDS.format(prepare=prepare, commands=LOOKING_UP), cwd=sample.root)
    assert done.stdout.splitlines() == [f"{command[0]}|0|" for command in LOOKING_UP] + ["False"], done.stderr


def test_without_torch_one_line_says_so(sample: Sample, python: Python) -> None:
    done = python("-c", COMMANDS.format(prepare=WITHOUT_EXTRAS, commands=RUNNING), cwd=sample.root)
    *said, torch_imported = done.stdout.splitlines()
    for [command, *_], line in zip(RUNNING, said, strict=True):
        assert line.startswith(f"{command}|2|torch-errors: torch is not installed for ") and "make setup" in line
    assert (done.stderr, torch_imported) == ("", "False")


def test_a_closed_pipe_is_no_error(sample: Sample, python: Python) -> None:
    code = (
        "import subprocess as s, sys\n"
        "p = s.Popen([sys.executable, '-m', 'torch_errors', 'list'], stdout=s.PIPE, stderr=s.PIPE)\n"
        "p.stdout.close()\nprint(p.stderr.read(), p.wait())\n"
    )
    assert python("-c", code, cwd=sample.root).stdout == "b'' 0\n"
