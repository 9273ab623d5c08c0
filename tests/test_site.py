"""The built site, in a real browser."""

from __future__ import annotations

import gzip
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from markdown import markdown  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page, expect

from tests.browsing import BASE, DESKTOP, PHONE, ROOT, OpenPage, build
from torch_errors.catalog import Category, Entry, SilentEntry, load_catalog
from torch_errors.pages import parse_page
from torch_errors.recording import Recording
from torch_errors.scripts import marked_lines
from website import curves, decisions, languages, markup, pages

CATALOG = load_catalog(ROOT)
ENTRIES = list(CATALOG)
WITH_CURVE = [entry for entry in ENTRIES if isinstance(entry.fields, SilentEntry) and entry.fields.curve]
WITH_MESSAGE = [entry for entry in ENTRIES if entry.kind != "silent" and entry.recording("broken").exists()]
MATMUL = CATALOG.entry("matmul-shape-mismatch")


@pytest.fixture(scope="session")
def static_page(browser: Browser, address: str) -> Iterator[Page]:
    """One page without JavaScript for all tests that only read: much faster than a new one for each."""
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.route("**/*", lambda route: route.continue_() if route.request.is_navigation_request() else route.abort())
    yield page
    context.close()


def url(entry: Entry) -> str:
    return f"{entry.category}/{entry.id}/"


def labels(entry: Entry) -> list[str]:
    return ["Broken", "Fixed", *(["Wrong fix"] if "wrong_fix" in entry.variants else []), "Diff", "Output"]


# --- every entry ---


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_page_shows_the_files_of_the_entry(entry: Entry, static_page: Page) -> None:
    page = static_page
    page.goto(url(entry))
    assert page.locator(".tabbed-labels > label").all_inner_texts() == labels(entry)
    summary = entry.summary.replace("`", "")
    assert page.locator("meta[name=description]").get_attribute("content") == summary

    blocks = page.locator(".tabbed-block")
    for number, variant in enumerate(entry.variants):
        source = entry.script(variant).read_text(encoding="utf-8")
        block = blocks.nth(number)
        assert block.locator(".copy").get_attribute("data-clipboard-text") == source
        assert block.locator("pre code").text_content() == source
        marked = [source.splitlines()[line - 1] for line in marked_lines(source)]
        assert [text.rstrip("\n") for text in block.locator(".hll").all_text_contents()] == marked
    assert blocks.first.locator(".hll").count() >= 1

    diff = blocks.nth(len(entry.variants))
    removed, added = (diff.locator(kind).all_text_contents() for kind in (".gd", ".gi"))
    broken, fixed = (entry.script(variant).read_text().splitlines() for variant in ("broken", "fixed"))
    # The header lines (`--- broken.py`) carry the same classes.
    assert added[1:], "the fix adds nothing"
    assert all(line[1:].rstrip("\n") in broken for line in removed[1:])
    assert all(line[1:].rstrip("\n") in fixed for line in added[1:])

    shown = blocks.last.text_content() or ""
    for variant in entry.variants:
        if entry.recording(variant).exists():
            recording = Recording.load(entry.recording(variant))
            assert _as_shown(f"$ python {variant}.py\n{recording.body.rstrip()}") in _as_shown(shown)
            assert recording.environment in shown
        else:
            assert "not recorded yet: needs a GPU" in shown


def _as_shown(text: str) -> str:
    """Markdown makes spaces of tabs, and drops those at the end of a line."""
    return "\n".join(line.expandtabs(4).rstrip() for line in text.splitlines())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_page_has_the_structure_that_github_shows(entry: Entry, static_page: Page) -> None:
    """Python-Markdown is stricter than GitHub about lists and fences, and does not say so."""
    tokens = MarkdownIt("commonmark").enable("table").parse(entry.page.read_text(encoding="utf-8"))
    count = [token.type for token in tokens].count
    static_page.goto(url(entry))
    article = static_page.locator("article")
    article.locator(".tabbed-set").evaluate("element => element.remove()")
    assert article.locator("li").count() == count("list_item_open")
    assert article.locator("tr").count() == count("tr_open")
    assert article.locator("pre").count() == count("fence") + count("code_block")
    assert "```" not in (article.text_content() or "")


