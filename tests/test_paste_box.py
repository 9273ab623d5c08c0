"""The paste box of the home page, as people use it. What it answers is held to the program in test_engine.py."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from tests.browsing import DESKTOP, PHONE, ROOT, OpenPage, go_without_theme
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
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.texts import load_texts
from torch_errors.explaining.explain import explain
from website import engine, home

CATALOG = load_catalog(ROOT)
ASSETS = ROOT / "website/docs/assets"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
MARKER = "zebra-4711"
HOSTILE = (
    f"</textarea><script>window.hit = 1</script><img src=x onerror='window.hit = 1'> {MARKER} `<b>code</b>`\n"
    "RuntimeError: shape '[<img src=x onerror=window.hit=1>]' is invalid for input of size 12\n"
    'RuntimeError: size mismatch for <svg/onload="window.hit=1">: copying a param with shape torch.Size([3]) from '
    "checkpoint, the shape in current model is torch.Size([4]).\n"
)


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


@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(RECORDED[:: max(1, len(RECORDED) // 10)], id="10"),
        pytest.param(RECORDED, id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_every_fix_is_seen_without_scrolling(recorded: list[str], open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    layers = ", ".join(f'"layer{number}.weight"' for number in range(50))
    long = f"RuntimeError: Missing key(s) in state_dict: {layers}. Unexpected key(s) in state_dict: {layers}."
    for text in filter(explain, [*recorded, long]):
        best = explain(text)[0]
        field(page).fill(text)
        button(page, "Explain").click()
        expect(answer(page).get_by_role("heading")).to_have_text(plain(best.entry.title))
        fix = answer(page).locator("dl").first.locator("dd").last  # not that of another error of the text
        expect(fix).to_have_text(plain(best.fix))
        expect(fix).to_be_in_viewport(ratio=1)


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


@pytest.mark.parametrize("folder, viewport", [("", DESKTOP), ("zh/", PHONE)], ids=["desktop", "phone"])
def test_other_errors_of_the_text_are_folded_below_the_one_to_fix_first(
    folder: str, viewport: dict[str, int], open_page: OpenPage
) -> None:
    page = open_page(folder, viewport=viewport)
    page.locator("#paste").fill(LOG)
    first, *others = explain(LOG, language="zh" if folder else "en")
    assert [match.id for match in others] == [
        "backward-twice",
        "matmul-shape-mismatch",
        "loss-target-broadcast-warning",
    ]
    expect(answer(page).get_by_role("heading")).to_have_text(plain(first.entry.title))
    wrapper = first.alternatives[0]
    also = answer(page).get_by_role("link", name=plain(wrapper.entry.title))
    expect(also).to_have_attribute("href", re.compile(f"/{wrapper.entry.category}/{wrapper.id}/$"))
    line = (lambda number: f"第 {number} 行：") if folder else (lambda number: f"Line {number}: ")
    listed = answer(page).get_by_role("list", name="文本中的其他报错：" if folder else "Other errors in this text:")
    folded = listed.locator("summary")
    expect(folded).to_have_text([f"{line(match.line)}{match.message}" for match in others])
    for match, summary, item in zip(others, folded.all(), listed.get_by_role("listitem").all(), strict=True):
        expect(item.locator("dl")).to_be_hidden()
        summary.press("Enter")
        for text in (match.message, plain(match.says or match.entry.summary), plain(match.fix)):
            expect(item.locator("dl").get_by_text(text, exact=True)).to_be_visible()
        expect(item.get_by_role("link").last).to_have_attribute("href", re.compile(f"/{match.id}/$"))
    ranks = "共 2 个 rank" if folder else "on 2 ranks"
    expect(listed.get_by_text(ranks)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_an_unfolded_error_stays_unfolded(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill(LOG)
    answer(page).locator("summary").last.click()
    for _ in range(2):
        button(page, "Explain").click()
        expect(answer(page).locator("details[open]")).to_have_count(1)
    field(page).fill(LOG + raised(MATMUL))  # another answer
    expect(answer(page).locator("details[open]")).to_have_count(0)


def test_one_error_is_told_without_its_line_being_asked_for(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill(MATMUL)
    expect(answer(page).locator("dt").first).to_have_text("Your error")
    expect(answer(page).locator("details")).to_have_count(0)


def test_an_unknown_error_is_said_to_be_unknown(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill("the learning rate seems wrong, my training overshoots")
    expect(answer(page).get_by_role("heading")).to_have_text("No entry matches this error.")
    expect(answer(page)).to_contain_text("only a guess")
    expect(answer(page).locator("li").first).to_contain_text(
        "Loss diverges or oscillates because the learning rate is too high (shares: "
    )
    expect(answer(page).locator("dl")).to_have_count(0)  # of prose nothing is read
    page.locator("#paste-box").get_by_role("link", name="build a prompt from it").click()
    expect(page.locator("h1")).to_contain_text("Prompt builder")


@pytest.mark.parametrize("folder, viewport", [("", DESKTOP), ("zh/", PHONE)], ids=["desktop", "phone"])
def test_what_can_be_read_from_an_unknown_error_is_shown(
    folder: str, viewport: dict[str, int], open_page: OpenPage
) -> None:
    page = open_page(folder, viewport=viewport)
    page.locator("#paste").fill(READ["traceback"]["text"].replace("Expected", UNHEARD_OF))
    labels = (
        ["Your error", "Operation", "Shapes", "Your line"]
        if not folder
        else ["你的报错", "算子 / 函数", "形状", "你的代码"]
    )
    expect(answer(page).locator("dt")).to_have_text(labels)
    expect(answer(page).locator("dd")).to_have_text(
        [
            f"RuntimeError: {UNHEARD_OF} hidden[0] size (1, 32, 256), got [1, 8, 256]",
            "check_hidden_size (torch/nn/modules/rnn.py)",
            f"{UNHEARD_OF} hidden[0] size (1, 32, 256); got [1, 8, 256]",
            "/home/me/project/train.py:31, step: out, hidden = self.rnn(frames, hidden)",
        ]
    )
    expect(answer(page).locator("dd").last).to_be_in_viewport(ratio=1)


def test_what_is_read_from_hostile_text_stays_text(open_page: OpenPage) -> None:
    page = open_page()
    tag = "<img src=x onerror=window.hit=1>"
    field(page).fill(f'  File "/{tag}.py", line 3, in {tag[:4]}>\n    {tag}\nRuntimeError: {tag} size {tag}[3, 4]\n')
    expect(answer(page).locator("dd")).to_have_count(3)
    expect(answer(page).locator("dd").last).to_contain_text(f"{tag}.py:3")
    assert page.locator(".paste-box img").count() == 0 and page.evaluate("window.hit") is None


def test_the_example_is_a_recorded_traceback(open_page: OpenPage) -> None:
    page = open_page()
    button(page, "Try an example").click()
    expect(answer(page).get_by_role("heading")).to_be_visible()
    assert field(page).input_value() in [text.rstrip() for text in RECORDED]
    assert field(page).input_value().startswith("Traceback")


# --- what is pasted stays here, and stays text ---


def test_hostile_text_stays_text(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    paste(page, HOSTILE)
    expect(answer(page).get_by_role("heading")).to_be_visible()
    expect(answer(page)).to_contain_text('size mismatch for <svg/onload="window.hit=1">')
    button(page, "Explain").click()
    assert page.locator(".paste-box img, .paste-box svg, .paste-box script, .paste-box b").count() == 0
    assert page.evaluate("window.hit") is None
    page.goto(page.url + "#q=" + quote(HOSTILE, safe=""))
    page.reload()
    expect(answer(page)).to_contain_text("<svg/onload=")
    assert page.evaluate("window.hit") is None


def test_nothing_is_sent_or_stored(open_page: OpenPage, address: str) -> None:
    page = open_page(**CLIPBOARD)
    requests: list[Request] = []
    page.context.on("request", lambda request: requests.append(request))
    paste(page, f"{MARKER} {TRACEBACK}")
    expect(answer(page).get_by_role("heading")).to_be_visible()
    button(page, "Copy link").click()
    expect(page.get_by_role("status")).to_contain_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto(link)
    page.reload()
    expect(answer(page).get_by_role("heading")).to_be_visible()
    answer(page).get_by_role("link").first.click()
    expect(page.locator("h1")).to_be_visible()
    assert any(request.url.endswith("explain.json") for request in requests)
    for request in requests:
        assert request.method == "GET" and request.post_data is None
        assert request.url.startswith(address)
        # Browsers keep the fragment to themselves; Playwright shows it.
        assert MARKER not in request.url.partition("#")[0] + json.dumps(request.all_headers())
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])"
    assert MARKER not in page.evaluate(stored)


def test_a_text_is_not_there_after_reloading(open_page: OpenPage) -> None:
    page = open_page()
    field(page).fill(MARKER)
    page.reload()
    expect(field(page)).to_have_value("")


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


@pytest.mark.parametrize("path", sorted(ASSETS.rglob("*.js")), ids=lambda path: path.name)
def test_scripts_hold_to_a_strict_policy(path: Path) -> None:
    forbidden = (
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.style\b|\"style\"|\"on\w+\":"
    )
    assert not re.search(forbidden + r"|localStorage|sessionStorage|indexedDB|cookie", path.read_text(encoding="utf-8"))


def test_the_box_makes_no_html_from_strings(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    complaints = go_without_theme(page, address, "paste-box")
    button(page, "Try an example").click()
    expect(answer(page).get_by_role("heading")).to_be_visible()
    assert complaints == []
    context.close()


# --- links ---


def test_a_link_opens_with_the_answer(open_page: OpenPage) -> None:
    text = f"# 100 % \\ \"quoted\" 'text' & <b> 张量 😀\r\n{TRACEBACK}"
    page = open_page("#q=" + quote(text, safe=""))
    expect(answer(page)).to_contain_text("32x512 and 256x10")
    assert field(page).input_value() == text.replace("\r\n", "\n")
    # What is typed then is another text, and the address does not name the old one.
    field(page).press("End")
    field(page).press("x")
    expect(page).to_have_url(re.compile(r"/guide/$"))


def test_a_link_that_is_opened_on_the_page_answers(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate("hash => { location.hash = hash }", "q=" + quote(MATMUL))
    expect(answer(page)).to_contain_text("32x512 and 256x10")


def test_copied_link_opens_with_the_same_answer(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    field(page).fill(f'{TRACEBACK} "é" 😀')
    button(page, "Copy link").click()
    expect(page.get_by_role("status")).to_contain_text("Link copied")
    expect(answer(page).get_by_role("heading")).to_be_visible()
    text, shown = field(page).input_value(), answer(page).text_content()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    expect(answer(page)).to_have_text(shown or "")
    assert field(page).input_value() == text


def test_a_text_too_long_for_a_link_is_refused(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    page.evaluate("navigator.clipboard.writeText('before')")
    button(page, "Copy link").click()
    expect(page.get_by_role("status")).to_have_text("There is no text to share yet.")
    for text, said in (("é" * 1400, "too long"), ("e" * 7900, "Link copied"), ("e" * 8000, "too long")):
        field(page).fill(text)
        button(page, "Copy link").click()
        expect(page.get_by_role("status")).to_contain_text(said)
    assert page.evaluate("navigator.clipboard.readText()").endswith("e" * 7900)


def test_a_link_that_may_not_be_copied_is_in_the_address_bar(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    field(page).fill(MATMUL)
    button(page, "Copy link").click()
    expect(page.get_by_role("status")).to_contain_text("in the address bar")
    assert page.url.endswith("#q=" + quote(MATMUL, safe="!'()*~"))


def test_a_damaged_link_says_so(open_page: OpenPage) -> None:
    page = open_page("#q=%E0%A4%A")
    expect(page.get_by_role("status")).to_contain_text("damaged")
    expect(field(page)).to_have_value("")


def test_data_that_cannot_be_loaded_are_asked_for_again(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.route("**/explain.json", lambda route: route.abort())
    field(page).fill(MATMUL)
    expect(answer(page)).to_contain_text("Could not load")
    page.unroute("**/explain.json")
    button(page, "Explain").click()
    expect(answer(page)).to_contain_text("32x512 and 256x10")
    context.close()


# --- for everyone ---


def test_keyboard_alone_is_enough(open_page: OpenPage) -> None:
    page = open_page(**CLIPBOARD)
    page.evaluate("text => navigator.clipboard.writeText(text)", MATMUL)

    def tab_to(what: str) -> None:
        for _ in range(60):
            if page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()") == what:
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{what} is not reached")

    tab_to("paste")
    page.keyboard.type(MATMUL)
    page.keyboard.press("Control+Enter")
    expect(answer(page).get_by_role("heading")).to_be_visible()
    for name in ("Explain", "Try an example", "Copy link", "Clear"):
        tab_to(name)
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", f"focus on {name} is not seen"
    tab_to(plain(explain(MATMUL)[0].entry.title))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text(plain(explain(MATMUL)[0].entry.title))


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


# Contrast of a text with what is behind it, as WCAG 2 defines it.
CONTRAST = """(element) => {
    const channels = (color) => {
        const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([r, g, b]) => {
        const linear = (c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    const over = (top, below) => top.slice(0, 3).map((c, i) => (c * top[3] + below[i] * (255 - top[3])) / 255);
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
    const behind = layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
    const [a, b] = [luminance(over(channels(getComputedStyle(element).color), behind)), luminance(behind)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [
        pytest.param(DESKTOP, "light", id="desktop-light"),
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(DESKTOP, "dark", id="desktop-dark", marks=pytest.mark.exhaustive),
        pytest.param(PHONE, "light", id="phone-light", marks=pytest.mark.exhaustive),
    ],
)
def test_the_box_is_readable(viewport: dict[str, int], scheme: str, open_page: OpenPage) -> None:
    page = open_page(viewport=viewport, color_scheme=scheme)
    for text in ("", MATMUL, MATMUL.replace(" ", "_") * 40, "the learning rate seems wrong", LOG):
        field(page).fill(text)
        button(page, "Explain").click()
        for summary in answer(page).locator("summary").all():
            summary.click()
        expect(answer(page).get_by_role("heading")).to_have_count(1 if text else 0)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        parts = page.locator(".paste-box :is(label, textarea, button, p, h2, dt, dd, a, li, code, summary)")
        contrasts = parts.evaluate_all(
            f"""(parts) => parts.filter((part) => part.checkVisibility({{ visibilityProperty: true }}))
                .map((part) => [({CONTRAST})(part), part.textContent])"""
        )
        assert len(contrasts) > 3
        assert [found for found in contrasts if found[0] < 4.5] == []
    boxes = [item.bounding_box() for item in page.locator(".paste-box button").all()]
    assert all(box and box["height"] >= 24 for box in boxes), "smaller than a finger"


@pytest.fixture
def without_script(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def test_without_javascript_the_page_says_what_to_do(without_script: Page) -> None:
    expect(without_script.get_by_text("torch-errors explain error.txt").first).to_be_visible()
    expect(without_script.locator(".paste-box-off")).to_contain_text("torch-errors explain error.txt")
    expect(without_script.locator(".paste-box-off")).to_be_visible()
    expect(without_script.locator(".paste-box")).to_be_hidden()


def test_chinese_page_speaks_chinese(open_page: OpenPage) -> None:
    page = open_page()
    keys = """async (url) => {
        const { textsFor } = await import(url);
        const [english, chinese] = [textsFor("en"), textsFor("zh-Hans")];
        return Object.keys(english).map(
            (key) => [key, typeof english[key], typeof chinese[key], english[key] !== chinese[key]]);
    }"""
    for key, english, chinese, differs in page.evaluate(keys, f"{page.url}assets/paste-box-texts.js"):
        assert english == chinese, key
        assert differs or key == "placeholder", key

    def in_chinese(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace('<html lang="en"', '<html lang="zh"', 1))

    home_page = page.url
    page.route(home_page, in_chinese)
    page.goto(home_page)
    page.get_by_label("粘贴报错或完整的 traceback").fill(TRACEBACK)
    expect(answer(page)).to_contain_text("最小改动")
    expect(answer(page)).to_contain_text("第 6 行")


def test_chinese_site_answers_in_chinese(open_page: OpenPage) -> None:
    """With the same entry, decoded, as the command line tells it."""
    page = open_page("zh/")
    page.get_by_label("粘贴报错或完整的 traceback").fill(TRACEBACK)
    best = explain(TRACEBACK, language="zh")[0]
    assert best.says != explain(TRACEBACK)[0].says
    for text in (best.entry.title, best.says, best.fix):
        expect(answer(page)).to_contain_text(plain(text))


# --- the rest of the home page ---


def test_home_shows_readme_and_what_there_is(without_script: Page) -> None:
    page = without_script
    headings = [text.rstrip("¶") for text in page.locator("article h2").all_text_contents()]
    readme = re.findall(r"(?m)^## (.+)$", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert headings == [readme[0], "All errors", "Workflows", "Templates", *readme[1:]]
    rows = page.locator("h2#all-errors + * tr")
    counted = [tuple(row.locator("td").all_text_contents()[:2]) for row in rows.all()[1:]]
    assert counted == [(plain(category.title), str(len(category.entries))) for category in CATALOG.categories]
    pages = (ROOT / "troubleshooting-workflows").glob("*.md")
    workflows = {path.stem for path in pages if ".zh." not in path.name} - {"README"}
    links = page.locator("h2#workflows + * td:first-child a")
    assert {Path(link.get_attribute("href") or "").name for link in links.all()} == workflows
    assert page.locator("h2#templates + * td:first-child a").count() == 3


def test_home_of_a_catalog_without_workflows(tmp_path: Path) -> None:
    (tmp_path / "catalog.yaml").write_text("categories: {}\n")
    text = home.home_page(load_catalog(tmp_path), "# Guide\n\nIntroduction.\n")
    assert "## " not in text and "Introduction." in text and "data-prompt" not in text
    assert engine.example(load_catalog(tmp_path)) == ""


def test_chinese_home_has_chinese_headings() -> None:
    text = home.home_page(CATALOG, "# 指南\n\n介绍。\n\n## 第一\n\n## 第二\n", load_texts(ROOT, "zh"))
    assert re.findall(r"(?m)^## \[?([^\]\n]+)", text) == ["第一", "全部错误", "排查流程", "模板", "第二"]
