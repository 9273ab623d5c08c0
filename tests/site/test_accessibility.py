"""The site with a screen reader, by keyboard and on paper: checks of axe-core, and what axe-core cannot check."""

from __future__ import annotations

import re
import time
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import expect

from tests.pastes import MATMUL, SEVERAL
from tests.site.browsing import DESKTOP, PHONE, OpenPage
from website.accessibility import with_names

PAGES = [
    f"#{urlencode({'q': SEVERAL['chain'][0]}, quote_via=quote)}",  # with several errors
    "#q=the%20learning%20rate%20seems%20wrong",  # with a guess
    "dimension-mismatch/matmul-shape-mismatch/",
    "gradient-issues/vanishing-gradient/",
    "dimension-mismatch/",
    "errors/#q=accumulation",  # five rows of all kinds; the several hundred others are alike
    "errors/#q=nothing+like+it",
    "troubleshooting-workflows/shape-error/",
    "troubleshooting-workflows/checklists/",
    "debug-templates/prompts/shapes/",
    "debug-templates/snippets/timer/",
    f"#q={quote(MATMUL)}",  # with a prompt to copy, and a picture
    "symptoms/",  # with curves
]
LIGHT, DARK = ("", DESKTOP, "light"), ("zh/", PHONE, "dark")
# `make test` checks one page of most kinds, in one of two views, which differ in language, size and colors. The parts
# that only a wide window shows are the same on most pages, so only a few pages are checked in a wide, dark view.
LOOKS = [
    pytest.param(*LIGHT, PAGES[::4], id="some-light"),
    pytest.param(*DARK, PAGES[3:6:2], id="some-dark"),
    pytest.param(*LIGHT, [page for page in PAGES if page not in PAGES[::4]], id="light", marks=pytest.mark.exhaustive),
    pytest.param(*DARK, [page for page in PAGES if page not in PAGES[3:6:2]], id="dark", marks=pytest.mark.exhaustive),
    pytest.param("zh/", DESKTOP, "dark", PAGES[2:6:2], id="wide-dark", marks=pytest.mark.exhaustive),
]


@pytest.mark.parametrize(("language", "viewport", "scheme", "paths"), LOOKS)
def test_axe_finds_nothing(
    language: str, viewport: dict[str, int], scheme: str, paths: list[str], open_page: OpenPage
) -> None:
    page = open_page(language, viewport=viewport, color_scheme=scheme)
    base = page.url
    for path in paths:
        page.goto("about:blank")  # otherwise a change of the fragment alone loads nothing
        page.goto(base + path)
        if "#" in path:
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(300)  # until the answer is shown
        for folded in page.locator(".paste-box summary").all():
            folded.click()
        page.locator("#error-table tr[hidden]").evaluate_all(
            "rows => rows.forEach((row) => row.remove())"
        )  # much faster
        # The theme's script puts a copy button into each block.
        if page.locator("pre > code").count():
            page.locator(".md-code__nav[role]").first.wait_for(state="attached")
        found = Axe().run(page, options={"resultTypes": ["violations"]})  # a third faster
        assert found.violations_count == 0, f"{path}\n{found.generate_report()}"


