"""Building the site in both languages, and what `mkdocs serve` rebuilds after a change."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from tests.samples import CATEGORY, SHAPES, Sample, edit
from tests.site.browsing import ROOT, build
from website import building


@pytest.fixture
def guide(sample: Sample) -> Path:
    """The sample guide with everything that its site needs."""
    for name in ("mkdocs.yml", "mkdocs.zh.yml", "LICENSE", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, sample.root)
    for name in ("website", "torch_errors"):
        shutil.copytree(ROOT / name, sample.root / name, ignore=shutil.ignore_patterns("__pycache__"))
    (sample.root / "CONTRIBUTING.md").write_text("# Contributing\n", encoding="utf-8")
    (sample.root / "README.md").write_text("# The guide\n\nIts first page.\n\n## Errors\n\nMany.\n", encoding="utf-8")
    return sample.root


# --- both languages at once ---


@pytest.mark.parametrize("option", ["--strict", pytest.param("--no-strict", marks=pytest.mark.exhaustive)])
def test_broken_links_of_both_languages_are_shown_and_fail_a_strict_build(option: str, guide: Path) -> None:
    page = guide / "common-errors" / CATEGORY / SHAPES / "README.md"
    english = page.read_text(encoding="utf-8")
    broken = ["../no-such-entry/README.md", "../no-such-folder/", "#no-such-heading"]
    page.write_text(english + "".join(f"\n[missing]({link})\n" for link in broken), encoding="utf-8")
    page.with_name("README.zh.md").write_text(f"{english}\n[missing](../no-such-page/README.md)\n", encoding="utf-8")
    done = build(guide, guide / "site", option)
    assert (done.returncode == 0) == (option == "--no-strict"), done.stderr
    for link in (*broken, "../no-such-page/README.md"):
        assert f"'{link}'" in done.stderr, done.stderr
    assert "mkdocs.zh.yml" in done.stderr and "Traceback" not in done.stderr
    assert (guide / "site/zh/index.html").is_file() == (option == "--no-strict")


def test_failing_english_build_stops_the_chinese_build(guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the message of the English build is shown, and no folder is left behind."""
    (guide / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(guide / "tmp"))
    (guide / "common-errors" / CATEGORY / SHAPES / "README.md").write_text("No title.\n", encoding="utf-8")
    done = build(guide, guide / "site")
    assert done.returncode != 0
    assert "must begin with a line `# Title`" in done.stderr and "mkdocs.zh.yml" not in done.stderr
    assert list((guide / "tmp").iterdir()) == []


# --- mkdocs serve ---


@pytest.fixture
def after(guide: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], list[str]]]:
    """Function that changes a file and returns which sites `mkdocs serve` would rebuild. Builds nothing."""
    kept = {name: module for name, module in sys.modules.items() if f"{name}.".startswith(building.MODULES)}
    config = load_config(str(guide / "mkdocs.yml"), site_dir=str(guide / "site"))
    built: list[str] = []

    class Chinese:
        def finish(self) -> None:
            built.append("zh")

    def start(english: MkDocsConfig) -> Chinese:
        return Chinese()

    monkeypatch.setattr(building, "start_chinese", start)
    rebuild = building.rebuilder(config, lambda: built.append("both"))

    def after(change: str) -> list[str]:
        built.clear()
        with (guide / change).open("a", encoding="utf-8") as file:
            file.write("\n")
        rebuild()
        return built

    yield after
    for name in [name for name in sys.modules if f"{name}.".startswith(building.MODULES)]:
        del sys.modules[name]
    sys.modules.update(kept)  # reloaded modules have new classes, which other tests do not use


def test_serving_rebuilds_what_has_changed(after: Callable[[str], list[str]]) -> None:
    entry = f"common-errors/{CATEGORY}/{SHAPES}"
    pages = [f"{entry}/README.md", f"{entry}/recorded/broken.out", "catalog.yaml", "mkdocs.yml"]
    for change in [*pages, "website/pages.py", "website/docs/assets/site.css", "torch_errors/markdown/parsing.py"]:
        assert after(change) == ["both"], change
    for change in (f"{entry}/README.zh.md", "torch_errors/interface.zh.yaml", "mkdocs.zh.yml"):
        assert after(change) == ["zh"], change
    assert after("unknown.txt") == []


def test_serving_reloads_changed_code(after: Callable[[str], list[str]]) -> None:
    import website.pages as before

    after("README.zh.md")
    assert sys.modules["website.pages"] is before
    after("website/pages.py")
    assert sys.modules["website.pages"] is not before


@pytest.fixture
def served(guide: Path) -> Iterator[Callable[[str, str], str]]:
    """Function that waits until a page of `mkdocs serve` contains a text, and returns the page."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "mkdocs", "serve", "--quiet", "--dev-addr", address]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(guide)}
    process = subprocess.Popen(command, cwd=guide, env=environment, stderr=subprocess.PIPE, text=True)

    def wait_for(page: str, text: str) -> str:
        end = time.monotonic() + 60
        shown = ""
        while text not in shown:
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < end, f"{page} does not contain {text!r}"
            time.sleep(0.2)
            try:
                with urllib.request.urlopen(f"http://{address}/{page}", timeout=5) as answer:
                    shown = answer.read().decode()
            except (urllib.error.URLError, OSError):
                shown = ""
        return shown

    yield wait_for
    process.terminate()
    process.wait()


@pytest.mark.exhaustive  # starts a server and builds both sites four times
def test_both_sites_are_served_and_follow_every_change(guide: Path, served: Callable[[str, str], str]) -> None:
    folder = guide / "common-errors" / CATEGORY / SHAPES
    page = f"{CATEGORY}/{SHAPES}/"

    english = (folder / "README.md").read_text(encoding="utf-8")
    served("commands/", "Its first page")
    served(f"zh/{page}", "translation-notice")  # not translated yet

    edit(folder / "README.md", english, english + "\nA sentence more.\n")
    edit(guide / "catalog.yaml", "The columns of one matrix", "The columns of some matrix")
    for language in ("", "zh/"):
        assert "A sentence more." in served(language + page, "The columns of some matrix")
    served("assets/explain.json", "The columns of some matrix")

    (folder / "README.zh.md").write_text(english.partition("\n")[0] + "\n\n中文的一句。\n", encoding="utf-8")
    served(f"zh/{page}", "中文的一句")

    edit(guide / "website/entry_page.py", "{literal(text)}</span>", "{literal(text)} anew</span>")
    served(page, " anew</span>")
    served(f"zh/{page}", " anew</span>")

    # Served pages have no policy, since the server adds a script that reloads them after a change.
    assert "Content-Security-Policy" not in served(f"zh/{page}", "livereload(")
    for site in ("", "zh/"):
        assert served(f"{site}pagefind/pagefind.js", "createInstance")