@pytest.mark.parametrize("entry", WITH_CURVE, ids=lambda entry: entry.id)
def test_curves_plot_the_recorded_points(entry: Entry, static_page: Page) -> None:
    assert isinstance(entry.fields, SilentEntry) and entry.fields.curve
    curve = entry.fields.curve
    page = static_page
    page.goto(url(entry))
    pairs: list[tuple[float, float]] = []  # recorded value, drawn height
    for variant in ("broken", "fixed"):
        for style, name in enumerate(curve.y):
            recorded = Recording.load(entry.recording(variant)).series(name, curve.x)
            drawable = [y for _, y in recorded if math.isfinite(y) and (y > 0 or not curve.log)]
            lines = page.locator(f".curve.{variant}.style-{style} polyline")
            drawn = " ".join(line.get_attribute("points") or "" for line in lines.all()).split()
            assert len(drawn) == len(drawable)
            heights = [float(point.partition(",")[2]) for point in drawn]
            pairs += zip([math.log10(y) if curve.log else y for y in drawable], heights, strict=True)
            if len(drawable) < len(recorded):
                expect(page.locator(".curves figcaption")).to_contain_text(f"Not drawn: {variant}.py, {name} is")
    (low, bottom), (high, top) = min(pairs), max(pairs)
    assert bottom > top
    for value, height in pairs:
        assert height == pytest.approx(bottom + (value - low) / (high - low) * (top - bottom), abs=0.2)
    described = page.locator(".curves desc").text_content() or ""
    assert "broken.py" in described and "fixed.py" in described


@pytest.mark.parametrize("category", CATALOG.categories, ids=lambda category: category.id)
def test_category_lists_its_entries(category: Category, static_page: Page) -> None:
    static_page.goto(f"{category.id}/")
    links = static_page.locator("article table tr td:last-child a:first-child")
    assert [link.get_attribute("href") for link in links.all()] == [f"{entry.id}/" for entry in category.entries]


# --- what a reader does ---


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
@pytest.mark.parametrize("category", CATALOG.categories, ids=lambda category: category.id)
def test_entries_lead_to_each_other_within_their_category(category: Category, language: str, static_page: Page) -> None:
    in_order = ["", *(f"{entry.id}/" for entry in category.entries)]  # the page of the category first
    for at, id in enumerate(in_order[1:], start=1):
        static_page.goto(f"{language}{category.id}/{id}")
        found = {
            side: [urljoin(static_page.url, link.get_attribute("href") or "") for link in links.all()]
            for side, links in (
                ("previous", static_page.locator(".md-footer__link--prev")),
                ("next", static_page.locator(".md-footer__link--next")),
            )
        }
        here = urljoin(static_page.url, "../")
        following = in_order[at + 1 : at + 2]
        assert found == {"previous": [here + in_order[at - 1]], "next": [here + one for one in following]}


def test_tabs_switch(open_page: OpenPage) -> None:
    page = open_page(url(CATALOG.entry("backward-twice")))
    blocks = page.locator(".tabbed-block")
    for number, label in enumerate(["Broken", "Fixed", "Wrong fix", "Diff", "Output"]):
        page.locator(".tabbed-labels").get_by_text(label, exact=True).click()
        for other in range(5):
            expect(blocks.nth(other)).to_be_visible(visible=other == number)


@pytest.mark.parametrize("id", ["matmul-shape-mismatch", "backward-twice", "learning-rate-too-high"])
def test_copy_gives_the_exact_file(id: str, open_page: OpenPage) -> None:
    entry = CATALOG.entry(id)
    page = open_page(url(entry), permissions=["clipboard-read", "clipboard-write"])
    for number, variant in enumerate(entry.variants):
        page.locator(".tabbed-labels > label").nth(number).click()
        page.locator(".tabbed-block").nth(number).get_by_role("button", name="Copy").click()
        assert page.evaluate("navigator.clipboard.readText()") == entry.script(variant).read_text(encoding="utf-8")


def test_blocks_of_the_page_can_be_copied(open_page: OpenPage) -> None:
    page = open_page(url(MATMUL), permissions=["clipboard-read", "clipboard-write"])
    page.locator(".message button").first.click()
    message = Recording.load(MATMUL.recording("broken")).message(MATMUL.promise("broken"))
    assert page.evaluate("navigator.clipboard.readText()") == message


