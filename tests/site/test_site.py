"""The pages of the built site, parsed or in a browser."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from html import unescape
from os.path import normpath
from pathlib import Path
from urllib.parse import urljoin

import pytest
from markdown import markdown  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.guide import CATALOG
from tests.site.browsing import DESKTOP, PHONE, ROOT, OpenPage, compressed, files_asked
from torch_errors import curves
from torch_errors.catalog.entries import Category, Entry, marked_lines
from torch_errors.catalog.fields import SilentEntry
from torch_errors.markdown.parsing import parse_page
from torch_errors.running.recordings import Recording
from website import decisions, markup
from website.fences import with_site_fences
from website.links import with_site_links
from website.moved import FORMER_PAGES

ENTRIES = list(CATALOG)
WITH_CURVE = [entry for entry in ENTRIES if isinstance(entry.fields, SilentEntry) and entry.fields.curve]
MATMUL = CATALOG.entry("matmul-shape-mismatch")


ReadPage = Callable[[str], LexborHTMLParser]


@pytest.fixture(scope="session")
def read_page(site: Path) -> ReadPage:
    """Function that parses a page as browsers do, for tests that need no script and so no browser."""

    def read_page(path: str) -> LexborHTMLParser:
        return LexborHTMLParser((site / path / "index.html").read_text(encoding="utf-8"))

    return read_page


def texts(nodes: Iterable[LexborNode]) -> list[str]:
    return [node.text() for node in nodes]


def attributes(nodes: Iterable[LexborNode], name: str) -> list[str]:
    return [node.attributes[name] or "" for node in nodes]


def one(node: LexborNode | LexborHTMLParser, selector: str) -> LexborNode:
    """The first element that a selector finds."""
    found = node.css_first(selector)
    assert found is not None, f"no {selector}"
    return found


def url(entry: Entry) -> str:
    return f"{entry.category}/{entry.id}/"


# --- every entry ---


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_page_shows_the_files_of_the_entry(entry: Entry, read_page: ReadPage) -> None:
    page = read_page(url(entry))
    labels = ["Broken", "Fixed", *(["Wrong fix"] if "wrong_fix" in entry.variants else []), "Diff", "Output"]
    assert texts(page.css(".tabbed-labels > label")) == labels
    summary = entry.summary.replace("`", "")
    assert one(page, "meta[name=description]").attributes["content"] == summary

    blocks = page.css(".tabbed-block")
    for block, variant in zip(blocks, entry.variants, strict=False):
        source = entry.script(variant).read_text(encoding="utf-8")
        assert one(block, ".copy").attributes["data-clipboard-text"] == source
        assert one(block, "pre code").text() == source
        marked = [source.splitlines()[line - 1] for line in marked_lines(source)]
        assert [text.rstrip("\n") for text in texts(block.css(".hll"))] == marked
    assert blocks[0].css(".hll")

    diff = blocks[len(entry.variants)]
    removed, added = (texts(diff.css(kind)) for kind in (".gd", ".gi"))
    broken, fixed = (entry.script(variant).read_text().splitlines() for variant in ("broken", "fixed"))
    # The first lines (`--- broken.py`) have the same classes.
    assert added[1:], "the fix adds nothing"
    assert all(line[1:].rstrip("\n") in broken for line in removed[1:])
    assert all(line[1:].rstrip("\n") in fixed for line in added[1:])

    shown = blocks[-1].text()
    for variant in entry.variants:
        if entry.recording(variant).exists():
            recording = Recording.load(entry.recording(variant))
            assert _as_shown(f"$ python {variant}.py\n{recording.body.rstrip()}") in _as_shown(shown)
            assert recording.environment in shown
        else:
            assert "not recorded yet" in shown


def _as_shown(text: str) -> str:
    """The text after Markdown: tabs are spaces, and lines have no spaces at their end."""
    return "\n".join(line.expandtabs(4).rstrip() for line in text.splitlines())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_page_has_the_structure_that_github_shows(entry: Entry, read_page: ReadPage) -> None:
    """Python-Markdown is stricter than GitHub about lists and fences, and reports nothing."""
    tokens = MarkdownIt("commonmark").enable("table").parse(entry.page.read_text(encoding="utf-8"))
    count = [token.type for token in tokens].count
    article = one(read_page(url(entry)), "article")
    one(article, ".tabbed-set").decompose()
    assert len(article.css("li")) == count("list_item_open")
    assert len(article.css("tr")) == count("tr_open")
    assert len(article.css("pre")) == count("fence") + count("code_block")
    assert "```" not in article.text()


@pytest.mark.parametrize("entry", WITH_CURVE, ids=lambda entry: entry.id)
def test_curves_plot_the_recorded_points(entry: Entry, read_page: ReadPage) -> None:
    assert isinstance(entry.fields, SilentEntry) and entry.fields.curve
    curve = entry.fields.curve
    page = read_page(url(entry))
    pairs: list[tuple[float, float]] = []  # recorded value, drawn height
    for variant in ("broken", "fixed"):
        for style, name in enumerate(curve.y):
            recorded = Recording.load(entry.recording(variant)).series(name, curve.x)
            drawable = [y for _, y in recorded if math.isfinite(y) and (y > 0 or not curve.log)]
            lines = page.css(f".curve.{variant}.style-{style} polyline")
            drawn = " ".join(attributes(lines, "points")).split()
            assert len(drawn) == len(drawable)
            heights = [float(point.partition(",")[2]) for point in drawn]
            pairs += zip([math.log10(y) if curve.log else y for y in drawable], heights, strict=True)
            if len(drawable) < len(recorded):
                assert f"Not drawn: {variant}.py, {name} is" in one(page, ".curves figcaption").text()
    (low, bottom), (high, top) = min(pairs), max(pairs)
    assert bottom > top
    for value, height in pairs:
        assert height == pytest.approx(bottom + (value - low) / (high - low) * (top - bottom), abs=0.2)
    described = one(page, ".curves desc").text()
    assert "broken.py" in described and "fixed.py" in described


# --- navigation ---


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
@pytest.mark.parametrize("category", CATALOG.categories, ids=lambda category: category.id)
def test_entries_lead_to_each_other_within_their_category(category: Category, language: str, site: Path) -> None:
    in_order = ["", *(f"{entry.id}/" for entry in category.entries)]  # the page of the category first
    for at, id in enumerate(in_order[1:], start=1):
        html = (site / language / category.id / id / "index.html").read_text(encoding="utf-8")
        footer = LexborHTMLParser(html[html.index("<footer") :])
        found = {
            side: [urljoin(f"/{id}", link) for link in attributes(footer.css(f".md-footer__link--{side}"), "href")]
            for side in ("prev", "next")
        }
        assert found == {
            "prev": [f"/{in_order[at - 1]}"],
            "next": [f"/{following}" for following in in_order[at + 1 : at + 2]],
        }, id


# --- layout ---

SEVERAL = [
    "", f"{MATMUL.category}/", url(MATMUL), url(WITH_CURVE[0]), "contributing/", "troubleshooting-workflows/",
    "troubleshooting-workflows/loss-is-nan/", "troubleshooting-workflows/checklists/",
    "debug-templates/prompts/error-analysis/", "debug-templates/snippets/", "debug-templates/agent/AGENTS/",
    "debug-templates/snippets/five_minute_check/",
]  # fmt: skip


@pytest.mark.parametrize(
    "viewport", [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.exhaustive)]
)
def test_no_page_scrolls_sideways(viewport: dict[str, int], open_page: OpenPage) -> None:
    page = open_page(viewport=viewport)
    home = page.url
    for path in SEVERAL:
        page.goto(home + path)
        for label in [None, *page.locator(".tabbed-labels > label").all()]:
            if label:
                label.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path


def test_a_table_of_fixes_fits_on_a_phone(open_page: OpenPage) -> None:
    page = open_page(url(CATALOG.entry("from-numpy-shares-memory")), viewport=PHONE)
    measured = "all => all.map((table) => [table.scrollWidth, table.parentElement.clientWidth])"
    widths = page.locator("article table").evaluate_all(measured)
    assert widths and all(width <= room for width, room in widths), widths


# Words of code in cells, and whether each is on one line.
WORDS_IN_CELLS = """(cells) => cells.flatMap((code) => {
    const places = [];
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) for (let at = 0; at < texts.currentNode.length; at++) {
        const range = new Range();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + 1);
        places.push(range.getBoundingClientRect().bottom);
    }
    return [...code.textContent.matchAll(/[A-Za-z0-9]+/g)].map(({ 0: word, index }) => [
        word, Math.abs(places[index] - places[index + word.length - 1]) < 4]);
})"""


def test_names_in_tables_break_at_their_marks_on_a_phone(open_page: OpenPage) -> None:
    """And not inside a word: `torch.nn.functional.cross_entropy` after a dot or an underscore."""
    words = []
    for id in ("cublas-failure", "dataset-mutated-in-place", "gradient-checkpointing", "onecycle-too-many-steps"):
        page = open_page(url(CATALOG.entry(id)), viewport=PHONE)
        words += page.locator("article :is(td, th) code").evaluate_all(WORDS_IN_CELLS)
    assert len(words) > 40 and [word for word, whole in words if not whole] == []


# Measures articles in place of the article of the open page, which is much faster than loading each page.
ABOVE_THE_FOLD = """(articles) => articles.map((html) => {
    if (html) document.querySelector("article").outerHTML = html;
    const [, fix] = document.querySelectorAll("article h2");
    const before = (element) => element.compareDocumentPosition(fix) & Node.DOCUMENT_POSITION_FOLLOWING;
    const message = [...document.querySelectorAll("article .highlight")].find(before);
    const shown = [document.querySelector("article .smallest-fix"), ...(message ? [message] : [])];
    return shown.map((element) => element.getBoundingClientRect().bottom);
})"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_message_and_fix_are_seen_without_scrolling(language: str, open_page: OpenPage, site: Path) -> None:
    """On every page of an entry: the recorded message or number, and the fix of the catalog in one sentence."""
    folder = "" if language == "en" else "zh/"
    entries = list(CATALOG.in_language(language))
    # The article up to its second heading.
    beginning = re.compile(r"(?s)<article.*?<h2.*?<h2")
    htmls = [(site / folder / url(entry) / "index.html").read_text(encoding="utf-8") for entry in entries]
    articles = [f"{found[0]}></h2></article>" for found in map(beginning.search, htmls) if found]
    for entry, article in zip(entries, articles, strict=True):
        shown = one(LexborHTMLParser(article), ".smallest-fix").text()
        assert re.split("[:：] ?", shown, maxsplit=1)[1] == (entry.fields.fix or "").replace("`", ""), entry.id
    page = open_page(folder + url(entries[0]), java_script_enabled=False)  # faster, with the same heights
    for viewport in (PHONE, DESKTOP):
        page.reload()
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        loaded, *bottoms = page.evaluate(ABOVE_THE_FOLD, ["", *articles])
        assert bottoms[0] == loaded
        for entry, shown in zip(entries, bottoms, strict=True):
            assert max(shown) <= viewport["height"], f"{entry.id}, {viewport}: {shown}"
            assert len(shown) == 2 or not entry.recording("broken").exists(), f"{entry.id}: shows no message"


