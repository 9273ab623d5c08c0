"""The paste box of the home page, as people use it. What it answers is held to the program in test_engine.py."""

from __future__ import annotations

import re
from pathlib import Path
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
    told_to_nobody,
)
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.texts import load_texts
from torch_errors.explaining.explain import explain
from website import engine, home

ASSETS = ROOT / "website/docs/assets"


def field(page: Page) -> Locator:
    return page.get_by_label("Paste an error or a whole traceback")


def answer(page: Page) -> Locator:
    return page.locator(".paste-box-answer")


def button(page: Page, name: str) -> Locator:
    return page.locator("#paste-box").get_by_role("button", name=name, exact=True)


def paste(page: Page, text: str) -> None:
    """From the clipboard, by key."""
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
    """How much the box shows first of a text."""
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
        fix = answer(page).locator("dl").first.locator("dd").last  # not that of another error of the text
        expect(fix).to_have_text(plain(best.fix))
        expect(fix).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    heights = page.locator(".paste-box button").evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert len(heights) == 5 and min(heights) >= 24, "smaller than a finger"


def test_typing_answers_after_a_pause(open_page: OpenPage) -> None:
    page = open_page()
    field(page).focus()
    page.keyboard.type("RuntimeError: s/f/p are keys of the search; ")  # not here
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
    # What was unfolded stays so, until there is another answer.
    button(page, "Explain").click()
    expect(answer(page).locator("details[open]")).to_have_count(len(others))
    field(page).fill(LOG + raised(MATMUL))
    expect(answer(page).locator("details[open]")).to_have_count(0)


def test_an_unknown_error_is_said_to_be_unknown(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill("the learning rate seems wrong, my training overshoots")
    expect(answer(page).get_by_role("heading")).to_have_text("No entry matches this error.")
    expect(answer(page)).to_contain_text("only a guess")
    expect(answer(page).locator("li").first).to_contain_text(
        "Loss diverges or oscillates because the learning rate is too high (shares: "
    )
    expect(answer(page).locator("dl")).to_have_count(0)  # of prose nothing is read
    expect(button(page, "Copy as a prompt")).to_be_visible()


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


# --- what is pasted stays here, and stays text ---


def test_hostile_text_stays_text(open_page: OpenPage) -> None:
    """In the answer to an error that is known, in what is read from one that is not, and from an address."""
    page = open_page(**CLIPBOARD)

    def assert_text(text: str) -> None:
        expect(answer(page)).to_contain_text(text)
        assert page.locator(".paste-box img, .paste-box svg, .paste-box script, .paste-box b").count() == 0
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
    with told_to_nobody(page, address, MARKER) as requests:
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
    assert fetched.count("explain.js") == fetched.count("explain.json") == 1


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
    assert field(page).input_value() == text
    # What is typed then is another text, and the address does not name the old one.
    field(page).press("End")
    field(page).press("x")
    expect(page).to_have_url(re.compile(r"/guide/$"))
    # A link that is opened on the page.
    page.evaluate("hash => { location.hash = hash }", "q=" + quote(MATMUL))
    expect(answer(page).locator("dt").first).to_have_text("Your error")  # the line of a single one is not asked for


def test_a_text_too_long_for_a_link_is_refused(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    page.evaluate("navigator.clipboard.writeText('before')")
    button(page, "Copy link").click()
    expect(page.get_by_role("status").first).to_have_text("There is no text to share yet.")
    for text, said in (("é" * 1400, "too long"), ("e" * 7900, "Link copied"), ("e" * 8000, "too long")):
        field(page).fill(text)
        button(page, "Copy link").click()
        expect(page.get_by_role("status").first).to_contain_text(said)
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


def test_data_that_cannot_be_loaded_are_asked_for_again(new_page: OpenPage, address: str) -> None:
    page = new_page()
    page.goto(address)
    page.route("**/explain.json", lambda route: route.abort())
    field(page).fill(MATMUL)
    expect(answer(page)).to_contain_text("Could not load")
    page.unroute("**/explain.json")
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
    expect(answer(page).get_by_role("heading")).to_contain_text("No entry matches")
    assert page.evaluate("window.changes") > 0


def test_without_javascript_the_page_says_what_to_do(new_page: OpenPage, address: str) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(address)
    expect(page.locator(".paste-box-off")).to_contain_text("torch-errors explain error.txt")
    expect(page.locator(".paste-box-off")).to_be_visible()
    expect(page.locator(".paste-box")).to_be_hidden()


def test_chinese_site_answers_in_chinese(open_page: OpenPage) -> None:
    """With the same entry, decoded, as the command line tells it."""
    page = open_page("zh/")
    page.get_by_label("粘贴报错或完整的 traceback").fill(TRACEBACK)
    best = explain(TRACEBACK, language="zh")[0]
    assert best.says != explain(TRACEBACK)[0].says
    for text in (best.entry.title, best.says, best.fix, "最小改动", "第 6 行"):
        expect(answer(page)).to_contain_text(plain(text))


# --- the rest of the home page ---


def test_home_shows_readme_and_what_there_is(site: Path) -> None:
    page = LexborHTMLParser((site / "index.html").read_text(encoding="utf-8"))
    headings = [heading.text().rstrip("¶") for heading in page.css("article h2")]
    readme = re.findall(r"(?m)^## (.+)$", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert headings == [readme[0], "All errors", "Workflows", "Templates", *readme[1:]]

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
    text = home.home_page(load_catalog(tmp_path), "# Guide\n\nIntroduction.\n")
    assert "## " not in text and "Introduction." in text and "data-prompts" not in text
    assert engine.example(load_catalog(tmp_path)) == ""


def test_chinese_home_has_chinese_headings() -> None:
    text = home.home_page(CATALOG, "# 指南\n\n介绍。\n\n## 第一\n\n## 第二\n", load_texts("zh"))
    assert re.findall(r"(?m)^## \[?([^\]\n]+)", text) == ["第一", "全部错误", "排查流程", "模板", "第二"]


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_a_training_log_is_answered_with_its_curve(language: str, open_page: OpenPage) -> None:
    logs = data("logs.yaml")
    [row] = [row for row in logs["rules"] if row["shows"] == "validation-rises"]
    page = open_page(language, viewport=PHONE)
    field_of_page = page.locator("#paste")
    field_of_page.fill(row["text"])
    drawing = answer(page).get_by_role("img")
    expect(drawing).to_have_accessible_name(re.compile("Val Loss"))
    place = drawing.bounding_box()
    assert place and place["width"] <= 300
    expect(answer(page).locator("ol a").first).to_have_attribute("href", re.compile("/overfitting/$"))
    field_of_page.fill(logs["healthy"]["lora"])
    expect(answer(page).get_by_role("heading")).to_contain_text("21")
    expect(drawing).to_have_count(0)