def test_script_can_be_downloaded(site: Path) -> None:
    assert (site / url(MATMUL) / "broken.py").read_bytes() == MATMUL.script("broken").read_bytes()


# --- looks ---

SEVERAL = ["", f"{MATMUL.category}/", url(MATMUL), *(url(entry) for entry in WITH_CURVE[:1]), "contributing/"]


@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [(PHONE, "light"), (PHONE, "dark"), (DESKTOP, "light")],
    ids=["phone, light", "phone, dark", "desktop"],
)
def test_no_page_scrolls_sideways(viewport: dict[str, int], scheme: str, open_page: OpenPage) -> None:
    page = open_page(viewport=viewport, color_scheme=scheme)
    home = page.url
    for path in SEVERAL:
        page.goto(home + path)
        for label in [None, *page.locator(".tabbed-labels > label").all()]:
            if label:
                label.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path


ABOVE_THE_FOLD = """() => {
    const [, fix] = document.querySelectorAll("article h2");
    const before = (element) => element.compareDocumentPosition(fix) & Node.DOCUMENT_POSITION_FOLLOWING;
    const message = [...document.querySelectorAll("article .highlight")].find(before);
    const shown = [document.querySelector("article .smallest-fix"), ...(message ? [message] : [])];
    return shown.map((element) => element.getBoundingClientRect().bottom);
}"""


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_message_and_fix_are_seen_without_scrolling(
    language: str, viewport: dict[str, int], open_page: OpenPage
) -> None:
    """On the page of every entry: the recorded message or number, and the fix in one sentence."""
    page = open_page(language, viewport=viewport, java_script_enabled=False)  # faster, and no less high
    home = page.url
    for entry in ENTRIES:
        page.goto(home + url(entry))
        bottoms = page.evaluate(ABOVE_THE_FOLD)
        assert max(bottoms) <= viewport["height"], entry.id
        assert len(bottoms) == 2 or not entry.recording("broken").exists(), f"{entry.id}: shows no message"


def test_smallest_fix_is_that_of_the_catalog(static_page: Page) -> None:
    for catalog, language in ((CATALOG, ""), (CATALOG.in_language("zh"), "zh/")):
        for entry in catalog:
            static_page.goto(language + url(entry))
            shown = static_page.locator(".smallest-fix").inner_text()
            assert re.split("[:：] ?", shown, maxsplit=1)[1] == (entry.fields.fix or "").replace("`", "")


LIGHT = 200_000  # bytes of a first view, compressed


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_first_view_of_an_entry_is_light(language: str, browser: Browser, address: str, site: Path) -> None:
    """All that the browser asks for, of the largest page of an entry, as servers compress it."""
    largest = max(ENTRIES, key=lambda entry: (site / language / url(entry) / "index.html").stat().st_size)
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + language + url(largest), wait_until="networkidle")
    page.wait_for_timeout(500)
    files = [site / unquote(one.removeprefix(address).partition("?")[0]) for one in asked if one.startswith(address)]
    files = [path / "index.html" if path.is_dir() else path for path in files]
    assert len(files) == len(asked)
    sizes = {path.relative_to(site).as_posix(): len(gzip.compress(path.read_bytes(), 6)) for path in files}
    assert "assets/site.css" in "".join(sizes) and len(sizes) > 5
    assert sum(sizes.values()) < LIGHT, sizes
    context.close()


@pytest.mark.parametrize(("system", "other"), [("light", "dark"), ("dark", "light")])
def test_colours_follow_the_system_and_the_toggle(system: str, other: str, open_page: OpenPage) -> None:
    schemes = {"light": "default", "dark": "slate"}
    page = open_page(color_scheme=system)
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", schemes[system])
    page.get_by_title(f"Switch to {other} mode").click()
    expect(body).to_have_attribute("data-md-color-scheme", schemes[other])
    page.reload()
    expect(body).to_have_attribute("data-md-color-scheme", schemes[other])


# --- two languages ---


@pytest.mark.parametrize(
    "path",
    ["", "memory-issues/", url(MATMUL), "errors/", "prompt/", "troubleshooting-workflows/", "contributing/"],
)
def test_switch_leads_to_the_same_page_both_ways(path: str, open_page: OpenPage) -> None:
    page = open_page(path)
    english = page.url
    for language, name in (("zh", "中文"), ("en", "English")):
        expect(page.locator(".md-select__link[aria-current]")).to_have_text("English" if language == "zh" else "中文")
        page.locator(".md-header .md-select button").hover()
        page.locator(".md-select__link", has_text=name).click()
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert page.url == (english.replace(BASE, f"{BASE}zh/") if language == "zh" else english)