LIGHT = 200_000  # compressed bytes of a first view


def test_first_view_of_an_entry_is_light(new_page: OpenPage, address: str, site: Path) -> None:
    """Measures all files that the browser requests for the largest page of an entry."""
    largest = max(ENTRIES, key=lambda entry: (site / url(entry) / "index.html").stat().st_size)
    page = new_page()
    asked = files_asked(page)
    page.goto(address + url(largest), wait_until="networkidle")
    page.wait_for_timeout(500)
    sizes = compressed(address, site, asked)
    assert "assets/site.css" in "".join(sizes) and len(sizes) > 5
    assert sum(sizes.values()) < LIGHT, sizes


# --- two languages ---


@pytest.mark.parametrize("language", ["", "zh/"])
def test_every_page_links_to_its_other_language(language: str, site: Path) -> None:
    """As `hreflang` and in the switch, by relative links to existing pages. The switch marks the current language."""
    folder = site / language
    found = [page for page in folder.rglob("index.html") if language or "zh" not in page.relative_to(site).parts[:1]]
    assert len(found) > len(ENTRIES)
    for page in found:
        html = page.read_text(encoding="utf-8")
        links = dict(re.findall(r'<link rel=" alternate" href="([^"]*)" hreflang="([^"]*)">', html))
        assert sorted(links.values()) == ["en", "zh"], page
        for link, of in links.items():
            target = Path(normpath(page.parent / link / "index.html"))
            place = page.relative_to(folder)
            assert target == (site / "zh" / place if of == "zh" else site / place)
            assert target.is_file()
            switch = html.split('class="md-select__list"')[1]
            assert f'href="{link}" hreflang="{of}"' in switch
        assert re.findall(r'lang="(..)" class="md-select__link" aria-current', switch) == ["zh" if language else "en"]


