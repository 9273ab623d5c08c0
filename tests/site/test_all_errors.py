"""The page of all errors: its table, and the filters in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect
from selectolax.lexbor import LexborHTMLParser

from tests.guide import CATALOG
from tests.site.browsing import PHONE, OpenPage
from torch_errors.catalog.entries import Catalog
from website import entry_facts

CHINESE = CATALOG.in_language("zh")
LANGUAGES = [("errors/", CATALOG), ("zh/errors/", CHINESE)]
LONGEST = 50  # milliseconds per key


def rows(page: Page) -> Locator:
    return page.locator("#error-table tbody tr:not([hidden])")


def shown(page: Page) -> set[str]:
    """Ids of the entries whose rows are visible."""
    seen = "links => links.filter((link) => link.checkVisibility()).map((link) => link.getAttribute('href'))"
    return {href.split("/")[-2] for href in rows(page).locator("th a").evaluate_all(seen)}


def chosen(page: Page) -> dict[str, str]:
    """The filters in the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).fragment).items()}


def without_code(text: str) -> str:
    return text.replace("`", "")


# --- the table ---


@pytest.mark.parametrize(("path", "catalog"), LANGUAGES, ids=["en", "zh"])
def test_table_is_whole_without_script(path: str, catalog: Catalog, site: Path) -> None:
    rows = LexborHTMLParser((site / path / "index.html").read_text(encoding="utf-8")).css("#error-table tbody tr")
    for entry, row in zip(catalog, rows, strict=True):
        title, seen, category, kind, hardware = [cell.text() for cell in row.css("th, td")]
        assert (title, category) == (without_code(entry.title), without_code(entry.category_title))
        sight = entry_facts.sight(entry)
        assert sight is None or sight.text in seen
        assert kind == entry_facts.kind_word(entry)
        assert hardware == (", ".join(entry_facts.need_words(entry)) or entry.texts.word("runs anywhere"))
        links = [link.attributes["href"] for link in row.css("a")]
        assert links == [f"../{entry.category}/{entry.id}/", f"../{entry.category}/"]


def test_page_stands_in_the_navigation_and_on_the_home_page(open_page: OpenPage) -> None:
    page = open_page()
    names = [name.strip() for name in page.locator(".md-nav--primary > ul > li > a").all_inner_texts()]
    assert names[:2] == ["Home", "All errors"]
    page.locator("h2#all-errors a").first.click()
    expect(page.locator("h1")).to_contain_text("All errors")


# --- the filters ---


def test_words_filter_the_rows(open_page: OpenPage) -> None:
    page = open_page("errors/")
    for words, found in {
        "shapes cannot be multiplied": "matmul-shape-mismatch",  # message
        "MULTIPLIED  shapes": "matmul-shape-mismatch",  # any order, any case
        "forgot keepdim": "broadcast-size-mismatch",  # keyword
        "differs from its in_features": "matmul-shape-mismatch",  # summary, with code marks in the catalog
        "because eval() was never called": "missing-eval-mode",  # title
        "matmul-shape-mismatch": "matmul-shape-mismatch",  # id
    }.items():
        page.get_by_label("Words").fill(words)
        expect(rows(page).first).to_be_visible()
        assert found in shown(page), words
        assert rows(page).count() <= 3, words
    page.get_by_label("Words").fill("IndexError")
    expected = {entry.id for entry in CATALOG if getattr(entry.fields, "exception", "") == "IndexError"}
    assert expected and expected <= shown(page)


def test_category_kind_and_hardware_filter_the_rows(open_page: OpenPage) -> None:
    page = open_page("errors/")
    everything = {entry.id for entry in CATALOG}
    for label, column, value, expected in [
        ("Category", "category", "memory-issues", {e.id for e in CATALOG if e.category == "memory-issues"}),
        ("Kind", "kind", "silent", {e.id for e in CATALOG if e.kind == "silent"}),
        ("Hardware", "needs", "cuda", {e.id for e in CATALOG if "cuda" in e.requires}),
        ("Hardware", "needs", "anywhere", {e.id for e in CATALOG if not e.requires}),
    ]:
        select = page.get_by_label(label)
        select.select_option(value)
        assert shown(page) == expected and expected < everything
        assert chosen(page) == {column: value}
        # The option shows the number of entries.
        number = re.search(r"\d+", select.locator(f'option[value="{value}"]').inner_text())
        assert number and int(number[0]) == len(expected)
        page.locator("#error-filters button").click()
        assert shown(page) == everything and chosen(page) == {}
    page.get_by_label("Category").select_option("memory-issues")
    page.get_by_label("Kind").select_option("silent")
    both = {e.id for e in CATALOG if e.category == "memory-issues" and e.kind == "silent"}
    assert shown(page) == both
    expect(page.get_by_role("status")).to_contain_text(str(len(both)))
    expect(page.get_by_role("status")).to_contain_text(str(len(everything)))


