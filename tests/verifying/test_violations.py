"""Every promise of an entry is broken on purpose; verification must report it, and nothing else.

Most violations are planted in one catalog, each in its own copy of an entry of `samples.py`, so that one verification
runs them all. All findings are compared: an unexpected finding is a false alarm. These tests guard what guards the
entries, so only `make test-all` runs them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import data
from tests.samples import DIVERGE, GRAPH, SHAPES, Sample, lines
from torch_errors.cli import main
from torch_errors.errors import UserError
from torch_errors.running.pool import Runner
from torch_errors.running.report import Job, Limits, Report
from torch_errors.verifying.detectors import WatchedRun, judge_watched
from torch_errors.verifying.files import check_files, check_folders
from torch_errors.verifying.judging import judge
from torch_errors.verifying.skeletons import SUMMARY
from torch_errors.verifying.verify import verify

pytestmark = pytest.mark.exhaustive

PROGRAMS = data("programs.yaml")["violations"]
HEAD = "import torch\n"


@dataclass(frozen=True)
class Plant:
    """One violation: the changes in a copy of `base`, and all findings that are expected.

    The fields are those of `data/violations.yaml`.
    """

    name: str
    base: str
    expected: list[str] = field(default_factory=list)
    edits: list[tuple[str, str, str]] = field(default_factory=list)
    below_import: dict[str, str] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)
    recode: list[str] = field(default_factory=list)
    swap: bool = False

    def put(self, sample: Sample) -> None:
        folder = sample.folder(self.name)
        if self.swap:
            broken, fixed = folder / "broken.py", folder / "fixed.py"
            broken_source = broken.read_text(encoding="utf-8")
            broken.write_text(fixed.read_text(encoding="utf-8"), encoding="utf-8")
            fixed.write_text(broken_source, encoding="utf-8")
        for file, old, new in [*self.edits, *((file, HEAD, HEAD + new) for file, new in self.below_import.items())]:
            sample.edit(self.name, file, old, new)
        for file in self.remove:
            (folder / file).unlink()
        for file in self.recode:
            text = (folder / file).read_text(encoding="utf-8")
            (folder / file).write_text(text + "# größer\n", encoding="latin-1")


GROUPS = {
    group: [Plant(name, base, **fields) for base, plants in bases.items() for name, fields in plants.items()]
    for group, bases in data("violations.yaml").items()
}
CONTROLS = GROUPS["controls"]
# Violations that are verified alone: those that could end the whole verification, and those of cases, which need a
# catalog without a second entry that matches the same message.
ALONE = GROUPS["alone"] + GROUPS["cases"]
PLANTS = [plant for plants in GROUPS.values() for plant in plants if plant not in ALONE]
# Violations that are found without running anything.
STATIC = [plant.name for plant in GROUPS["staged"] + GROUPS["texts"]]


@pytest.fixture(scope="module")
def planted(recorded_sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """One catalog with all violations."""
    sample = recorded_sample.copy(tmp_path_factory.mktemp("planted").resolve() / "guide")
    rows = sample.rows()
    for plant in PLANTS:
        shutil.copytree(sample.folder(plant.base), sample.folder(plant.name))
        plant.put(sample)
        changed = rows[plant.base] | plant.row
        rows[plant.name] = {key: value for key, value in changed.items() if value is not None}
    sample.write_rows(rows)
    return sample


@pytest.fixture(scope="module")
def findings(planted: Sample, runner: Runner) -> dict[str, list[str]]:
    found = planted.verify(runner, choose=lambda entry: entry.id not in STATIC)
    return found | {id: lines(check_files(planted.entry(id))) for id in STATIC}


def _must_be_found(plant: Plant, found: list[str]) -> None:
    missing = [pattern for pattern in plant.expected if not any(re.fullmatch(pattern, line) for line in found)]
    unexpected = [line for line in found if not any(re.fullmatch(pattern, line) for pattern in plant.expected)]
    assert (missing, unexpected) == ([], [])


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_verification_finds_the_violation_and_nothing_else(plant: Plant, findings: dict[str, list[str]]) -> None:
    _must_be_found(plant, findings[plant.name])


@pytest.mark.parametrize("plant", ALONE, ids=lambda plant: plant.name)
def test_verification_finds_the_violation_in_a_catalog_of_its_own(plant: Plant, sample: Sample, runner: Runner) -> None:
    row = sample.rows()[plant.base] | plant.row
    sample.folder(plant.base).rename(sample.folder(plant.name))
    sample.write_rows({plant.name: row})
    plant.put(sample)
    _must_be_found(plant, sample.verify(runner)[plant.name])


def test_every_violation_expects_a_finding() -> None:
    """Except the controls, which expect none. Names are unique."""
    names = [plant.name for plant in PLANTS]
    assert len(names) == len(set(names))
    assert [plant.name for plant in PLANTS if plant not in CONTROLS and not plant.expected] == []
    assert [plant.name for plant in CONTROLS if plant.expected] == []


def test_writing_beside_a_script_is_prevented(planted: Sample, findings: dict[str, list[str]]) -> None:
    assert not (planted.folder("writes-beside-itself") / "notes.txt").exists()
    assert not (planted.folder("makes-a-folder-beside-itself") / "runs").exists()
    assert (planted.folder("removes-what-is-not-its-own") / "broken.py").is_file()


@pytest.mark.parametrize("name", ["leaves-a-process", "leaves-a-daemon"])
def test_processes_left_behind_are_ended(name: str, findings: dict[str, list[str]]) -> None:
    pids = re.findall(r"left a process behind: .*\(pid (\d+)\)", "\n".join(findings[name]))
    assert pids
    assert not any(psutil.pid_exists(int(pid)) for pid in pids)


def test_removing_a_folder_beside_the_script_is_prevented(sample: Sample, runner: Runner) -> None:
    """`rmtree` uses names relative to folder descriptors."""
    data = sample.folder(GRAPH) / "data"
    data.mkdir()
    (data / "keep.txt").write_text("kept", encoding="utf-8")
    remove = "import shutil\nfrom pathlib import Path\nshutil.rmtree(Path(__file__).with_name('data'))\n"
    sample.edit(GRAPH, "fixed.py", HEAD, HEAD + remove)
    found = sample.verify(runner, GRAPH)[GRAPH]
    assert any("fixed.py: tried to leave its sandbox" in line for line in found)
    assert (data / "keep.txt").read_text(encoding="utf-8") == "kept"


MEASURE_OF_THE_SEED = PROGRAMS["measure of the seed"]


@pytest.mark.parametrize("file", ["broken.py", "fixed.py", "wrong_fix.py"])
def test_a_lucky_seed_is_found_by_further_seeds(file: str, sample: Sample, runner: Runner) -> None:
    lucky, unlucky = (0.0, 1e6) if file == "fixed.py" else (1e6, 0.0)
    script = MEASURE_OF_THE_SEED.format(value=f"{lucky} if torch.initial_seed() < 2 else {unlucky}")
    if file == "broken.py":
        script = script.replace("(0)", "(0)  # error")
    (sample.folder(DIVERGE) / file).write_text(script, encoding="utf-8")
    assert sample.verify(runner, DIVERGE, seeds=2)[DIVERGE] == []
    [found] = sample.verify(runner, DIVERGE, seeds=3)[DIVERGE]
    assert found.startswith(f"{file}, seed +2: final_loss={unlucky:.4g} is not in the ")


def test_a_kept_promise_holds_with_ten_seeds(sample: Sample, runner: Runner) -> None:
    assert sample.verify(runner, DIVERGE, seeds=10)[DIVERGE] == []


@pytest.mark.parametrize("seeding", ["SEED = 0\ntorch.manual_seed(SEED)", "torch.manual_seed(seed=0)",
                                     "from torch import manual_seed\nmanual_seed(0)", "rate = 3.0"],
                         ids=["name", "keyword", "bare-function", "unseeded"])  # fmt: skip
def test_seeds_that_cannot_be_replaced_are_found(seeding: str, sample: Sample, runner: Runner) -> None:
    """Otherwise all runs would have the same seed."""
    for file in ("broken.py", "fixed.py", "wrong_fix.py"):
        sample.edit(DIVERGE, file, "torch.manual_seed(0)", seeding)
    assert sample.verify(runner, DIVERGE, seeds=2)[DIVERGE] != []


DETECTOR = PROGRAMS["detector"]


def test_a_detector_must_report_its_entry_and_nothing_else(sample: Sample, runner: Runner) -> None:
    detector = sample.folder(DIVERGE) / "watch.py"
    detector.write_text(DETECTOR.format(more="").replace("on_end", "on_gradients"), encoding="utf-8")
    found = sample.verify(runner, DIVERGE, seeds=2)[DIVERGE]
    silent = f"--watch: should report {DIVERGE}, reports nothing"
    assert found == [f"{file}{seed}: {silent}" for file in ("broken.py", "wrong_fix.py") for seed in ("", ", seed +1")]

    detector.write_text(DETECTOR.format(more="unseen = {'wrong_fix': 'why'}"), encoding="utf-8")
    should_not = f"--watch: should not report {DIVERGE}, reports {DIVERGE}"
    found = sample.verify(runner, DIVERGE)[DIVERGE]
    assert [line for line in found if not line.startswith("cases.py:")] == [
        f"{file}: {should_not}" for file in ("fixed.py", "wrong_fix.py")
    ]
    assert any(line.startswith("cases.py:") and line.endswith(should_not) for line in found)  # a right program

    # Reports on other entries' scripts are findings, unless those entries declare them.
    named = f"broken.py: {should_not}; if the program has this fault as well, declare it in `also_named`"
    assert named in sample.verify(runner, GRAPH)[GRAPH]
    details = sample.folder(GRAPH) / "entry.yaml"
    also = "also_named:\n  {}:\n    entries: [{}]\n    why: it does\n"
    details.write_text(details.read_text(encoding="utf-8") + also.format("broken", DIVERGE), encoding="utf-8")
    assert named not in sample.verify(runner, GRAPH)[GRAPH]
    sample.edit(GRAPH, "entry.yaml", "  broken:\n    entries", "  a title:\n    entries")
    unknown = "entry.yaml: also_named: 'a title' is neither a script of the entry nor the title of a right program"
    assert any(line.startswith(unknown) for line in sample.verify(runner, GRAPH)[GRAPH])

    detector.write_text("1 / 0", encoding="utf-8")
    [unloadable] = sample.verify(runner, DIVERGE)[DIVERGE]
    assert unloadable.endswith("watch.py: no class `Watch` can be loaded: ZeroDivisionError: division by zero")


def test_a_failing_detector_is_reported_in_every_watched_run(sample: Sample) -> None:
    report = Report(0, "", found=[DIVERGE], watch_failures=["other: ValueError: x"])
    for also in (None, frozenset[str]()):
        [found] = judge_watched(sample.entry(DIVERGE), WatchedRun("broken.py", "", shows=True, also=also), report)
        assert str(found.problem) == "--watch: other: ValueError: x"


EATER = PROGRAMS["eater"]


@pytest.mark.parametrize("start", ["", "child = os.fork()\nif child: os.waitpid(child, 0)"], ids=["script", "child"])
def test_a_script_above_its_memory_limit_is_ended(start: str, tmp_path: Path, sample: Sample, runner: Runner) -> None:
    script = tmp_path / "eater.py"
    script.write_text(EATER.format(start=start), encoding="utf-8")
    report = runner.run(Job(script, limits=Limits(seconds=60, memory_mib=1000)))
    assert (report.exit_status, report.limit) == (None, "used more than 1000 MiB of memory")
    assert report.seconds < 15
    assert judge(sample.entry(GRAPH), "fixed", report) == ["used more than 1000 MiB of memory"]


def test_a_script_below_its_memory_limit_is_not_ended(tmp_path: Path, runner: Runner) -> None:
    script = tmp_path / "modest.py"
    script.write_text("import torch, time\nheld = torch.ones(64 * 2**18)\ntime.sleep(0.3)\n", encoding="utf-8")
    assert runner.run(Job(script, limits=Limits(memory_mib=1000))).exit_status == 0


def test_unlisted_folders_and_missing_category_pages_are_found(sample: Sample) -> None:
    assert check_folders(sample.catalog()) == []
    sample.folder("forgotten").mkdir()
    (sample.root / "common-errors" / "gone" / "entry").mkdir(parents=True)
    page = sample.catalog().page_of(sample.catalog().categories[0])
    page.write_text(f"| {SUMMARY} | [an entry](forgotten/README.md) |\n", encoding="utf-8")
    assert any(f"{page.name}: a row is still to be filled in" in line for line in check_folders(sample.catalog()))
    page.unlink()
    found = check_folders(sample.catalog())
    assert [line.partition(": ")[0] for line in sorted(found)] == [
        "common-errors/gone/entry",
        "common-errors/samples/README.md",
        "common-errors/samples/forgotten",
    ]
    assert "common-errors/samples/README.md: missing; `torch-errors record` writes it" in found
    assert sum("the folder is not in catalog.yaml; " in line for line in found) == 2


def test_an_entry_without_a_folder_is_refused(sample: Sample) -> None:
    shutil.rmtree(sample.folder(SHAPES))
    with pytest.raises(UserError, match=rf"entry\.yaml: is missing; the entry {SHAPES} of catalog\.yaml needs it"):
        sample.catalog()


def test_an_entry_without_its_hardware_is_skipped_but_its_files_are_checked(
    sample: Sample, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = replace(runner.machine(), cuda=False)
    monkeypatch.setattr(runner, "machine", lambda: machine)
    sample.change_row(GRAPH, requires=["cuda"])
    entry = sample.entry(GRAPH)
    [result] = verify([entry], runner)
    assert (result.state, result.skipped, result.scripts) == ("skipped", "needs cuda", 0)
    sample.edit(GRAPH, "broken.py", "# error", "# here")
    [result] = verify([entry], runner)
    assert result.state == "not held"


@pytest.mark.parametrize("need", ["windows" if os.name == "posix" else "posix", "torch_of_another_world"])
def test_an_entry_is_skipped_if_its_system_or_package_is_missing(need: str, sample: Sample, runner: Runner) -> None:
    """Without a package, the blocks of the page cannot run either."""
    sample.change_row(GRAPH, requires=[need])
    block = f"```python\nimport {need}\n```\n\n" if need.startswith("torch") else ""
    sample.edit(GRAPH, "README.md", "## Related", f"`pip install {need}`\n\n{block}## Related")
    [result] = verify([sample.entry(GRAPH)], runner)
    assert (result.state, result.skipped) == ("skipped", f"needs {need}")
    assert runner.machine().lacks(["torch", os.name.replace("nt", "windows")]) == []


def test_an_unknown_requirement_is_found(sample: Sample) -> None:
    sample.change_row(GRAPH, requires=["torch", "cud"])
    problems = [finding.problem for finding in check_files(sample.entry(GRAPH)) if finding.where == "catalog.yaml"]
    systems = "cuda, mps, xpu, posix, linux, windows, namespaces, compiler, multicore"
    assert problems == [f"requires cud, which is neither {systems} nor a package of its scripts or page"]


def test_an_abandoned_run_breaks_every_promise(sample: Sample) -> None:
    for variant in sample.entry(GRAPH).variants:
        assert judge(sample.entry(GRAPH), variant, Report(None, "", limit="was abandoned")) == ["was abandoned"]


# Name -> pattern and replacement for the versions in the recordings, and whether runs are compared with them.
MADE_WITH = {
    "another patch of Python": (r"Python (\d+\.\d+)\.\w+", r"Python \1.99", True),
    "another Python": (r"Python [\d.]+\w*", "Python 3.4.0", False),
    "another torch": (r"torch [^ ]+", "torch 1.13.1", False),
}


@pytest.mark.parametrize("name", MADE_WITH)
def test_runs_are_compared_only_with_recordings_of_the_same_torch_and_python(
    name: str, sample: Sample, runner: Runner
) -> None:
    sample.change_row(SHAPES, patterns=[{"match": "mat1 and mat2 shapes cannot be multiplied"}])
    sample.edit(SHAPES, "broken.py", "torch.ones(2, 3)", "torch.ones(6, 3)")
    sample.edit(SHAPES, "README.md", "\n(2, 5)\n", "\n(5, 2)\n")
    pattern, made_with, compared = MADE_WITH[name]
    for variant in sample.entry(SHAPES).variants:
        recording = sample.entry(SHAPES).recording(variant)
        text = recording.read_text(encoding="utf-8")
        end = text.rindex("# exit status")
        recording.write_text(text[:end] + re.sub(pattern, made_with, text[end:]), encoding="utf-8")
    found = sample.verify(runner, SHAPES)[SHAPES]
    assert [line.partition(":")[0] for line in found] == (["README.md", "recorded/broken.out"] if compared else [])


OF_THE_PROCESSOR = """\
import torch

