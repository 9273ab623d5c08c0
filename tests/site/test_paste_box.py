"""The paste box of the home page, as people use it. test_engine.py compares its answers with the command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests import data
from tests.guide import CATALOG
from tests.pastes import (
    BACKWARD,
    MATMUL,
    READ,
    RECORDED,
    STACKED,
    TRACEBACK,
    UNHEARD_OF,
    WARNS,
    on_rank,
    raised,
    worker,
)
from tests.site.browsing import (
    CLIPBOARD,
    DESKTOP,
    HOSTILE,
    MARKER,
    PHONE,
    ROOT,
    OpenPage,
    go_without_theme,
    kept_private,
)
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.texts import load_texts
from torch_errors.explaining.explain import explain
from website import commands, engine, home

ASSETS = ROOT / "website/docs/assets"


def field(page: Page) -> Locator:
    return page.get_by_label("Paste an error or a whole traceback")


def answer(page: Page) -> Locator:
    return page.locator(".paste-box-answer")


def button(page: Page, name: str) -> Locator:
    return page.locator("#paste-box").get_by_role("button", name=name, exact=True)


def paste(page: Page, text: str) -> None:
    """Paste a text from the clipboard, by keyboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    field(page).focus()
    page.keyboard.press("Control+V")


def plain(text: str | None) -> str:
    return (text or "").replace("`", "")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_pasting_answers_without_scrolling(viewport: dict[str, int], open_page: OpenPage) -> None:
    page = open_page(viewport=viewport, **CLIPBOARD)
    expect(field(page)).to_be_in_viewport(ratio=1)
    paste(page, TRACEBACK)
    best = explain(TRACEBACK)[0]
    title = answer(page).get_by_role("heading")
    expect(title).to_have_text(plain(best.entry.title))
    for text in (f"Your error, line {best.line}", best.message, plain(best.says), plain(best.fix)):
        expect(answer(page).locator("dl").get_by_text(text)).to_be_in_viewport(ratio=1)
    title.get_by_role("link").click()
    expect(page.locator("h1")).to_contain_text(plain(best.entry.title))
    assert page.url.endswith(f"{best.entry.category}/{best.id}/")


def room(text: str) -> int:
    """Length of the answer that the box shows first for a text."""
    return sum(len(f"{best.entry.title}{best.message[:300]}{best.says}{best.fix}") for best in explain(text)[:1])