@pytest.mark.parametrize("language", ["", "zh/"])
def test_every_page_names_its_other_language(language: str, site: Path) -> None:
    """As `hreflang` and in the switch, relative, and the page is there."""
    folder = site / language
    found = [page for page in folder.rglob("index.html") if language or "zh" not in page.relative_to(site).parts[:1]]
    assert len(found) > len(ENTRIES)
    for page in found:
        html = page.read_text(encoding="utf-8")
        links = dict(re.findall(r'<link rel=" alternate" href="([^"]*)" hreflang="([^"]*)">', html))
        assert sorted(links.values()) == ["en", "zh"], page
        for link, of in links.items():
            target = (page.parent / link / "index.html").resolve()
            place = page.relative_to(folder)
            assert target == (site / "zh" / place if of == "zh" else site / place).resolve()
            assert target.is_file()
            assert f'href="{link}" hreflang="{of}"' in html.split('class="md-select__list"')[1]


def test_chinese_page_is_chinese(static_page: Page) -> None:
    static_page.goto(f"zh/{url(MATMUL)}")
    assert static_page.title() == "输入的特征数与层不符 - PyTorch 调试指南"
    article = static_page.locator("article")
    assert article.locator(".translation-notice").count() == 0
    assert article.locator(".tabbed-labels > label").all_inner_texts() == ["出错", "修复", "差异", "输出"]
    badges = " ".join(article.locator(".badge").all_inner_texts())
    assert "异常" in badges and "维度不匹配" in badges and "最近验证：torch" in badges
    assert (article.locator("span.filename").first.text_content() or "").startswith("用 torch")
    headings = article.locator("h2")
    assert headings.first.get_attribute("id") == "你会看到什么"
    assert article.get_by_role("button", name="复制").count() >= 1
    assert static_page.locator("nav .md-nav__link", has_text="首页").count() >= 1
    description = static_page.locator("meta[name=description]").get_attribute("content")
    assert description == "输入的最后一维不等于构建线性层时给出的 in_features。"


def test_curves_are_labelled_in_chinese(static_page: Page) -> None:
    static_page.goto(f"zh/{url(CATALOG.entry('nan-loss'))}")
    assert "未画出：broken.py, loss 从 step=8 起为 nan。" in (
        static_page.locator(".curves figcaption").text_content() or ""
    )


def test_chinese_pages_work_in_the_browser(open_page: OpenPage) -> None:
    """Nothing on the console, no request to another host, and none to a missing file."""
    page = open_page(f"zh/{url(MATMUL)}", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".tabbed-labels > label").nth(1).click()
    page.locator(".tabbed-block").nth(1).get_by_role("button", name="复制").click()
    assert page.evaluate("navigator.clipboard.readText()") == MATMUL.script("fixed").read_text(encoding="utf-8")
    page.get_by_title("切换到深色模式").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def test_notices_of_missing_and_stale_translations(copy: Path) -> None:
    """A page that is not translated says so, one that is older than the English says that; each links to it."""
    entry = load_catalog(copy).entry(MATMUL.id)
    (copy / "README.zh.md").unlink()
    entry.page.write_text(entry.page.read_text(encoding="utf-8") + "\nOne more sentence.\n", encoding="utf-8")
    done = build(copy, copy / "site")
    assert done.returncode == 0, done.stderr

    def html(path: str) -> str:
        return (copy / "site" / path / "index.html").read_text(encoding="utf-8")

    missing, stale = html("zh"), html(f"zh/{url(MATMUL)}")
    assert '本页尚未翻译，以下是英文原文。 <a href="../" hreflang="en">' in missing
    assert "What does your error say?" in missing
    assert f'英文页面在翻译之后有改动，本页可能不是最新内容。 <a href="../../../{url(MATMUL)}" hreflang="en">' in stale
    assert "你会看到什么" in stale
    for other in (html(""), html(url(MATMUL)), html("zh/memory-issues")):
        assert "translation-notice" not in other