torch.manual_seed(0){mark}
slow = torch.backends.cpu.get_cpu_capability() == "DEFAULT"
print(f"final_loss={{{slow} if slow else {fast}}}")
"""


def test_a_number_that_depends_on_the_processor_is_found(
    sample: Sample, runner: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of four seeds, three run as usual and the fourth in the first setting; the other settings use the first seed."""
    monkeypatch.chdir(sample.root)
    texts = {"broken.py": (1e6, 0.0), "fixed.py": (0.0, 0.0), "wrong_fix.py": (1e6, 1e6)}
    for file, (fast, slow) in texts.items():
        script = OF_THE_PROCESSOR.format(fast=fast, slow=slow, mark="  # error" if file != "fixed.py" else "")
        (sample.folder(DIVERGE) / file).write_text(script, encoding="utf-8")
    assert sample.verify(runner, DIVERGE)[DIVERGE] == []
    assert main(["verify", "--json", "--kernels", "--seeds", "4", DIVERGE, SHAPES]) == 1
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)["entries"]}
    problem = "final_loss=0.0 is not in the broken range (>= 100)"
    assert lines_of(rows[DIVERGE]) == [
        f"broken.py, seed +3: with no vector instructions: {problem}",
        f"broken.py: with neither AVX nor MKL for this processor: {problem}",
    ]
    assert lines_of(rows[SHAPES]) == []
    assert len(rows[DIVERGE]["values"]["broken"]) == 4 + 3


def lines_of(row: dict[str, Any]) -> list[str]:
    return [f"{finding['where']}: {finding['problem']}" for finding in row["findings"]]