def test_every_fix_is_seen_without_scrolling(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    layers = ", ".join(f'"layer{number}.weight"' for number in range(50))
    long = f"RuntimeError: Missing key(s) in state_dict: {layers}. Unexpected key(s) in state_dict: {layers}."
    for text in [*sorted(RECORDED, key=room)[-10:], long]:
        best = explain(text)[0]
        field(page).fill(text)
        button(page, "Explain").click()
        expect(answer(page).get_by_role("heading")).to_have_text(plain(best.entry.title))
        fix = answer(page).locator("dl").first.locator("dd").last  # not the fix of a different error of the text
        expect(fix).to_have_text(plain(best.fix))
        expect(fix).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    heights = page.locator(".paste-box button").evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert len(heights) == 5 and min(heights) >= 24, "smaller than a finger"


def test_typing_answers_after_a_pause(open_page: OpenPage) -> None:
    page = open_page()
    field(page).focus()
    page.keyboard.type("RuntimeError: s/f/p are keys of the search; ")  # which must not open here
    expect(answer(page).get_by_role("heading")).to_have_text("No entry matches this error.")
    page.keyboard.type(MATMUL)
    expect(answer(page).locator("code").first).to_contain_text("32x512 and 256x10")
    button(page, "Clear").click()
    expect(field(page)).to_have_value("")
    expect(field(page)).to_be_focused()
    expect(answer(page)).to_be_empty()


LOG = WARNS + on_rank(0, raised(BACKWARD)) + on_rank(1, raised(BACKWARD)) + raised(MATMUL) + worker(STACKED)


def test_other_errors_of_the_text_are_folded_below_the_one_to_fix_first(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    field(page).fill(LOG)
    first, *others = explain(LOG)
    assert [match.id for match in others] == [
        "backward-twice",
        "matmul-shape-mismatch",
        "loss-target-broadcast-warning",
    ]
    expect(answer(page).get_by_role("heading")).to_have_text(plain(first.entry.title))
    wrapper = first.alternatives[0]
    also = answer(page).get_by_role("link", name=plain(wrapper.entry.title))
    expect(also).to_have_attribute("href", re.compile(f"/{wrapper.entry.category}/{wrapper.id}/$"))
    listed = answer(page).get_by_role("list", name="Other errors in this text:")
    folded = listed.locator("summary")
    expect(folded).to_have_text([f"Line {match.line}: {match.message}" for match in others])
    for match, summary, item in zip(others, folded.all(), listed.get_by_role("listitem").all(), strict=True):
        expect(item.locator("dl")).to_be_hidden()
        summary.press("Enter")
        for text in (match.message, plain(match.says or match.entry.summary), plain(match.fix)):
            expect(item.locator("dl").get_by_text(text, exact=True)).to_be_visible()
        expect(item.get_by_role("link").last).to_have_attribute("href", re.compile(f"/{match.id}/$"))
    expect(listed.get_by_text("on 2 ranks")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    # Unfolded errors stay unfolded until there is a new answer.
    button(page, "Explain").click()
    expect(answer(page).locator("details[open]")).to_have_count(len(others))
    field(page).fill(LOG + raised(MATMUL))
    expect(answer(page).locator("details[open]")).to_have_count(0)


def test_a_sentence_gets_its_symptom_and_the_nearest_entries(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill("my loss is not decreasing")
    expect(answer(page).get_by_role("heading")).to_have_text("No message in this text. Nearest to it by words:")
    first = answer(page).get_by_role("link").first
    expect(first).to_have_attribute("href", re.compile("/symptoms/loss-does-not-fall/$"))
    expect(answer(page).locator("ol li")).to_have_count(3)
    expect(answer(page)).to_contain_text("Nearest entries by words")
    expect(answer(page).locator("ul li").first).to_contain_text("(shares: ")
    pages = [one.get_attribute("href") for one in answer(page).get_by_role("link").all()]
    assert len(pages) == len(set(pages)), "a cause is not an entry again"
    expect(answer(page).locator("dl")).to_have_count(0)  # no facts are read from prose
    expect(button(page, "Copy as a prompt")).to_be_visible()
    for link in answer(page).get_by_role("link").all():
        assert page.request.get(link.evaluate("one => one.href")).ok


def test_no_text_is_a_dead_end(open_page: OpenPage) -> None:
    page = open_page()
    button(page, "Explain").click()
    expect(answer(page)).to_contain_text("Paste the whole output")
    field(page).fill("zzz qqq")
    expect(answer(page).get_by_role("heading")).to_have_text("Nothing in the guide has the words of this text.")
    expect(answer(page).get_by_role("link")).to_have_attribute("href", re.compile("/five-minute-checklist/$"))
    field(page).fill("IndexError: list index out of range")
    expect(answer(page).get_by_role("heading")).to_have_text("No entry matches this error.")
    expect(answer(page).locator("ul li")).to_have_count(3)


def test_the_switch_of_language_keeps_the_text(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill(MATMUL)
    page.locator(".md-select__link[hreflang^=zh]").evaluate("one => one.click()")
    expect(page.locator("#paste")).to_have_value(MATMUL)
    assert page.url.endswith("/zh/"), "who copies the address does not send the text"


def test_what_can_be_read_from_an_unknown_error_is_shown(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    field(page).fill(READ["traceback"]["text"].replace("Expected", UNHEARD_OF))
    expect(answer(page).locator("dt")).to_have_text(["Your error", "Operation", "Shapes", "Your line"])
    expect(answer(page).locator("dd")).to_have_text(
        [
            f"RuntimeError: {UNHEARD_OF} hidden[0] size (1, 32, 256), got [1, 8, 256]",
            "check_hidden_size (torch/nn/modules/rnn.py)",
            f"{UNHEARD_OF} hidden[0] size (1, 32, 256); got [1, 8, 256]",
            "/home/me/project/train.py:31, step: out, hidden = self.rnn(frames, hidden)",
        ]
    )
    expect(answer(page).locator("dd").last).to_be_in_viewport(ratio=1)


# --- a pasted text stays on the page, and stays text ---


def test_hostile_text_stays_text(open_page: OpenPage) -> None:
    """In the answer to a known error, in the facts of an unknown one, and from the address."""
    page = open_page(**CLIPBOARD)

    def assert_text(text: str) -> None:
        expect(answer(page)).to_contain_text(text)
        assert (
            page.locator(".paste-box img, .paste-box svg:not(.shape-picture), .paste-box script, .paste-box b").count()
            == 0
        )
        assert page.evaluate("window.hit") is None

    paste(page, HOSTILE)
    assert_text('size mismatch for <svg/onload="window.hit=1">')
    tag = "<img src=x onerror=window.hit=1>"
    field(page).fill(f'  File "/{tag}.py", line 3, in {tag[:4]}>\n    {tag}\nRuntimeError: {tag} size {tag}[3, 4]\n')
    assert_text(f"{tag}.py:3")
    page.goto(page.url + "#q=" + quote(HOSTILE, safe=""))
    page.reload()
    assert_text("<svg/onload=")


def test_nothing_is_sent_or_stored(open_page: OpenPage, address: str) -> None:
    page = open_page(**CLIPBOARD)
    with kept_private(page, address, MARKER) as requests:
        paste(page, f"{MARKER} {TRACEBACK}")
        expect(answer(page).get_by_role("heading")).to_be_visible()
        button(page, "Copy link").click()
        expect(page.get_by_role("status").first).to_contain_text("Link copied")
        page.goto(page.evaluate("navigator.clipboard.readText()"))
        page.reload()
        expect(answer(page).get_by_role("heading")).to_be_visible()
        answer(page).get_by_role("link").first.click()
        expect(page.locator("h1")).to_contain_text("mat1 and mat2")
        page.goto(address)
        field(page).fill(MARKER)
        page.reload()
        expect(field(page)).to_have_value("")
    assert any(request.url.endswith("explain.json") for request in requests)


def test_engine_is_loaded_when_the_box_is_used(open_page: OpenPage) -> None:
    page = open_page("contributing/")
    fetched: list[str] = []
    page.context.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(page.url.replace("contributing/", ""))
    expect(field(page)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert "paste-box.js" in fetched and not {"explain.js", "explain.json"} & set(fetched)
    field(page).focus()
    button(page, "Explain").click()
    field(page).fill(MATMUL)
    expect(answer(page).get_by_role("heading")).to_be_visible()
    assert fetched.count("explain.js") == fetched.count("explain.json") == fetched.count("dimension-mismatch.json") == 1


def test_scripts_hold_to_a_strict_policy() -> None:
    forbidden = (
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.style\b|\"style\"|\"on\w+\":"
        r"|localStorage|sessionStorage|indexedDB|cookie"
    )
    for path in sorted(ASSETS.rglob("*.js")):
        assert not re.search(forbidden, path.read_text(encoding="utf-8")), path.name


def test_the_box_makes_no_html_from_strings(new_page: OpenPage, address: str) -> None:
    page = new_page()
    complaints = go_without_theme(page, address, "paste-box")
    button(page, "Try an example").click()
    expect(answer(page).get_by_role("heading")).to_be_visible()
    assert field(page).input_value() in [text.rstrip() for text in RECORDED if text.startswith("Traceback")]
    assert complaints == []


# --- links ---


def test_copied_link_opens_with_the_same_answer(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    field(page).fill(f"# 100 % \\ \"quoted\" 'text' & <b> é 张量 😀\n{TRACEBACK}")
    button(page, "Copy link").click()
    expect(page.get_by_role("status").first).to_contain_text("Link copied")
    expect(answer(page)).to_contain_text("32x512 and 256x10")
    text, shown = field(page).input_value(), answer(page).text_content()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    expect(answer(page)).to_have_text(shown or "")
    assert field(page).input_value() == text.replace("/env/lib/", "lib/")  # no folders of the reader
    # After typing, the address no longer contains the old text.
    field(page).press("End")
    field(page).press("x")
    expect(page).to_have_url(re.compile(r"/guide/$"))
    # A link may be opened on the page itself.
    page.evaluate("hash => { location.hash = hash }", "q=" + quote(MATMUL))
    expect(answer(page).locator("dt").first).to_have_text("Your error")  # the line is not shown for a single error


def test_a_text_too_long_for_a_link_is_refused(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    page.evaluate("navigator.clipboard.writeText('before')")
    button(page, "Copy link").click()
    expect(page.get_by_role("status").first).to_have_text("There is no text to share yet.")
    for text, message in (("é" * 1400, "too long"), ("e" * 7900, "Link copied"), ("e" * 8000, "too long")):
        field(page).fill(text)
        button(page, "Copy link").click()
        expect(page.get_by_role("status").first).to_contain_text(message)
    assert page.evaluate("navigator.clipboard.readText()").endswith("e" * 7900)


def test_a_link_that_may_not_be_copied_is_in_the_address_bar(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    field(page).fill(MATMUL)
    button(page, "Copy link").click()
    expect(page.get_by_role("status").first).to_contain_text("in the address bar")
    assert page.url.endswith("#q=" + quote(MATMUL, safe="!'()*~"))


def test_a_damaged_link_says_so(open_page: OpenPage) -> None:
    page = open_page("#q=%E0%A4%A")
    expect(page.get_by_role("status").first).to_contain_text("damaged")
    expect(field(page)).to_have_value("")


@pytest.mark.parametrize("file", ["explain.json", "answers/dimension-mismatch.json"])
def test_data_that_cannot_be_loaded_are_asked_for_again(file: str, new_page: OpenPage, address: str) -> None:
    page = new_page()
    page.goto(address)
    page.route(f"**/{file}", lambda route: route.abort())
    field(page).fill(MATMUL)
    expect(answer(page)).to_contain_text("Could not load")
    page.unroute(f"**/{file}")
    button(page, "Explain").click()
    expect(answer(page)).to_contain_text("32x512 and 256x10")


# --- for everyone ---


def test_the_answer_is_announced_once(open_page: OpenPage) -> None:
    page = open_page()
    expect(answer(page)).to_have_attribute("aria-live", "polite")
    expect(field(page)).to_have_attribute("aria-describedby", "paste-private")
    field(page).fill(MATMUL)
    expect(answer(page).get_by_role("heading")).to_be_visible()
    changes = """() => {
        window.changes = 0;
        new MutationObserver(() => window.changes++).observe(
            document.querySelector(".paste-box-answer"), { childList: true, subtree: true });
    }"""
    page.evaluate(changes)
    for _ in range(3):
        button(page, "Explain").click()
    field(page).press("End")
    field(page).press("Space")
    page.wait_for_timeout(400)
    assert page.evaluate("window.changes") == 0
    field(page).fill("something else")
    expect(answer(page).get_by_role("heading")).not_to_contain_text("mat1")
    assert page.evaluate("window.changes") > 0


def test_without_javascript_the_page_says_what_to_do(new_page: OpenPage, address: str) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(address)
    expect(page.locator(".paste-box-off")).to_contain_text("torch-errors explain error.txt")
    expect(page.locator(".paste-box-off")).to_be_visible()
    expect(page.locator(".paste-box")).to_be_hidden()


def test_chinese_site_answers_in_chinese(open_page: OpenPage) -> None:
    """The answer is that of the command in Chinese."""
    page = open_page("zh/")
    page.get_by_label("粘贴报错或完整的 traceback").fill(TRACEBACK)
    best = explain(TRACEBACK, language="zh")[0]
    assert best.says != explain(TRACEBACK)[0].says
    for text in (best.entry.title, best.says, best.fix, "最小改动", "第 6 行"):
        expect(answer(page)).to_contain_text(plain(text))


# --- the rest of the home page ---


def test_home_says_what_the_guide_is_and_shows_its_contents(site: Path) -> None:
    """The rest of README.md is on the page of the commands."""
    page, rest = (
        LexborHTMLParser((site / name / "index.html").read_text(encoding="utf-8")) for name in ("", "commands")
    )
    headings = [[one.text().rstrip("¶") for one in each.css("article h2")] for each in (page, rest)]
    readme = re.findall(r"(?m)^## (.+)$", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert headings[0] == ["Which curve looks like yours?", readme[0], "All errors", "Workflows", "Templates"]
    assert headings[1] == readme[1:]
    promise = page.css("article p")[0]
    assert promise.text().startswith(f"{len(CATALOG)} PyTorch errors") and promise.next.next.id == "paste-box"  # type: ignore[union-attr]
    assert len(page.css(".curve-grid a")) >= 10
    frequent = page.css(f"h2#{readme[0].lower().rstrip('?').replace(' ', '-')} + * tr")[1:]
    assert len(frequent) == home.MOST_FREQUENT and all(row.css("td code") for row in frequent)

    def rows(heading: str) -> list[list[LexborNode]]:
        return [row.css("td") for row in page.css(f"h2#{heading} + * tr")[1:]]

    counted = [(title.text(), number.text()) for title, number, _ in rows("all-errors")]
    assert counted == [(plain(category.title), str(len(category.entries))) for category in CATALOG.categories]
    pages = (ROOT / "troubleshooting-workflows").glob("*.md")
    workflows = {path.stem for path in pages if ".zh." not in path.name} - {"README"}
    links = [title.css("a")[0].attributes["href"] for title, _ in rows("workflows")]
    assert {Path(link or "").name for link in links} == workflows
    assert len(rows("templates")) == 3


def test_home_of_a_catalog_without_workflows(tmp_path: Path) -> None:
    (tmp_path / "catalog.yaml").write_text("categories: {}\n")
    readme = "# Guide\n\nIntroduction.\n"
    text = home.home_page(load_catalog(tmp_path), readme)
    assert "## " not in text and "data-prompts" not in text
    assert commands.page(readme).endswith("\n\nIntroduction.\n")
    assert engine.examples(load_catalog(tmp_path)) == []


def test_chinese_home_has_chinese_headings() -> None:
    rows = "| 报错 |\n|---|\n| `a` |\n| 慢 |\n| `b` |\n"
    text = home.home_page(CATALOG, f"# 指南\n\n介绍。\n\n## 第一\n\n{rows}\n## 第二\n", load_texts("zh"))
    headings = ["哪条曲线和你的像？", "第一", "全部错误", "排查流程", "模板"]
    assert re.findall(r"(?m)^## \[?([^\]\n]+)", text) == headings
    assert "| `a` |\n| `b` |" in text and "慢 |" not in text


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_a_training_log_is_answered_with_its_curve(language: str, open_page: OpenPage) -> None:
    logs: Any = data("logs.yaml")
    [row] = [row for row in logs["rules"] if row["shows"] == "validation-rises"]
    page = open_page(language, viewport=PHONE)
    field_of_page = page.locator("#paste")
    field_of_page.fill(row["text"])
    drawing = answer(page).get_by_role("img")
    expect(drawing).to_have_accessible_name(re.compile("Val Loss"))
    box = drawing.bounding_box()
    assert box and box["width"] <= 300
    expect(answer(page).locator("ol a").first).to_have_attribute("href", re.compile("/overfitting/$"))
    field_of_page.fill(logs["healthy"]["lora"])
    expect(answer(page).get_by_role("heading")).to_contain_text("21")
    expect(drawing).to_have_count(0)