def test_chinese_words_filter_the_chinese_table(open_page: OpenPage) -> None:
    page = open_page("zh/errors/")
    entry = CHINESE.entry("matmul-shape-mismatch")
    page.get_by_label("关键词").fill(without_code(entry.title))
    assert shown(page) == {entry.id}
    page.get_by_label("关键词").fill("梯度爆炸")
    assert "gradient-explosion" in shown(page)
    # Messages are in English on the Chinese page as well.
    page.get_by_label("关键词").fill("shapes cannot be multiplied")
    assert entry.id in shown(page)


def test_unknown_values_of_the_address_are_ignored_and_words_stay_text(open_page: OpenPage) -> None:
    page = open_page("errors/#kind=crash&category=nowhere&what=1&needs=%E0%A4%A")
    expect(page.get_by_role("status")).to_have_text(f"{len(CATALOG)} entries")
    assert page.locator("#error-filters select").evaluate_all("all => all.map(one => one.selectedIndex)") == [0, 0, 0]
    page.evaluate("location.hash = 'q=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E'")
    expect(page.get_by_label("Words")).to_have_value('"><img src=x onerror=alert(1)>')
    assert page.locator("img").count() == 0


def test_back_undoes_a_choice_and_restores_the_typed_words(open_page: OpenPage) -> None:
    page = open_page("errors/")
    page.get_by_label("Kind").select_option("silent")
    page.get_by_label("Category").select_option("memory-issues")
    page.go_back()
    expect(page.get_by_label("Category")).to_have_value("")
    assert shown(page) == {entry.id for entry in CATALOG if entry.kind == "silent"}
    page.get_by_label("Words").fill("softmax")
    before = shown(page)
    rows(page).locator("th a").first.click()  # before the address contains the words
    page.wait_for_url("**/softmax-*/")
    page.go_back()
    expect(page.get_by_label("Words")).to_have_value("softmax")
    expect(page.get_by_label("Kind")).to_have_value("silent")
    assert shown(page) == before
    assert chosen(page) == {"q": "softmax", "kind": "silent"}


def test_no_match_says_what_to_do(open_page: OpenPage) -> None:
    page = open_page("errors/")
    typed = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (7x8 and 9x10)"
    page.get_by_label("Words").fill(typed)
    expect(page.locator(".error-filters-none")).to_contain_text("No entry matches")
    expect(page.locator("#error-table")).to_be_hidden()
    expect(page.get_by_role("status")).to_have_text(f"0 of {len(CATALOG)} entries")
    # The paste box receives the typed words and answers them.
    page.get_by_role("link", name="paste box").click()
    expect(page.locator("#paste")).to_have_value(typed)
    expect(page.locator(".paste-box-answer h2")).to_have_text(CATALOG.entry("matmul-shape-mismatch").title)
    page.go_back()
    expect(page.get_by_label("Words")).to_have_value(typed)
    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".error-filters-none")).to_be_hidden()
    expect(page.get_by_label("Words")).to_be_focused()
    assert len(shown(page)) == len(CATALOG)


@pytest.mark.parametrize("path", ["errors/", "zh/errors/"])
def test_table_is_a_list_of_cards_on_a_phone(path: str, open_page: OpenPage) -> None:
    page = open_page(path, viewport=PHONE)
    page.locator("#filter-words").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    inside = page.evaluate(
        "[...document.querySelectorAll('#error-table td, #error-table th[scope=row], .error-filters *')]"
        ".every(cell => cell.getBoundingClientRect().right <= innerWidth)"
    )
    assert inside
    first = rows(page).first
    title, seen = first.locator("th").bounding_box(), first.locator("td").first.bounding_box()
    assert title and seen and seen["y"] >= title["y"] + title["height"]


def test_filters_are_fast(open_page: OpenPage) -> None:
    """Measures each key of a query, from the event to the layout."""
    page = open_page("errors/")
    expect(page.get_by_role("status")).to_have_text(f"{len(CATALOG)} entries")
    # The fastest of three rounds for each key, so that a busy machine does not matter.
    rounds = page.evaluate(
        """(text) => {
            const field = document.getElementById("filter-words");
            const typed = [...text].map((_, i) => text.slice(0, i + 1));
            return [1, 2, 3].map(() => [...typed, ...typed.toReversed(), ""].map((value) => {
                const start = performance.now();
                field.value = value;
                field.dispatchEvent(new InputEvent("input", { bubbles: true }));
                document.body.getBoundingClientRect();
                return performance.now() - start;
            }));
        }""",
        "RuntimeError shapes cannot",
    )
    times = [min(of_key) for of_key in zip(*rounds, strict=True)]
    assert rows(page).count() == len(CATALOG)
    assert max(times) < LONGEST, f"slowest key {max(times):.1f} ms, median {sorted(times)[len(times) // 2]:.1f} ms"