def test_chinese_page_is_chinese(read_page: ReadPage) -> None:
    page = read_page(f"zh/{url(MATMUL)}")
    assert one(page, "title").text() == "mat1 and mat2 shapes cannot be multiplied：矩阵形状不匹配 - PyTorch 调试指南"
    article = one(page, "article")
    assert not article.css(".translation-notice")
    assert texts(article.css(".tabbed-labels > label")) == ["出错", "修好", "差异", "输出"]
    badges = " ".join(texts(article.css(".badge")))
    assert "异常" in badges and "维度不匹配" in badges and "已在 torch 2." in badges
    assert one(article, "span.filename").text().startswith("torch")
    assert one(article, "h2").attributes["id"] == "报错信息"
    assert "复制" in texts(article.css("button"))
    assert "首页" in [text.strip() for text in texts(page.css("nav .md-nav__link"))]
    description = one(page, "meta[name=description]").attributes["content"]
    assert description == "输入最后一维的长度和线性层的 in_features 不一致。"
    curves = one(read_page(f"zh/{url(CATALOG.entry('nan-loss'))}"), ".curves figcaption")
    assert "未画出：broken.py, loss 从 step=8 起为 nan。" in curves.text()


def test_chinese_page_works_in_the_browser(open_page: OpenPage) -> None:
    """Copy buttons copy the exact file. The colors follow the system, then the toggle."""
    page = open_page(f"zh/{url(MATMUL)}", permissions=["clipboard-read", "clipboard-write"], color_scheme="light")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.locator(".tabbed-labels > label").nth(1).click()
    page.locator(".tabbed-block").nth(1).get_by_role("button", name="复制").click()
    assert page.evaluate("navigator.clipboard.readText()") == MATMUL.script("fixed").read_text(encoding="utf-8")
    page.get_by_title("切换到深色模式").click()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.reload()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")