def test_broken_link_on_a_chinese_page_fails_the_build(copy: Path) -> None:
    path = load_catalog(copy).entry(MATMUL.id).folder / "README.zh.md"
    path.write_text(path.read_text(encoding="utf-8") + "\n见[那里](../no-such-entry/README.md)。\n", encoding="utf-8")
    done = build(copy, copy / "site")
    assert done.returncode != 0 and "no-such-entry" in done.stderr


def test_link_to_a_heading_leads_to_the_translated_heading(copy: Path) -> None:
    path = copy / "common-errors/memory-issues/README.zh.md"
    link = f"../{MATMUL.category}/{MATMUL.id}/README.md#why-it-happens"
    path.write_text(path.read_text(encoding="utf-8") + f"\n见[原因]({link})。\n", encoding="utf-8")
    done = build(copy, copy / "site")
    assert done.returncode == 0, done.stderr
    html = (copy / "site/zh/memory-issues/index.html").read_text(encoding="utf-8")
    assert unquote(re.search(r'<a href="([^"]*)">原因</a>', html)[1]) == f"../{url(MATMUL)}#为什么会这样"  # type: ignore[index]


@pytest.mark.parametrize(
    ("link_from", "language", "link"),
    [
        ("", "en", "zh/"),
        ("./", "en", "zh/"),
        ("a/b/", "en", "../../zh/a/b/"),
        ("", "zh", "../"),
        ("a/b/", "zh", "../../../a/b/"),
        ("a/x.html", "zh", "../../a/x.html"),
    ],
)
def test_way_to_the_other_language(link_from: str, language: str, link: str) -> None:
    assert languages.to_other(link_from, language) == link


# --- the build ---


def test_build_needs_no_torch(tmp_path: Path) -> None:
    """`make serve` installs the site's packages only."""
    hidden = "import sys; sys.modules.update(dict.fromkeys(['torch', 'numpy', 'psutil']))"
    start = f"{hidden}; from mkdocs.__main__ import cli; cli()"
    command = [sys.executable, "-c", start, "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the checkout, to break."""
    root = tmp_path / "guide"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "__pycache__", "site", "dist"))
    return root


def one_line_of_failure(root: Path) -> str:
    """What the failed build says."""
    done = build(root, root / "site")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith(("ERROR", "WARNING"))]
    return line


@pytest.mark.parametrize("name", ["fixed.py", "README.md"])
def test_missing_file_fails_the_build(name: str, copy: Path) -> None:
    path = load_catalog(copy).entry(MATMUL.id).folder / name
    path.unlink()
    assert f"{path}: missing; entry {MATMUL.id} of catalog.yaml needs it" in one_line_of_failure(copy)


def test_missing_recording_names_the_command(copy: Path) -> None:
    path = load_catalog(copy).entry(MATMUL.id).recording("broken")
    path.unlink()
    line = one_line_of_failure(copy)
    assert str(path) in line and f"`torch-errors record {MATMUL.id}`" in line


def test_recording_that_needs_a_gpu_may_be_missing(copy: Path) -> None:
    catalog = copy / "catalog.yaml"
    row = f"      {MATMUL.id}:\n"
    catalog.write_text(catalog.read_text().replace(row, row + "        requires: [cuda]\n"))
    entry = load_catalog(copy).entry(MATMUL.id)
    for variant in entry.variants:
        entry.recording(variant).unlink()
    done = build(copy, copy / "site")
    assert done.returncode == 0, done.stderr
    html = (copy / "site" / url(entry) / "index.html").read_text()
    assert "not recorded yet: needs a GPU" in html and "needs a CUDA GPU".replace(" ", "") in html.replace(" ", "")


def test_bad_catalog_fails_the_build(copy: Path) -> None:
    catalog = copy / "catalog.yaml"
    catalog.write_text(catalog.read_text().replace("        kind: exception", "        kind: exeption", 1))
    line = one_line_of_failure(copy)
    assert f"{catalog}:" in line and "kind" in line


@pytest.mark.parametrize("link", ["../no-such-entry/README.md", "../no-such-folder/", "#no-such-heading"])
def test_broken_link_fails_the_build(link: str, copy: Path) -> None:
    path = load_catalog(copy).entry(MATMUL.id).page
    path.write_text(path.read_text() + f"\nSee [there]({link}).\n")
    done = build(copy, copy / "site")
    assert done.returncode != 0 and link in done.stderr


