"""The site of a small guide with planted gaps and renamed entries, and builds that must fail."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, expect

from tests.samples import edit
from tests.site.browsing import build, searched_pages, served
from tests.site.small_guide import build_small_guide
from tools import site_with_properdocs
from torch_errors.catalog.loading import load_catalog
from torch_errors.errors import UserError
from website import publishing

CATEGORY, MATMUL = "dimension-mismatch", "matmul-shape-mismatch"
NEEDS_GPU = "backward-twice"  # planted
NEW = f"{CATEGORY}/{MATMUL}/"
# Former ids of the entry, and their addresses on the site.
FORMERLY = {"sizes-disagree": f"{CATEGORY}/sizes-disagree", "tensors/shapes": "tensors/shapes"}
ADDRESSES = [language + address for language in ("", "zh/") for address in FORMERLY.values()]
SITE_URL = "https://example.org/guide/"


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A guide with a missing translation, a stale one and one that links to a heading, with an entry that needs a GPU
    and was never recorded, and with one that was renamed twice."""
    root = tmp_path_factory.mktemp("small") / "guide"
    build_small_guide(root)
    catalog = load_catalog(root)
    (root / "README.zh.md").unlink()
    _append(catalog.entry(MATMUL).page, "One more sentence.")
    _append(root / "common-errors/memory-issues/README.zh.md", f"见[原因](../{NEW}README.zh.md#原因)。")
    _append(catalog.entry(MATMUL).folder / "entry.yaml", f"formerly: {json.dumps(list(FORMERLY))}")
    edit(root / "catalog.yaml", f"      {NEEDS_GPU}:\n", f"      {NEEDS_GPU}:\n        requires: [cuda]\n")
    for variant in catalog.entry(NEEDS_GPU).variants:
        catalog.entry(NEEDS_GPU).recording(variant).unlink()
    return root


def _append(path: Path, paragraph: str) -> None:
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{paragraph}\n", encoding="utf-8")