# --- pure functions ---


def test_points_that_cannot_be_drawn_interrupt_the_line() -> None:
    nan, inf = math.nan, math.inf
    points = [(0.0, 1.0), (1.0, nan), (2.0, 2.0), (3.0, -1.0), (4.0, inf), (5.0, inf)]
    assert curves.runs(points) == [[(0, 1)], [(2, 2), (3, -1)]]
    assert curves.runs(points, log=True) == [[(0, 1)], [(2, 2)]]
    html = curves.figure([curves.Series("broken", "loss", points, "broken.py, loss")], "step", log=True)
    assert "Not drawn: broken.py, loss is nan or zero or below or inf at 4 points, first at step=1." in html
    assert html.count("<polyline") == 2
    assert "nan" not in html.split("<g ")[1].split("</g>")[0]
    broken = curves.Series("broken", "loss", [(0.0, 1.0), (1.0, nan), (2.0, nan)], "broken.py, loss")
    to_the_end = curves.figure(
        [broken, curves.Series("fixed", "loss", [(0.0, 1.0), (2.0, 0.5)], "fixed.py, loss")], "x"
    )
    assert "Not drawn: broken.py, loss is nan from x=1 on." in to_the_end


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values",
    [[], [math.nan] * 3, [0.0, 0.0], [5.0], [1e-300, 1e300], [1e38, 3e38], [-2.0, 3.0], [1.0, 1.0001], [0.02, 0.9]],
    ids=str,
)
def test_any_numbers_give_a_figure(values: list[float], log: bool) -> None:
    points = [(float(step), value) for step, value in enumerate(values)] or [(0.0, math.inf)]
    html = curves.figure([curves.Series("broken", "loss", points, "broken.py, loss")], "step", log=log)
    assert html.count("<text") >= 5
    assert "\n\n" not in html  # an empty line would end the block in Markdown