# --- pure functions ---


def test_points_that_cannot_be_drawn_interrupt_the_line() -> None:
    nan, inf = math.nan, math.inf
    points = [(0.0, 1.0), (1.0, nan), (2.0, 2.0), (3.0, -1.0), (4.0, inf), (5.0, inf)]
    assert curves.runs(points) == [[(0, 1)], [(2, 2), (3, -1)]]
    assert curves.runs(points, log=True) == [[(0, 1)], [(2, 2)]]
    html = curves.figure([curves.Series("broken", "loss", points)], "step", log=True)
    assert "Not drawn: broken.py, loss is nan or zero or below or inf at 4 points, first at step=1." in html
    assert html.count("<polyline") == 2
    assert "nan" not in html.split("<g ")[1].split("</g>")[0]


def test_series_that_ends_in_nan_says_from_where() -> None:
    points = [(0.0, 1.0), (1.0, math.nan), (2.0, math.nan)]
    fixed = [(0.0, 1.0), (1.0, 0.5), (2.0, 0.25)]
    html = curves.figure([curves.Series("broken", "loss", points), curves.Series("fixed", "loss", fixed)], "step")
    assert "Not drawn: broken.py, loss is nan from step=1 on." in html


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values",
    [[], [math.nan] * 3, [0.0, 0.0], [5.0], [1e-300, 1e300], [1e38, 3e38], [-2.0, 3.0], [1.0, 1.0001], [0.02, 0.9]],
    ids=str,
)
def test_any_numbers_give_a_figure(values: list[float], log: bool) -> None:
    points = [(float(step), value) for step, value in enumerate(values)] or [(0.0, math.inf)]
    html = curves.figure([curves.Series("broken", "loss", points)], "step", log=log)
    assert html.count("<text") >= 5
    assert "\n\n" not in html  # Markdown would end the block there


@pytest.mark.parametrize(
    ("values", "ticks"),
    [([0, 29], [0, 5, 10, 15, 20, 25, 30]), ([0.11, 0.42], [0.1, 0.2, 0.3, 0.4, 0.5]), ([-3, 4], [-4, -2, 0, 2, 4])],
)
def test_linear_ticks_are_round(values: list[float], ticks: list[float]) -> None:
    assert curves.linear_ticks(values, 6 if values[1] == 29 else 5) == ticks


def test_log_ticks_are_powers_of_ten() -> None:
    assert curves.log_ticks([0.3, 700], 5) == [0.1, 1, 10, 100, 1000]
    assert [curves.tick_label(value, True) for value in (0.001, 1, 1e16)] == ["10⁻³", "1", "10¹⁶"]


