"""Releases: versions agree, the wheel works alone, addresses are kept, and ProperDocs builds the same files."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.samples import edit
from tests.site.small_guide import build_small_guide
from tools import addresses, release, site_with_properdocs
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.loading import load_catalog
from website import moved

LISTED = (ROOT / "tests/data/addresses.txt").read_text(encoding="utf-8").splitlines()
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")}


# Versions -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The files of a release that may be published as v0.2.0."""
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md"):
        text = (ROOT / name).read_text(encoding="utf-8").replace("0.1.0", "0.2.0")
        (tmp_path / name).write_text(re.sub(r"## \[.*", "## [0.2.0] - 2027-01-31", text, count=1), encoding="utf-8")
    return tmp_path


def test_consistent_release_is_accepted(files: Path) -> None:
    assert release.problems("v0.2.0", files) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("pyproject.toml", 'version = "0.2.0"', 'version = "0.3.0"', "version is 0.3.0, the tag is v0.2.0"),
        ("CITATION.cff", "version: 0.2.0", "version: 0.1.0", "version is 0.1.0"),
        ("CHANGELOG.md", "[0.2.0]", "[Unreleased]", "its first section must be `## [0.2.0] - `"),
        ("CHANGELOG.md", " - 2027-01-31", "", "its first section must be `## [0.2.0] - `"),
    ],
)
def test_inconsistent_release_is_refused(files: Path, name: str, old: str, new: str, problem: str) -> None:
    edit(files / name, old, new)
    assert any(line.startswith(f"{name}: {problem}") for line in release.problems("v0.2.0", files))


@pytest.mark.parametrize("stale", [False, True])
def test_release_waits_for_translations(stale: bool, tmp_path: Path, monkeypatch, capsys) -> None:
    root = tmp_path / "guide"
    build_small_guide(root)
    page = root / "common-errors/gradient-issues/backward-twice/README.md"
    if stale:
        edit(page, "## Related", "A typo less.\n\n## Related")
        edit(root / "catalog.yaml", "      zh: 梯度问题\n", "")
    monkeypatch.setattr(release, "problems", lambda tag: [])
    monkeypatch.setattr(release, "ROOT", root)
    assert release.main("v0.2.0") == int(stale)
    out = capsys.readouterr().out
    assert (
        "backward-twice/README.zh.md: common-errors/gradient-issues/backward-twice/README.md has changed" in out
    ) == stale
    assert ("gradient-issues: has no Chinese beside: Gradient issues\n" in out) == stale


def test_citation_and_changelog_are_of_this_version() -> None:
    tag = "v" + yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert [problem for problem in release.problems(tag) if not problem.startswith("CHANGELOG.md")] == []