@pytest.mark.parametrize(("language", "viewport", "scheme"), [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing_in_the_search(
    language: str, viewport: dict[str, int], scheme: str, open_page: OpenPage
) -> None:
    page = open_page(f"{language}contributing/", viewport=viewport, color_scheme=scheme)
    page.keyboard.press("/")
    page.keyboard.type("flatten shapes")
    page.locator(".md-search-result__item a").first.wait_for()
    page.wait_for_timeout(500)  # the dialog appears slowly
    found = Axe().run(page, context=".md-search")
    assert found.violations_count == 0, found.generate_report()


def test_axe_finds_a_planted_fault(open_page: OpenPage) -> None:
    """Shows that axe-core does run in the tests above."""
    page = open_page("contributing/")
    page.evaluate("document.querySelector('article').append(document.createElement('button'))")
    assert [violation["id"] for violation in Axe().run(page).response["violations"]] == ["button-name"]


# Collects the controls that the keyboard reaches, and checks what is shown of them: the element or its label.
SETUP = """() => {
    const visible = (element) => {
        const box = element.getBoundingClientRect();
        const options = { opacityProperty: true, visibilityProperty: true };
        return box.width > 2 && box.height > 2 && element.checkVisibility(options);
    };
    const shown = (element) => {
        const labels = [...(element.labels ?? [])];
        const next = element.nextElementSibling; // Material's switch of colours names the other scheme
        return [element, ...labels, ...(next?.matches("label") ? [next] : [])].filter(visible);
    };
    window.reached = new Set();
    window.step = () => {
        const element = document.activeElement;
        if (element === document.body || window.reached.has(element)) return null;
        window.reached.add(element);
        return describe(element);
    };
    window.look = () => {
        const parts = shown(document.activeElement);
        const inside = parts.some((part) => {
            const box = part.getBoundingClientRect();
            return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
        });
        const marked = parts.some((part) => {
            const style = getComputedStyle(part);
            return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
        });
        return inside && marked;
    };
    const describe = (element) =>
        `${element.tagName}.${element.className}#${element.id} ${element.textContent.trim().slice(0, 40)}`;
    window.missed = () => {
        const controls = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
        const groups = new Set([...reached].filter((e) => e.type === "radio").map((e) => e.name));
        return [...controls]
            .filter((e) => e.getClientRects().length && getComputedStyle(e).visibility === "visible")
            .filter((e) => shown(e).length && e.tabIndex >= 0 && !e.disabled)
            .filter((e) => !reached.has(e) && !(e.type === "radio" && groups.has(e.name)))
            .map(describe);
    };
}"""
MOST_STOPS = 400


WITH_CONTROLS = [
    (f"#q={quote(MATMUL)}",) * 2,
    ("dimension-mismatch/matmul-shape-mismatch/", "gradient-issues/vanishing-gradient/"),
    ("errors/#q=nan",) * 2,
    ("troubleshooting-workflows/shape-error/", ""),
]
REACHED = [
    pytest.param(
        language, path, viewport, id=f"{path.partition('#')[0] or 'home'}-{number}-{code}",
        marks=[] if (number, code) in ((0, "en"), (3, "zh")) else [pytest.mark.exhaustive],
    )
    for number, paths in enumerate(WITH_CONTROLS)
    for path, (code, language, viewport) in zip(paths, [("en", "", DESKTOP), ("zh", "zh/", PHONE)], strict=True)
]  # fmt: skip


@pytest.mark.parametrize(("language", "path", "viewport"), REACHED)
def test_every_control_is_reached_and_seen_by_keyboard(
    language: str, path: str, viewport: dict[str, int], open_page: OpenPage
) -> None:
    page = open_page(language + path, viewport=viewport)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)  # until the answer is shown
    page.evaluate(SETUP)
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop, seen = page.evaluate("[step(), look()]")
        if stop is None:
            break
        # Some controls appear slowly. The policy of the page forbids what Playwright's `wait_for_function` does.
        end = time.monotonic() + 10
        while not seen:
            assert time.monotonic() < end, f"the keyboard is on something that is not seen: {stop}"
            page.wait_for_timeout(50)
            seen = page.evaluate("look()")
    else:
        pytest.fail(f"more than {MOST_STOPS} stops")
    assert page.evaluate("missed()") == []


def test_navigation_of_a_phone_opens_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("zh/", viewport=PHONE)
    button = page.get_by_title("导航")
    link = page.locator(".md-sidebar--primary").get_by_role("link", name="维度不匹配")
    assert not link.is_visible()
    page.keyboard.press("Tab")  # the link to the content
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    for key in (" ", "Enter"):
        page.keyboard.press(key)
        expect(link).to_be_visible()
        page.keyboard.press(key)
        expect(link).not_to_be_visible()


def test_names_come_from_the_theme_as_it_is(site: Path) -> None:
    """The names are inserted by replacing text of the theme, which may change with its version."""
    html = (site / "dimension-mismatch/matmul-shape-mismatch/index.html").read_text(encoding="utf-8")
    assert 'role="dialog" aria-label="Search"' in html
    (label,) = re.findall(r'data-md-level="1" aria-labelledby="([^"]+)"', html)
    (title,) = re.findall(rf'(?s)<label [^>]*id="{label}"[^>]*>(.*?)</label>', html)
    assert re.sub(r"<[^>]*>", "", title).strip() == "Dimension mismatch"
    assert 'aria-label="搜索"' in (site / "zh/index.html").read_text(encoding="utf-8")


def test_name_of_the_search_is_escaped() -> None:
    html = '<div data-md-component="search" role="dialog">'
    assert with_names(html, '"><script>', "").endswith('aria-label="&quot;&gt;&lt;script&gt;">')


# --- on paper ---


def test_page_can_be_printed(open_page: OpenPage) -> None:
    page = open_page("gradient-issues/vanishing-gradient/", viewport={"width": 700, "height": 990}, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    # Paper is white, in the dark view as well.
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgba(0, 0, 0, 0)",
        "rgb(255, 255, 255)",
    )
    assert page.evaluate("getComputedStyle(document.querySelector('article h1')).color") in (
        "rgb(0, 0, 0)",
        "rgba(0, 0, 0, 0.87)",
    )
    # The content of all tabs is printed, and no controls are.
    for block in page.locator(".tabbed-block").all():
        assert block.is_visible()
    assert page.locator(".tabbed-block").count() == 4
    for selector in (".md-header", ".md-sidebar", ".md-footer", ".copy", ".headerlink", ".md-code__nav"):
        assert page.locator(selector).count(), selector
        assert not any(found.is_visible() for found in page.locator(selector).all()), selector
    # Nothing is cut off at the right.
    cut = "[...document.querySelectorAll('article pre > code')].filter((e) => e.scrollWidth > e.clientWidth + 1).length"
    assert page.evaluate(cut) == 0
    # The address follows each link to a different site.
    link = page.locator('article a[href^="https://"]').first
    after = link.evaluate("element => getComputedStyle(element, '::after').content")
    assert re.sub(r'[" ]', "", after) in (f"({link.get_attribute('href')})", "(attr(href))")