def test_fence_attributes_become_titles(tmp_path: Path) -> None:
    recording = Recording("broken.py", "x\n", 1, "2.15.0+cu132", "3.11", "Linux", "CPU")
    (tmp_path / "broken.out").write_text(recording.to_text())
    text = "\n".join(
        [
            '````text recorded="broken.out" part="message"',
            "```text printed",
            "```",
            "````",
            "- in a list",
            "",
            '    ```python no-run="why not"',
            "    x = 1",
            "    ```",
            '~~~text seen="torch 2.4.1"',
            "~~~",
            "`` ```text printed `` is not a fence",
        ]
    )
    lines = pages.with_site_fences(text, tmp_path / "README.md").split("\n")
    assert lines[0] == '```` { .text .message title="recorded with torch 2.15.0" }'
    assert lines[1] == "```text printed"
    assert lines[6] == "    ``` { .python }"
    assert lines[9] == '~~~ { .text .message title="seen with torch 2.4.1" }'
    assert lines[11] == "`` ```text printed `` is not a fence"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](common-errors/a)", "[a](common-errors/a/README.md)"),
        ("[a](common-errors/a/#fix)", "[a](common-errors/a/README.md#fix)"),
        ("[a](common-errors/a/README.md)", "[a](common-errors/a/README.md)"),
        ("the [program](program/), [again](program)", "the program, again"),
        ("[nowhere](common-errors/b/)", "[nowhere](common-errors/b/)"),
        ("[out](https://example.org/a) [here](#a)", "[out](https://example.org/a) [here](#a)"),
    ],
)
def test_links_work_on_the_site_as_in_the_repository(link: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    assert pages.with_repository_links(link, "README.md", {"common-errors/a/README.md"}, tmp_path) == expected


@pytest.mark.parametrize("text", ['<b> & "quoted" `code` *x* _y_ [z](w) \\ \n\ttab | ~~~', "größe 张量"])
def test_literal_text_holds_nothing_to_interpret(text: str) -> None:
    escaped = markup.literal(text)
    assert unescape(escaped) == text
    html = markdown(f'x <button data-text="{escaped}">y</button>', extensions=["attr_list", "tables"])
    assert html == f'<p>x <button data-text="{escaped}">y</button></p>'


# --- workflows and templates ---

WORKFLOWS = sorted(path for path in (ROOT / "troubleshooting-workflows").glob("*.md") if ".zh." not in path.name)
PATHS = [path for path in WORKFLOWS if f"## {decisions.TITLE}" in path.read_text(encoding="utf-8")]
SNIPPETS = sorted((ROOT / "debug-templates" / "snippets").glob("*.py"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_workflow_is_drawn_as_its_text_says(path: Path, static_page: Page) -> None:
    """Every question and outcome is a box, the questions lead to their sections, and the list is still there."""
    page = parse_page(path)
    text = page.section(decisions.TITLE)
    forks = decisions.read_path(text[text.index("1. ") :], path.name)
    static_page.goto(f"troubleshooting-workflows/{path.stem}/")
    drawn = static_page.locator(".decision .fork")
    assert drawn.count() == len(forks)
    for at, fork in enumerate(forks):
        assert drawn.nth(at).locator(".outcome").count() == len(fork.outcomes)
        assert drawn.nth(at).locator(".outcome > b").all_inner_texts() == [
            _visible(outcome.condition) for outcome in fork.outcomes
        ]
        target = drawn.nth(at).locator(".question a").get_attribute("href") or ""
        assert static_page.locator(f'[id="{target.removeprefix("#")}"]').count() == 1
        down = any(outcome.next == fork.number + 1 for outcome in fork.outcomes)
        assert ("down" in (drawn.nth(at).get_attribute("class") or "").split()) == down
    listed = static_page.locator("details ol > li")
    assert listed.count() == len(forks)


def _visible(text: str) -> str:
    """Inline Markdown as a reader sees it."""
    return text.replace("`", "")


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_snippet_has_a_page_with_its_file(path: Path, static_page: Page) -> None:
    static_page.goto(f"debug-templates/snippets/{path.stem}/")
    assert static_page.locator("article button.copy").get_attribute("data-clipboard-text") == path.read_text()
    assert static_page.locator("article .highlight .gp").count() >= 1, "the example with its prompts"
    assert "Healthy" in static_page.locator("article").inner_text()


def test_workflows_stand_in_the_navigation_in_the_order_of_their_table(static_page: Page) -> None:
    static_page.goto("troubleshooting-workflows/")
    table = static_page.locator("article table").first.locator("a")
    linked = [link.get_attribute("href") for link in table.all()]
    assert len(linked) == len(WORKFLOWS) - 1
    side = static_page.locator(".md-nav--primary .md-nav__item--active .md-nav__list a.md-nav__link")
    shown = [link.get_attribute("href") for link in side.all()]
    assert [link for link in shown if link in linked] == linked


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize(
    "page_url",
    [
        "troubleshooting-workflows/",
        "troubleshooting-workflows/loss-is-nan/",
        "troubleshooting-workflows/checklists/",
        "debug-templates/prompts/error-analysis/",
        "debug-templates/snippets/",
        "debug-templates/snippets/five_minute_check/",
        "debug-templates/agent/AGENTS/",
    ],
)
def test_workflows_and_templates_do_not_scroll_sideways(
    page_url: str, viewport: dict[str, int], open_page: OpenPage
) -> None:
    page = open_page(page_url, viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator("article h1").count() == 1


def test_diagram_leads_to_the_section(open_page: OpenPage) -> None:
    page = open_page("troubleshooting-workflows/loss-is-nan/")
    page.locator(".decision .question a").nth(1).click()
    page.wait_for_url("**/loss-is-nan/#2-*")
    page.locator(".decision .outcome.next a").first.click()
    page.wait_for_url("**/loss-is-nan/#fork-*")