@pytest.fixture(scope="module")
def small_site(guide: Path) -> Path:
    """The built site, with an address, and built without torch, which `make serve` does not install."""
    hidden = guide.parent / "hidden"
    hidden.mkdir()
    for name in ("torch", "numpy", "psutil"):
        (hidden / f"{name}.py").write_text("raise ImportError('not installed')\n", encoding="utf-8")
    # Hidden by PYTHONPATH, which also affects the process of the Chinese build.
    path = os.pathsep.join(filter(None, [str(hidden), os.environ.get("PYTHONPATH")]))
    done = build(guide, guide / "site", SITE_URL=SITE_URL, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    return guide / "site"


@pytest.fixture(scope="module")
def small_address(small_site: Path) -> Iterator[str]:
    with served(small_site) as address:
        yield f"{address}/"


@pytest.fixture
def copy(guide: Path, tmp_path: Path) -> Path:
    """A copy of the guide, which a test may break."""
    return Path(shutil.copytree(guide, tmp_path / "guide", ignore=shutil.ignore_patterns("site")))


# --- translations and recordings that are missing ---


def test_notices_of_missing_and_stale_translations(small_site: Path) -> None:
    """A page without translation and a stale page say so and link to the English page."""

    def html(path: str) -> str:
        return (small_site / path / "index.html").read_text(encoding="utf-8")

    missing, stale = html("zh"), html(f"zh/{NEW}")
    assert '本页暂无中文版，以下是英文原文。 <a href="../" hreflang="en">' in missing
    assert "What does your error say?" in missing
    assert f'英文页面已更新，本页可能不是最新内容。 <a href="../../../{NEW}" hreflang="en">' in stale
    assert "报错信息" in stale
    copy = (small_site / "zh/index.md").read_text(encoding="utf-8")
    assert copy.startswith("# PyTorch debugging guide\n\n> 本页暂无中文版，以下是英文原文。\n\n")
    for other in (html(""), html(NEW), html("zh/gradient-issues")):
        assert "translation-notice" not in other


def test_link_to_a_heading_leads_to_the_translated_heading(small_site: Path) -> None:
    html = (small_site / "zh/memory-issues/index.html").read_text(encoding="utf-8")
    assert unquote(re.search(r'<a href="([^"]*)">原因</a>', html)[1]) == f"../{NEW}#原因"  # type: ignore[index]


def test_recording_that_needs_a_gpu_may_be_missing(small_site: Path) -> None:
    html = (small_site / f"gradient-issues/{NEEDS_GPU}/index.html").read_text(encoding="utf-8")
    assert "not recorded yet" in html and "needs a CUDA GPU".replace(" ", "") in html.replace(" ", "")


@pytest.mark.exhaustive  # builds the site again
def test_properdocs_builds_the_same_files(guide: Path, small_site: Path) -> None:
    """In both languages, as the Chinese site is built in a process of its own."""
    other = guide.parent / "properdocs"
    site_with_properdocs.build(guide, other.name, other)
    assert site_with_properdocs.differences(small_site, other) == []
    for page in ("index.html", "zh/index.html"):
        assert "ProperDocs" in (other / page).read_text(encoding="utf-8")
        assert "ProperDocs" not in (small_site / page).read_text(encoding="utf-8")


# --- former addresses of entries ---


@pytest.mark.parametrize("old", [ADDRESSES[0], ADDRESSES[-1]])
def test_old_address_leads_to_the_entry_and_keeps_the_fragment(old: str, browser: Browser, small_address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(small_address)
    new = f"{small_address}{'zh/' if old.startswith('zh/') else ''}{NEW}"
    page.goto(f"{small_address}{old}/#修复", wait_until="commit")
    page.wait_for_url(lambda url: url.startswith(new))
    page.wait_for_load_state()
    page.wait_for_timeout(300)  # there is no further redirect
    assert page.evaluate("decodeURIComponent(location.href)") == f"{new}#修复"
    expect(page.locator("h1")).to_contain_text("mat1 and mat2 shapes")
    page.go_back()  # not to the old address, which would redirect again
    assert page.url == small_address
    assert complaints == []
    context.close()


@pytest.mark.parametrize("old", ADDRESSES)
def test_page_at_the_old_address_links_to_the_entry(old: str, small_site: Path) -> None:
    html = (small_site / old / "index.html").read_text(encoding="utf-8")
    to = f"../../{NEW}" if "tensors" in old else f"../{MATMUL}/"
    assert f'<noscript><meta http-equiv="refresh" content="0; url={to}"></noscript>' in html
    assert re.search(rf'<a href="{re.escape(to)}" id="moved">{CATEGORY}/{MATMUL}</a>', html)
    assert (small_site / old / to / "index.html").is_file()
    assert ("本页已移到" if old.startswith("zh/") else "This page has moved to") in html
    scripts = re.findall(r'<script type="module" src="([^"]+)"', html)
    assert [(small_site / old / path).resolve().is_file() for path in scripts] == [True]
    copy = (small_site / old / "index.md").read_text(encoding="utf-8")
    assert f"[{CATEGORY}/{MATMUL}]({to}index.md)" in copy and "{ #" not in copy


def test_old_addresses_are_in_no_list(small_site: Path) -> None:
    locations = searched_pages(small_site)
    assert NEW in locations
    assert not locations & {f"{address}/" for address in FORMERLY.values()}
    for name in ("index.html", "errors/index.html", "llms.txt"):
        text = (small_site / name).read_text(encoding="utf-8")
        assert not [address for address in FORMERLY.values() if f"{address}/" in text], name
    entries = json.loads((small_site / "catalog.json").read_text(encoding="utf-8"))["entries"]
    assert [row["formerly"] for row in entries if row["id"] == MATMUL] == [list(FORMERLY.values())]


def test_search_engines_are_told_the_new_address(small_site: Path) -> None:
    for language in ("", "zh/"):
        new = f"{SITE_URL}{language}{NEW}"
        for address in FORMERLY.values():
            html = (small_site / language / address / "index.html").read_text(encoding="utf-8")
            assert re.findall(r'<link rel="canonical" href="([^"]*)"', html) == [new]
        listed = re.findall("<loc>(.*)</loc>", (small_site / language / "sitemap.xml").read_text(encoding="utf-8"))
        assert listed.count(new) == 1 and len(set(listed)) == len(listed)
        assert not [found for found in listed for address in FORMERLY.values() if address in found]


def test_an_address_with_a_page_is_refused(copy: Path) -> None:
    taken = "troubleshooting-workflows/shape-error"
    details = load_catalog(copy).entry(MATMUL).folder / "entry.yaml"
    edit(details, '"tensors/shapes"', f'"{taken}"')
    problem = rf"catalog\.yaml: entry {MATMUL}, field formerly: the site has another page at {taken}"
    with pytest.raises(UserError, match=problem):
        publishing.published(load_catalog(copy))


# --- builds that fail ---


def test_missing_files_are_named_with_what_writes_them(copy: Path) -> None:
    entry = load_catalog(copy).entry(MATMUL)
    category = entry.folder.parent / "README.md"
    missing = [category, entry.page, entry.script("fixed"), entry.recording("broken")]
    for path in missing:
        path.unlink()
    with pytest.raises(UserError) as caught:
        publishing.require_files(load_catalog(copy))
    needed, written = f"entry {MATMUL} of catalog.yaml needs it", "`torch-errors record{}` writes it"
    reasons = [written.format(""), needed, needed, written.format(f" {MATMUL}")]
    expected = [f"{path}: missing; {why}" for path, why in zip(missing, reasons, strict=True)]
    assert str(caught.value).splitlines() == expected


def test_missing_file_and_bad_catalog_fail_the_build_in_one_line(copy: Path) -> None:
    catalog = copy / "catalog.yaml"
    page = load_catalog(copy).entry(MATMUL).page

    def line() -> str:
        done = build(copy, copy / "site")
        assert done.returncode != 0
        assert "Traceback" not in done.stderr, done.stderr
        (line,) = [line for line in done.stderr.splitlines() if line.startswith(("ERROR", "WARNING"))]
        return line

    page.rename(page.with_name("README"))
    assert f"{page}: missing; " in line()
    page.with_name("README").rename(page)
    edit(catalog, "        kind: exception", "        kind: exeption")
    assert f"{catalog}:" in (said := line()) and "kind" in said