def test_ticks_are_round_numbers_or_powers_of_ten() -> None:
    assert curves.linear_ticks([0, 29], 6) == [0, 5, 10, 15, 20, 25, 30]
    assert curves.linear_ticks([0.11, 0.42], 5) == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert curves.linear_ticks([-3, 4], 5) == [-4, -2, 0, 2, 4]
    assert curves.log_ticks([0.3, 700], 5) == [0.1, 1, 10, 100, 1000]
    assert [curves.tick_label(value, True) for value in (0.001, 1, 1e16)] == ["10⁻³", "1", "10¹⁶"]


def test_fence_attributes_become_titles(tmp_path: Path) -> None:
    recording = Recording("broken.py", "x\n", 1, "2.15.0+cu132", "3.11", "Linux", "CPU")
    (tmp_path / "recorded").mkdir()
    (tmp_path / "recorded/broken.out").write_text(recording.to_text())
    text = """\
````{message}
```text printed
```
````
- in a list

    ```{code}
    x = 1
    ```
~~~{seen}
~~~
`` ```text printed `` is not a fence
"""
    written = {"message": 'text recorded="broken.out" part="message"', "code": 'python no-run="why not"'}
    shown = {"message": ' { .text .message title="recorded with torch 2.15.0" }', "code": " { .python }"}
    written["seen"], shown["seen"] = 'text seen="torch 2.4.1"', ' { .text .message title="seen with torch 2.4.1" }'
    assert with_site_fences(text.format(**written), tmp_path / "README.md") == text.format(**shown)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](common-errors/a/#fix)", "[a](common-errors/a/README.md#fix)"),
        ("the [program](program/), [again](program)", "the program, again"),
        ("[nowhere](common-errors/b/)", "[nowhere](common-errors/b/)"),
        ("[out](https://example.org/a) [here](#a)", "[out](https://example.org/a) [here](#a)"),
    ],
)
def test_links_work_on_the_site_as_in_the_repository(link: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    assert with_site_links(link, "README.md", {"common-errors/a/README.md"}, tmp_path) == expected


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
def test_workflow_is_drawn_as_in_its_text(path: Path, read_page: ReadPage) -> None:
    """Every question and outcome is a box, the questions link to their sections, and the list is kept."""
    page = parse_page(path)
    text = page.section(decisions.TITLE)
    forks = decisions.read_path(text[text.index("1. ") :], path.name)
    shown = read_page(f"troubleshooting-workflows/{path.stem}")
    ids = set(attributes(shown.css("[id]"), "id"))
    for drawn, fork in zip(shown.css(".decision .fork"), forks, strict=True):
        assert len(drawn.css(".outcome")) == len(fork.outcomes)
        assert texts(drawn.css(".outcome > b")) == [outcome.condition.replace("`", "") for outcome in fork.outcomes]
        assert (one(drawn, ".question a").attributes["href"] or "").removeprefix("#") in ids
        down = any(outcome.next == fork.number + 1 for outcome in fork.outcomes)
        assert ("down" in (drawn.attributes["class"] or "").split()) == down
    assert len(shown.css("details ol > li")) == len(forks)


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_snippet_has_a_page_with_its_file(path: Path, read_page: ReadPage) -> None:
    article = one(read_page(f"debug-templates/snippets/{path.stem}"), "article")
    assert one(article, "button.copy").attributes["data-clipboard-text"] == path.read_text()
    assert article.css(".highlight .gp"), "the example with its prompts"
    assert "Healthy" in article.text()


def test_workflows_are_in_the_navigation_in_the_order_of_their_table(read_page: ReadPage) -> None:
    page = read_page("troubleshooting-workflows")
    linked = attributes(one(page, "article table").css("a"), "href")
    assert len(linked) == len(WORKFLOWS) - 1
    shown = attributes(page.css(".md-nav--primary .md-nav__item--active .md-nav__list a.md-nav__link"), "href")
    assert [link for link in shown if link in linked] == linked


@pytest.mark.parametrize("language", ["", "zh/"])
@pytest.mark.parametrize("former", FORMER_PAGES)
def test_former_page_leads_to_its_replacement(former: str, language: str, site: Path) -> None:
    html = (site / language / former / "index.html").read_text(encoding="utf-8")
    (to,) = re.findall(r'<a href="([^"]*)" id="moved">', html)
    assert f'<link rel="canonical" href="{to}">' in html
    new = site / language / FORMER_PAGES[former].removesuffix(".md").removesuffix("/README")
    assert (site / language / former / to / "index.html").samefile(new / "index.html")
