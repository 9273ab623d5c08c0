"""The search of the site: the pages that it finds, their order, and the size of what it loads."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import expect

from tests.guide import CATALOG
from tests.site.browsing import Ask, OpenPage, compressed, files_asked, pages_of
from torch_errors.catalog.entries import Entry
from torch_errors.errors import UserError
from torch_errors.running.recordings import Recording
from website import search
from website.search import Document

IN = {"": CATALOG, "zh/": CATALOG.in_language("zh")}
MATMUL = CATALOG.entry("matmul-shape-mismatch")
WITH_MESSAGE = [entry.id for entry in CATALOG if entry.kind != "silent" and entry.recording("broken").exists()]
LANGUAGES = pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])


def few(values: Sequence[Any], most: int) -> list[Any]:
    """About `most` of the values, evenly chosen, so that `make test` does not grow with the catalog."""
    return list(values)[:: max(1, round(len(values) / most))]


BUDGET, WORST = 200_000, 260_000  # compressed bytes that a first query may load, and the worst one possible
AMONG_THREE = 0.95  # required share of messages and titles that find their page among the first three


def url(entry: Entry) -> str:
    return f"{entry.category}/{entry.id}/"


def recorded(id: str) -> Recording:
    return Recording.load(CATALOG.entry(id).recording("broken"))


def message(id: str) -> str:
    """The first line of the recorded message, without the name of the exception."""
    line = recorded(id).message(CATALOG.entry(id).promise("broken")).splitlines()[0]
    return line.partition(": ")[2] or line


# Messages that the search does not take for pasted text.
TYPED = [
    id for id in WITH_MESSAGE if len(message(id)) <= 100 and not re.search(r"(Error|Exception|Warning): ", message(id))
]


# --- pages that are found ---


@LANGUAGES
def test_recorded_message_is_found_as_people_type_it(language: str, ask: Ask) -> None:
    """Without the name of the exception, as printed and with other numbers."""
    for id in [MATMUL.id, *few(TYPED, 4)]:
        line = message(id)
        other = re.sub(r"\d+", lambda number: str(int(number[0][:9]) * 7 + 13), line)
        for query in (line, other):
            assert url(CATALOG.entry(id)) in pages_of(ask(language, query))[:3], query


@pytest.mark.parametrize(("language", "most"), [("", 60), pytest.param("zh/", 20, marks=pytest.mark.exhaustive)])
def test_recorded_message_finds_its_page(language: str, most: int, ask: Ask) -> None:
    """Among the first three; the page of all errors, which repeats every message, is not found."""
    found = {id: pages_of(ask(language, message(id))) for id in few(TYPED, most)}
    others = {id: pages for id, pages in found.items() if url(CATALOG.entry(id)) not in pages[:3]}
    assert len(found) - len(others) >= AMONG_THREE * len(found), others
    assert not [page for pages in found.values() for page in pages if page.startswith("errors/")]


@LANGUAGES
def test_title_finds_its_page(language: str, exhaustive: bool, ask: Ask) -> None:
    asked = few(list(IN[language]), len(CATALOG) if exhaustive else 20)
    others = [entry.title for entry in asked if url(entry) not in pages_of(ask(language, entry.title))[:3]]
    assert len(others) <= (1 - AMONG_THREE) * len(asked), others


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("梯度爆炸", "gradient-explosion"),
        ("显存不足", "cuda-out-of-memory"),
        ("爆显存", "cuda-out-of-memory"),
        ("张量在不同的设备上", "device-mismatch"),
        ("叶子张量", "leaf-inplace"),
        ("损失是 nan", "nan-loss"),
        ("忘记 zero_grad", "missing-zero-grad"),
    ],
)
def test_chinese_words_find_the_entry(query: str, id: str, ask: Ask) -> None:
    assert url(CATALOG.entry(id)) in pages_of(ask("zh/", query))[:3]


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("persistent_workers", "troubleshooting-workflows/slow-training/"),  # only in its text
        ("requires_grad", "gradient-issues/leaf-inplace/"),
        ("nn.CrossEntropyLoss", "convergence-problems/softmax-before-cross-entropy/"),
        ("cross entropy", "convergence-problems/softmax-before-cross-entropy/"),
        ("mat2 multipl", "dimension-mismatch/matmul-shape-mismatch/"),  # not yet typed to the end
    ],
)
def test_words_of_the_text_are_found(query: str, page: str, ask: Ask) -> None:
    assert page in pages_of(ask("", query))


@LANGUAGES
def test_short_and_odd_queries_are_answered(language: str, ask: Ask) -> None:
    for query in [*"0123456789", "1.", "2e", "10", "abc", "x", "the", "a"]:
        assert ask(language, query), query
    assert len(ask(language, "张量" if language else "tensor")) >= 5
    odd = ['"', '"mat1 and mat2', "(((", "\\", "[", "*", "+-~^:", "的", "😀", "__proto__ constructor", "x" * 30]
    for query in odd:
        ask(language, query)
        text = f"{query} {message(MATMUL.id)}"
        pages = pages_of(ask(language, text))[:3]
        if len(text) > 100:  # leads to the paste box
            assert [page.startswith("#q=") for page in pages] == [True], query
        else:
            assert url(MATMUL) in pages, query


@LANGUAGES
def test_pasted_message_leads_to_the_paste_box(language: str, ask: Ask) -> None:
    """For a traceback, its last line, a long line, and a text of which only the end fits into an address."""
    traceback = recorded(MATMUL.id).body
    last = traceback.strip().splitlines()[-1]
    for query in (traceback, traceback.replace("\n", " "), last, "step 1 " * 20, f"{'é' * 30_000}\ud83d{last}"):
        ((result,),) = ask(language, query)
        handed_over = unquote(result["location"].removeprefix("#q="))
        assert handed_over and query.replace("\ud83d", "\ufffd").endswith(handed_over)
        assert len(result["location"]) < 200_000
        assert result["title"].startswith("在首页" if language else "Explain this text")


@LANGUAGES
def test_results_are_text(language: str, ask: Ask) -> None:
    """The theme makes HTML from results: a query or page may add no elements except marks."""
    texts = [
        text
        for query in ("<img src=x onerror=alert(1)>", '<stdin> <module> & "quotes"', message("state-dict-missing-keys"))
        for found in ask(language, query)
        for section in found
        for text in (section["title"], section["text"])
    ]
    assert texts and not re.search(r"<(?!/?(mark|p|code)>)", "".join(texts))


@LANGUAGES
def test_scripts_of_an_entry_are_not_found_as_a_section(language: str, ask: Ask) -> None:
    """Their text is already part of the page."""
    entries = [url(entry) for entry in CATALOG]
    found = [page for page in ask(language, "脚本" if language else "Scripts") if page[0]["location"] in entries]
    assert not [section for page in found for section in page if section["location"].endswith("#scripts")]


def test_sections_are_shown_below_their_page(ask: Ask) -> None:
    (found,) = (page for page in ask("", "matmul mat1 mat2 other wordings") if page[0]["location"] == url(MATMUL))
    assert f"{url(MATMUL)}#other-wordings" in [section["location"] for section in found[1:]]


# --- what it loads ---


def test_first_query_loads_little(open_page: OpenPage, address: str, site: Path) -> None:
    page = open_page("zh/")
    page.wait_for_load_state("networkidle")
    asked = files_asked(page)
    page.keyboard.press("/")
    page.wait_for_timeout(300)
    assert asked == [], "nothing before the first letter"
    page.keyboard.insert_text("验证集准确率很低而且不再提高")  # without keys, as if pasted with the mouse
    page.locator(".md-search-result__item a").first.wait_for()
    page.wait_for_timeout(300)
    sizes = compressed(address, site, asked)
    assert "zh/pagefind/pagefind.js" in sizes and len(sizes) > 4
    measure = {"zh/assets/guess.js", "zh/assets/words.js", "zh/assets/nearest.json"}
    assert all(name.startswith("zh/pagefind/") for name in sizes.keys() - measure)
    assert sum(sizes.values()) <= BUDGET, sizes


@LANGUAGES
def test_no_query_can_load_much(language: str, site: Path) -> None:
    """The worst case: each word of a first query is in a different part of the index, and these are the largest."""
    index = site / language / "pagefind"
    source = (site / language / "assets/search.js").read_text(encoding="utf-8")
    most = {name: int(value) for name, value in re.findall(r"const (MOST_\w+) = (\d+);", source)}

    def largest(pattern: str, count: int) -> int:
        sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in index.glob(pattern)]
        return sum(sorted(sizes, reverse=True)[:count])

    always = sum(largest(name, 1) for name in ("pagefind.js", "pagefind-entry.json", "*.pf_meta", "wasm.*"))
    sizes = [len(path.read_bytes()) for path in (index / "fragment").iterdir()]
    pages = sum(sizes) // len(sizes) * most["MOST_PAGES"]
    measure = (site / language / "assets" / name for name in ("guess.js", "words.js", "nearest.json"))
    always += sum(len(gzip.compress(path.read_bytes(), 9)) for path in measure)
    assert always + largest("index/*", most["MOST_WORDS"]) + pages <= WORST


def test_only_files_that_the_search_uses_are_published(site: Path) -> None:
    for language in ("", "zh/"):
        found = {path.name for path in (site / language / "pagefind").iterdir()}
        (meta,) = [name for name in found if name.endswith(".pf_meta")]
        expected = {"fragment", "index", "pagefind-entry.json", "pagefind.js", "wasm.en.pagefind"}
        assert found - {meta} == expected
        docs = json.loads((site / language / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
        assert docs == [], "the index of the theme's own search"


@pytest.mark.parametrize("file", ["**/pagefind.js*", "**/pagefind/index/*"])
def test_search_that_could_not_load_tries_again(file: str, new_page: OpenPage, address: str) -> None:
    page = new_page()
    failed: list[str] = []

    def fail_once(route: Any) -> None:
        failed.append(route.request.url)
        route.abort() if len(failed) == 1 else route.continue_()

    page.context.route(file, fail_once)
    page.goto(address)
    page.keyboard.press("/")
    with page.expect_event("console", lambda message: message.type == "error"):
        page.keyboard.type("mat")
    page.wait_for_timeout(500)
    page.keyboard.type("1")
    page.locator(".md-search-result__item a").first.wait_for()
    assert len(failed) >= 2


# --- the dialog ---


def test_result_opens_the_page_by_keyboard(open_page: OpenPage, address: str) -> None:
    page = open_page("zh/contributing/")
    page.keyboard.press("/")
    page.keyboard.type(message(MATMUL.id))
    first = page.locator(".md-search-result__item a").first
    expect(first).to_have_attribute("href", re.compile(re.escape(f"{address}zh/{url(MATMUL)}")))
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/zh/{url(MATMUL)}*")
    expect(page.locator("h1")).to_contain_text(IN["zh/"].entry(MATMUL.id).title.replace("`", ""))
    expect(page.locator("article mark").first).to_be_visible()  # the words of the query are marked


@LANGUAGES
def test_pasted_traceback_is_answered_by_the_paste_box(language: str, open_page: OpenPage) -> None:
    """From a different page, and then from the home page itself."""
    page = open_page(f"{language}contributing/")
    for id in (MATMUL.id, "backward-twice"):
        page.keyboard.press("/")
        page.keyboard.insert_text(recorded(id).body)
        title = IN[language].entry(id).title.replace("`", "")
        page.locator(".md-search-result__item a").get_by_text("在首页" if language else "Explain this text").click()
        expect(page.locator(".paste-box-answer h2").first).to_have_text(title)
        expect(page.locator("#__search")).not_to_be_checked()  # the dialog is closed


def test_typing_on_changes_the_results(open_page: OpenPage) -> None:
    page = open_page()
    page.keyboard.press("/")
    first = page.locator(".md-search-result__item a").first
    page.keyboard.type("mat1")
    first.wait_for()
    page.keyboard.type(" and mat2 shapes cannot be multiplied")
    expect(first).to_have_attribute("href", re.compile(re.escape(url(MATMUL))))
    page.locator(".md-search__input").fill("")
    page.keyboard.press("End")
    expect(page.locator(".md-search-result__item")).to_have_count(0)
    expect(page.locator(".md-search-result__meta")).to_contain_text("Type to start")


# --- the index ---


def test_text_is_split_into_words() -> None:
    text = "torch.nn.Linear(10, 2): requires_grad=True 显存不足，内存 x 的 张量的形状"
    words = "torch nn Linear 10 2 requires_grad True 显存 存不 不足 内存 x 的 张量 形状"
    assert list(search.words(text)) == words.split()


HTML = """
<h1 id="t">Two <code>shapes</code> disagree<a class="headerlink" href="#t">¶</a></h1>
<p class="badges" data-search-exclude>badge</p>
<p>The statement &amp; more.</p>
<h2 id="why">Why<a class="headerlink" href="#why">¶</a></h2>
<p>Because<br>of <img src="x.png"> this.</p><svg><text>tick</text></svg><script>code()</script>
<div data-search-exclude><p>hidden <b>deeper</b></p></div><p>shown</p>
<h2 id="scripts" data-search-exclude>Scripts</h2><p>excluded</p>
<h2 id="next">Next</h2><p>again</p>
"""


def test_document_of_a_page() -> None:
    meta = {"search": {"messages": ["RuntimeError: no"], "keywords": ["words"]}}
    found = search.document("a/", "unused", HTML, meta)
    assert found and (found.title, found.summary) == ("Two shapes disagree", "The statement & more.")
    assert found.headings == [("why", "Why"), ("next", "Next")]
    assert found.text.split() == ["The", "statement", "&", "more.", "Because", "of", "this.", "shown", "again"]
    assert (found.messages, found.keywords) == (["RuntimeError: no"], ["words"])
    described = search.document("a/", "Title", "<p>text</p>", {"description": "says &quot;no&quot; &amp; &lt;b&gt;"})
    assert described and (described.title, described.summary) == ("Title", 'says "no" & <b>')
    assert search.document("a/", "Title", HTML, {"search": {"exclude": True}}) is None


def test_pagefind_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("a/", "Title")
    search.write_index([document, replace(document, url="b/")], tmp_path)
    assert (tmp_path / "pagefind/pagefind.js").is_file()
    program = tmp_path / "pagefind-fails"
    program.write_text("#!/bin/sh\necho said >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", str(program))
    with pytest.raises(UserError, match="Pagefind says said"):
        search.write_index([document], tmp_path)
