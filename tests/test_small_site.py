"""Addresses that entries had: the pages there lead to the entries."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browsing import ROOT, build, searched_pages, served
from tests.samples import CATEGORY, SHAPES, Sample
from torch_errors.errors import UserError
from website import moved, publishing

# What the entry was called, and where that stands on the site.
FORMERLY = {"sizes-disagree": f"{CATEGORY}/sizes-disagree", "tensors/shapes": "tensors/shapes"}
ADDRESSES = [language + address for language in ("", "zh/") for address in FORMERLY.values()]
SITE_URL = "https://example.org/guide/"


@pytest.fixture(scope="module")
def guide(recorded_sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A small guide with an entry that was renamed, ready to be built."""
    guide = recorded_sample.copy(tmp_path_factory.mktemp("renamed") / "guide")
    guide.change_row(SHAPES, formerly=list(FORMERLY))
    (guide.root / "README.md").write_text("# Guide\n\nIntroduction.\n", encoding="utf-8")
    for name in ("mkdocs.yml", "mkdocs.zh.yml", "catalog.zh.yaml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (guide.root / name).write_text(text.partition("\ncategories:")[0] + "\n", encoding="utf-8")
    shutil.copytree(ROOT / "website", guide.root / "website", ignore=shutil.ignore_patterns("__pycache__"))
    return guide


@pytest.fixture(scope="module")
def moved_site(guide: Sample) -> Path:
    done = build(guide.root, guide.root / "site")
    assert done.returncode == 0, done.stderr
    return guide.root / "site"


@pytest.fixture(scope="module")
def moved_address(moved_site: Path) -> Iterator[str]:
    with served(moved_site) as address:
        yield f"{address}/"


@pytest.mark.parametrize(
    "fragment",
    [
        pytest.param("#修复", id="chinese"),
        pytest.param("", id="none", marks=pytest.mark.exhaustive),
        pytest.param("#fix", id="latin", marks=pytest.mark.exhaustive),
    ],
)
@pytest.mark.parametrize("old", ADDRESSES)
def test_old_address_leads_to_the_entry_and_keeps_the_fragment(
    old: str, fragment: str, browser: Browser, moved_address: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(moved_address)
    new = f"{moved_address}{'zh/' if old.startswith('zh/') else ''}{CATEGORY}/{SHAPES}/"
    page.goto(f"{moved_address}{old}/{fragment}", wait_until="commit")
    page.wait_for_url(lambda url: url.startswith(new))
    page.wait_for_load_state()
    page.wait_for_timeout(300)  # nothing leads on from there
    assert page.evaluate("decodeURIComponent(location.href)") == new + fragment
    expect(page.locator("h1")).to_contain_text("Two shapes disagree")
    page.go_back()  # not to the old address, which would lead here again
    assert page.url == moved_address
    assert complaints == []
    context.close()


@pytest.mark.parametrize("old", ADDRESSES)
def test_old_address_leads_on_without_script(old: str, browser: Browser, moved_address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{moved_address}{old}/", wait_until="commit")
    page.wait_for_url(f"**/{CATEGORY}/{SHAPES}/")
    assert page.url.startswith(f"{moved_address}{'zh/' if old.startswith('zh/') else ''}{CATEGORY}/")
    context.close()


@pytest.mark.parametrize("old", ADDRESSES)
def test_page_at_the_old_address_says_where_the_entry_is(old: str, moved_site: Path) -> None:
    html = (moved_site / old / "index.html").read_text(encoding="utf-8")
    to = f"../../{CATEGORY}/{SHAPES}/" if "tensors" in old else f"../{SHAPES}/"
    assert f'<link rel="canonical" href="{to}">' in html
    assert f'<meta http-equiv="refresh" content="0; url={to}">' in html
    assert re.search(rf'<a href="{re.escape(to)}" id="moved">{CATEGORY}/{SHAPES}</a>', html)
    assert (moved_site / old / to / "index.html").is_file()
    assert ("本页已移到" if old.startswith("zh/") else "This page has moved to") in html
    scripts = re.findall(r'<script type="module" src="([^"]+)"', html)
    assert [(moved_site / old / path).resolve().is_file() for path in scripts] == [True]
    copy = (moved_site / old / "index.md").read_text(encoding="utf-8")
    assert f"[{CATEGORY}/{SHAPES}]({to}index.md)" in copy and "{ #" not in copy


def test_old_addresses_stand_in_no_list(moved_site: Path) -> None:
    locations = searched_pages(moved_site)
    assert f"{CATEGORY}/{SHAPES}/" in locations
    assert not locations & {f"{address}/" for address in FORMERLY.values()}
    for name in ("index.html", "errors/index.html", "llms.txt"):
        text = (moved_site / name).read_text(encoding="utf-8")
        assert not [address for address in FORMERLY.values() if f"{address}/" in text], name
    (row,) = [
        row
        for row in json.loads((moved_site / "catalog.json").read_text(encoding="utf-8"))["entries"]
        if row["id"] == SHAPES
    ]
    assert row["formerly"] == list(FORMERLY.values())


def test_search_engines_are_told_the_new_address(guide: Sample, tmp_path: Path) -> None:
    done = build(guide.root, tmp_path, SITE_URL)
    assert done.returncode == 0, done.stderr
    for language in ("", "zh/"):
        new = f"{SITE_URL}{language}{CATEGORY}/{SHAPES}/"
        for address in FORMERLY.values():
            html = (tmp_path / language / address / "index.html").read_text(encoding="utf-8")
            assert re.findall(r'<link rel="canonical" href="([^"]*)"', html) == [new]
        listed = re.findall("<loc>(.*)</loc>", (tmp_path / language / "sitemap.xml").read_text(encoding="utf-8"))
        assert listed.count(new) == 1 and len(set(listed)) == len(listed)
        assert not [found for found in listed for address in FORMERLY.values() if address in found]


def test_an_address_with_a_page_is_refused(sample: Sample) -> None:
    (sample.root / "troubleshooting-workflows").mkdir()
    (sample.root / "troubleshooting-workflows" / "shapes.md").write_text("# Shapes\n", encoding="utf-8")
    sample.change_row(SHAPES, formerly=["troubleshooting-workflows/shapes"])
    problem = rf"catalog\.yaml: entry {SHAPES}, field formerly: the site has another page at troubleshooting-workflows/"
    with pytest.raises(UserError, match=problem):
        publishing.published(sample.catalog())


@pytest.mark.parametrize(
    ("address", "target"),
    [("samples/old", f"../{SHAPES}/"), ("other/old", f"../../samples/{SHAPES}/")],
)
def test_way_from_an_old_address(address: str, target: str, sample: Sample) -> None:
    assert moved.of_entry(address, sample.entry(SHAPES)).target == target