def test_changelog_keeps_its_form() -> None:
    """As https://keepachangelog.com requires: an unreleased section or versions with dates, newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"(?m)^## (.*)$", text)
    assert re.fullmatch(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", sections[0])
    dated = [
        re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d", title) for title in sections if "Unrel" not in title
    ]
    versions = [tuple(map(int, found.groups())) for found in dated if found]
    assert len(versions) == len(dated) and versions == sorted(versions, reverse=True)
    kinds = set(re.findall(r"(?m)^### (.*)$", text))
    assert kinds and kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_publishing_waits_for_the_wheel_and_the_site_and_needs_no_token() -> None:
    jobs = WORKFLOWS["release"]["jobs"]
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    assert jobs["publish"]["needs"] == ["try", "site"] and jobs["try"]["needs"] == "build"
    assert jobs["publish"]["permissions"] == {"id-token": "write"} and jobs["publish"]["environment"] == "pypi"
    assert WORKFLOWS["release"]["permissions"] == {"contents": "read"}
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")


def test_targets_and_scripts_of_workflows_exist() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    for name, workflow in WORKFLOWS.items():
        runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
        for command in runs:
            assert set(re.findall(r"\bmake ([a-z-]+)", command)) <= targets, name
            for module in re.findall(r"-m (tools\.\w+)", command):
                assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
            for script in re.findall(r"\b(tools/\w+\.py)", command):
                assert (ROOT / script).is_file(), script


@pytest.mark.exhaustive  # downloads the dependencies of the package
def test_wheel_alone_works_in_an_empty_environment(wheel_python: Path, tmp_path: Path) -> None:
    """It is built, installed without torch, and used outside the checkout."""
    command: list[str | Path] = [wheel_python, "-I", ROOT / "tools/try_installed.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the installed package explains, shows, prompts, lists, and answers assistants\n"


# Addresses ----------------------------------------------------------------------------------------------------------


def test_no_address_is_lost(catalog: Catalog) -> None:
    lost = sorted(set(LISTED) - set(addresses.addresses(catalog)))
    assert lost == [], "leave a redirect: MAINTAINING.md, Renaming an entry"


def test_a_release_lists_its_addresses() -> None:
    assert sorted(LISTED) == LISTED and len(set(LISTED)) == len(LISTED) > 300
    steps = [step.get("run", "") for step in WORKFLOWS["release"]["jobs"]["site"]["steps"]]
    assert any("make addresses" in step and "git diff --exit-code" in step for step in steps)


def test_removed_address_without_a_redirect_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address of a renamed entry is kept by `formerly`, that of a page by FORMER_PAGES."""
    root = tmp_path / "guide"
    build_small_guide(root)
    before = set(addresses.addresses(load_catalog(root)))
    assert {"/", "/gradient-issues/backward-twice/", "/debug-templates/snippets/shape_tracer/"} <= before

    folder = root / "common-errors/gradient-issues/backward-twice"
    folder = folder.rename(folder.with_name("backward-again"))
    edit(root / "catalog.yaml", "      backward-twice:", "      backward-again:")
    assert before - set(addresses.addresses(load_catalog(root))) == {"/gradient-issues/backward-twice/"}
    with (folder / "entry.yaml").open("a", encoding="utf-8") as file:
        file.write("\nformerly: [backward-twice]\n")
    assert before - set(addresses.addresses(load_catalog(root))) == set()

    for page in (root / "debug-templates/snippets").glob("shape_tracer*"):
        page.unlink()
    gone = "debug-templates/snippets/shape_tracer"
    assert before - set(addresses.addresses(load_catalog(root))) == {f"/{gone}/"}
    monkeypatch.setitem(moved.FORMER_PAGES, gone, "debug-templates/snippets/README.md")
    assert before - set(addresses.addresses(load_catalog(root))) == set()


def test_every_address_exists_in_both_languages(site: Path) -> None:
    for folder in (site, site / "zh"):
        missing = [address for address in LISTED if not (folder / address.strip("/") / "index.html").is_file()]
        assert missing == []


# The other generator ------------------------------------------------------------------------------------------------


def test_files_of_only_one_generator_are_reported(tmp_path: Path) -> None:
    first, second = tmp_path / "mkdocs", tmp_path / "properdocs"
    fragment, meta = "pagefind/fragment/en_dd93c78.pf_fragment", "pagefind/pagefind.en_f8f844f521.pf_meta"
    for name in ("index.html", "zh/index.html", fragment, meta):
        (first / name).parent.mkdir(parents=True, exist_ok=True)
        (first / name).write_text("")
    shutil.copytree(first, second)
    (second / meta).rename(second / "pagefind/pagefind.en_0123456789.pf_meta")
    assert site_with_properdocs.differences(first, second) == []
    (second / "zh/index.html").unlink()
    (second / "more.txt").write_text("")
    assert site_with_properdocs.differences(first, second) == [
        "only of mkdocs: zh/index.html",
        "only of properdocs: more.txt",
    ]
    (second / "more.txt").rename(second / "pagefind/fragment/en_ffffff0.pf_fragment")
    (second / "zh/index.html").write_text("")
    assert "4 files of mkdocs" in site_with_properdocs.differences(first, second)
