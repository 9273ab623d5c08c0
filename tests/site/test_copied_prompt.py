"""The paste box copies an error as the same prompt as the command `torch-errors prompt`.

The first half compares the published `prompting.js` with `torch_errors.prompting`, and shows that the comparisons
notice mutations of the script.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from tests.corpora import HOSTILE as HOSTILE_TO_RULES
from tests.corpora import ORDINARY, planted
from tests.guide import CATALOG
from tests.pastes import HOSTILE as HOSTILE_TO_PATTERNS
from tests.pastes import LOG, MATMUL, ON_THE_WAY, RECORDED
from tests.pastes import TRACEBACK as FAILED
from tests.site.browsing import CLIPBOARD, HOSTILE, MARKER, PHONE, ROOT, OpenPage, kept_private
from tests.site.javascript import ENDLESS, Modules, differ, made, must_be_noticed, mutations
from torch_errors.explaining.explain import explain
from torch_errors.prompting import compose as composing
from torch_errors.prompting.excerpt import is_unfilled
from torch_errors.prompting.redaction import HOST, LONGEST, NAMED, USER, redact, rules
from torch_errors.prompting.template import CODE, EXPLANATION, TRACEBACK, Prompt, load_prompts
from website import engine, prompting

ASSETS = ROOT / "website/docs/assets"
SOURCE = (ASSETS / "prompting.js").read_text(encoding="utf-8")
PROMPTS_IN = {language: load_prompts(ROOT, language) for language in ("en", "zh")}
PROMPTS = PROMPTS_IN["en"]
PROMPT_OF_CATEGORY = {category.id: category.prompt for category in CATALOG.categories}
NAMES = {"annabel": USER, "gpu-node7": HOST}
# A part of both lists, to combine with other texts.
PRIVATE_TEXTS, KEPT = [text for _, text, _ in planted()][::6], ORDINARY[::6]


# --- the script and the command, called in the same way ---


class Prompting:
    """prompting.js and explain.js with the data of one language."""

    def __init__(self, language: str = "en", seconds: float = 240) -> None:
        self._modules = Modules("prompting.js", "explain.js", seconds=seconds)
        published = prompting.prompts_data(CATALOG, language), engine.engine_data(CATALOG, language)
        prompts, entries = (json.dumps(json.dumps(data)) for data in published)
        self._modules.run(
            f"const prompts = {prompts}, engine = modules.explain.engine(JSON.parse({entries})); let prompting"
        )
        self.run(SOURCE)

    def run(self, source: str) -> Prompting:
        """Run a source in place of prompting.js."""
        self._modules.replace("prompting.js", source)
        self._modules.run("prompting = modules.prompting.prompting(JSON.parse(prompts))")
        return self

    def __call__(self, function: str, arguments: list[Any]) -> list[Any]:
        """Call a JavaScript function of one argument with each of the arguments."""
        return self._modules.call(f"(all) => all.map({function})", arguments)


REDACT = "([text, names]) => prompting.redact(text, new Map(Object.entries(names)))"
FILL = "([text, values]) => prompting.fill(text, new Map(Object.entries(values)))"
COMPOSE = """(text) => {
    const [match] = engine.explain(text);
    return prompting.compose(engine.trim(text, match?.line), match);
}"""


@pytest.fixture(scope="module")
def script() -> Prompting:
    return Prompting()


Command = Callable[..., composing.Composed]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Function that composes the prompt of a traceback as the command does, without its files and names to redact.

    The blank of the environment stays, since the site cannot fill it in.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(composing, "local_names", dict)

    def compose(traceback: str, language: str = "en") -> composing.Composed:
        found = explain(traceback, ROOT, language)
        name = PROMPT_OF_CATEGORY[found[0].entry.category] if found else prompting.UNKNOWN
        prompt = PROMPTS_IN[language][name]
        blank = f"<<environment: {prompt.blanks['environment']}>>"
        monkeypatch.setattr(composing, "collect_environment", lambda: blank)
        return composing.compose(prompt, ROOT, traceback=traceback, language=language)

    return compose


# --- texts ---

SITE_PACKAGES = "/opt/venv/lib/python3.11/site-packages"
# Parts of tracebacks and logs, and texts that redaction removes.
PIECES = [
    "Traceback (most recent call last):\n", "Original Traceback (most recent call last):\n",
    '  File "train.py", line 4, in <module>\n', f'  File "{SITE_PACKAGES}/torch/nn/modules/module.py", line 17, in f\n',
    f'  File "{SITE_PACKAGES}/lightning/x.py", line 9\n', '  File "<frozen runpy>", line 1\n', "    loss.backward()\n",
    '  File "C:\\Python311\\Lib\\runpy.py", line 8, in main\n', "    ^^^^^^^^\n",
    "  [Previous line repeated 9 more times]\n",
    "\u00a0   indented\n", "\u3000\ufeffx\n", "\x85", "\u2028", "\x1c x\n", "\r\n", "\r", "\n", "\n\n", "\x0c",
    "\x1b[31m",
    "\nDuring handling of the above exception, another exception occurred:\n\n", "RuntimeError: it broke\n",
    "mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)\n",
    "Assertion `srcIndex < srcSelectDimSize` failed.\n",
    "step 1 loss 0.5\n", "/home/annabel/thesis", "/Users/annabel/", "C:\\Users\\annabel\\x", "annabel", "张伟",
    "/home/张伟/",
    "/home/müller/", "müller", "é", "张", "ſ", "\u212a", "İ", "😀", "\ud83d", "\0", " ", " ", ":", "=", '"', "'", "@",
    "gpu-node7",
    *PRIVATE_TEXTS, *KEPT, "````", "```\n", "<<code: x>>", "$&", "$1", "\\1", "- [ ] option\n",
]  # fmt: skip
_FIRST = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x[1]\nIndexError: out\n'
# Texts that the script and the command might trim or redact differently; test_engine.py compares more tracebacks.
TELLING = [
    f"noise\n{_FIRST}\nDuring handling of the above exception, another exception occurred:\n\n{_FIRST}",
    f"\n\nAssertion `srcIndex < srcSelectDimSize` failed.\n\x0cnoise\n{_FIRST}",
    # Characters that only one language counts as white space, in frames that are left out with their source.
    *(
        "Traceback (most recent call last):\n" + f'  File "{SITE_PACKAGES}/a/b.py", line 1\n  {space}x\n' * 4
        for space in "\x1c\xa0\ufeff\u180e\u200b"
    ),
    f'Traceback (most recent call last):\n  File "x", line {"9" * 5000}\nError',
    "/home/runner/x: runner /home/张伟/x: 张伟, 张伟的 /home/annabel，然后 /root",
    "密钥是hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567，用户是annabel。",
]
# Two surrogates in a row are one character in JavaScript, but two in Python.
WHOLE = re.compile(r"[\ud800-\udbff](?=[\udc00-\udfff])")


@cache
def made_texts() -> list[str]:
    # Up to U+FFFF: broken lines are joined by their width, which JavaScript counts in units of 16 bits.
    letters = st.text(st.characters(max_codepoint=0xFFFF), max_size=12)
    texts = st.lists(st.sampled_from(PIECES) | letters, max_size=30).map("".join)
    return made(texts.filter(lambda text: not WHOLE.search(text)), 200)


HARD = [*TELLING, *KEPT, *PRIVATE_TEXTS, "", "\n", "\0", *(change(LOG) for change in ON_THE_WAY.values())]
HARD = [text for text in HARD if not WHOLE.search(text)]
LONG = ["\n".join(f"line {number} {'😀' * 600}" for number in range(40)) + "\n" + MATMUL]
LARGEST = [text[: LONGEST // 4] for text in (*HOSTILE_TO_RULES, *HOSTILE_TO_PATTERNS)]


# --- they agree ---


def test_redaction_is_the_same(script: Prompting) -> None:
    private = [text for _, text, _ in planted()]
    plain = [*RECORDED[::3], *HARD, *made_texts(), *LARGEST, *private, *ORDINARY, "\n".join(ORDINARY)]
    cases: list[tuple[str, dict[str, str]]] = [(text, {}) for text in plain]
    cases += [(text, NAMES) for text in [*TELLING, *made_texts(), "\n".join(private)]]
    cases += [("\n".join(f"/home/somebody{n}/ somebody{n}" for n in range(80)), {})]
    taken: Counter[str] = Counter()
    for case, theirs in zip(cases, script(REDACT, cases), strict=True):
        text, counts = redact(*case)
        assert theirs == [text, counts], case[0][:500]
        taken += counts
    # Every kind of secret was removed at least once.
    assert taken.keys() == {rule.what for rule in rules()} | set(NAMED.values())


TEMPLATES = [
    "````text\n<<code: x>>\n````\n", "```\n<<traceback: all of it>>\n```\n", "  <<code: y>>", "\t- <<task: it>>",
    "\u00a0<<task: it>>", "x <<task: a<b>c>>", "\n## Reference\n\n<<explanation: or delete this>>\n", "\n## Next\n",
    "\n",
    "<<explanation", "<<Not: one>>", "<<code: a<<b>>", "```python\n<<code: z>>\n````\n", "- [ ] an option\n", "张 😀 ",
]  # fmt: skip
VALUES = st.lists(
    st.sampled_from(["````", "```x\n", "\n", "\n\n", "  ", "<<task: it>>", "$&", "\\1", "a", "😀", "\u2028"])
)
FILLING = st.tuples(
    st.lists(st.sampled_from(TEMPLATES), max_size=12).map("".join),
    st.dictionaries(st.sampled_from(["code", "task", TRACEBACK, EXPLANATION]), VALUES.map("".join)),
)


def test_filling_is_the_same(script: Prompting) -> None:
    cases = made(FILLING, 150)
    for prompt in PROMPTS.values():
        every = {name: f"```\n{name}\n\n  <<code: x>>\n" for name in prompt.blanks}
        cases += [(prompt.text, values) for values in ({}, every, dict.fromkeys(every, ""), {CODE: "x"})]
    for (text, values), theirs in zip(cases, script(FILL, cases), strict=True):
        assert theirs == Prompt("name", "title", "summary", text).fill(values), (text, values)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_composing_is_the_same(language: str, command: Command, exhaustive: bool) -> None:
    """The whole prompt is the same: explained, trimmed, redacted and filled in."""
    texts = (
        [*RECORDED[:: 3 if exhaustive else 9], *HARD, *LONG, *made_texts()]
        if language == "en"
        else [*RECORDED[::20], *LONG]
    )
    # Renamed, so that the command does not quote files of this checkout, which the site cannot read.
    gone = "/" + "x" * (len(str(ROOT)) - 1)
    texts = [text.replace(str(ROOT), gone) for text in texts if not is_unfilled(text)]
    entries, shortened = set(), 0
    for text, theirs in zip(texts, Prompting(language)(COMPOSE, texts), strict=True):
        mine = command(text, language)
        assert {name: theirs[name] for name in ("text", "redacted")} == {
            "text": mine.text,
            "redacted": mine.redacted,
        }, text[:500]
        entries.add(mine.entry)
        shortened += bool(mine.shortened)
    assert shortened == len(LONG)
    assert len(entries) > len(set(texts) & set(RECORDED)) / 2


# --- the comparisons notice mutations ---


@pytest.fixture(scope="module")
def right_answers(script: Prompting) -> tuple[list[tuple[str, list[Any]]], list[Any]]:
    """Calls for which mutations make a difference, and the answers of the published module."""
    redactions = [(text, names) for text in [*TELLING, *KEPT, *made_texts()[:150]] for names in ({}, NAMES)]
    redactions += [("abc a.c", {"a.c": USER}), ("\n".join(f"/home/body{n}/ body{n}" for n in range(60)), {})]
    redactions += [("annabel.lee annabel", {"annabel": USER, "annabel.lee": HOST}), ("root al ubuntu", {"al": USER})]
    composed = [text for text in [*TELLING, *LONG, *RECORDED[::40]] if not is_unfilled(text)]
    calls = [(REDACT, redactions), (FILL, made(FILLING, 100)), (COMPOSE, composed)]
    return calls, [script(function, arguments) for function, arguments in calls]


def test_comparisons_notice_mutations(
    exhaustive: bool, right_answers: tuple[list[tuple[str, list[Any]]], list[Any]]
) -> None:
    script = Prompting(seconds=ENDLESS)

    def differs(source: str) -> bool:
        script.run(source)
        asked = zip(*right_answers, strict=True)
        return any(differ(partial(script, function), arguments, right) for (function, arguments), right in asked)

    must_be_noticed(list(mutations(SOURCE))[:: 1 if exhaustive else 8], differs)


# --- the page's data ---


def test_every_category_names_a_prompt() -> None:
    """The prompt of an entry is that of its category."""
    assert {prompting.UNKNOWN, *(category.prompt for category in CATALOG.categories)} <= PROMPTS.keys()


def test_every_prompt_has_a_blank_for_the_error_and_one_for_the_explanation() -> None:
    for prompt in PROMPTS.values():
        assert {TRACEBACK, EXPLANATION} <= prompt.blanks.keys(), prompt.name


# --- the button ---

TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
PRIVATE = FAILED.replace('"train.py"', '"/home/annabel/train.py"') + f"login({TOKEN!r}) failed, {TOKEN}\n"


class Box:
    """The paste box with a text filled in."""

    def __init__(self, page: Page, text: str, copy: str = "Copy as a prompt") -> None:
        self.page = page
        self.part = page.locator(".paste-box-prompt")
        self.copy = page.get_by_role("button", name=copy)
        page.locator("#paste").fill(text)

    def copied(self) -> str:
        self.copy.click()
        expect(self.part.get_by_role("status")).to_contain_text("<<")
        return self.page.evaluate("navigator.clipboard.readText()")


def test_copies_the_prompt_of_the_command(open_page: OpenPage, command: Command) -> None:
    box = Box(open_page(**CLIPBOARD), PRIVATE)
    expect(box.copy).to_have_accessible_description("Redacted: 2 tokens, 1 home folder.")
    preview = box.part.get_by_role("region", name="The prompt as it will be copied")
    expect(preview).to_be_hidden()
    box.part.get_by_text("Preview (template: Shape errors)").press("Enter")
    expect(preview).to_be_visible()
    text = box.copied()
    assert text == preview.text_content() == command(PRIVATE).text
    assert TOKEN not in text and "annabel" not in text and "matmul-shape-mismatch" in text


def test_copies_the_chinese_prompt_on_the_chinese_page(open_page: OpenPage, command: Command) -> None:
    box = Box(open_page("zh/", viewport=PHONE, **CLIPBOARD), PRIVATE, "复制为提示词")
    expect(box.copy).to_have_accessible_description("已隐去：2 个令牌、1 处主目录。")
    assert box.copied() == command(PRIVATE, "zh").text
    box.part.locator("summary").click()
    assert box.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert min(box.part.locator("button").evaluate_all("all => all.map((one) => one.offsetHeight)")) >= 24


def test_an_unknown_error_gets_the_general_template(open_page: OpenPage, command: Command) -> None:
    text = "OddError: never seen & 100 % + a=b # 张量 😀"
    box = Box(open_page(**CLIPBOARD), text)
    expect(box.copy).to_have_accessible_description("No secrets or names found.")
    expect(box.part.locator("summary")).to_contain_text("Standard error analysis")
    assert box.copied() == command(text).text


def test_prompt_follows_the_text_of_the_box(open_page: OpenPage) -> None:
    box = Box(open_page(**CLIPBOARD), MATMUL)
    box.copied()
    for nothing in ("  ", "```\nTraceback (most recent call last):\n```"):
        box.page.locator("#paste").fill(nothing)
        expect(box.part).to_be_hidden()
    box.page.locator("#paste").fill("OddError: never seen")
    expect(box.part.locator("pre")).to_contain_text("OddError: never seen")
    expect(box.part.get_by_role("status")).to_be_empty()  # the status was about the text before


def test_a_prompt_that_may_not_be_copied_is_selected(open_page: OpenPage) -> None:
    box = Box(open_page(), MATMUL)
    box.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    box.copy.click()
    expect(box.part.get_by_role("status")).to_contain_text("The prompt is selected")
    selected = box.page.evaluate("getSelection().toString()")
    assert selected.strip() == (box.part.locator("pre").text_content() or "").strip()
    expect(box.part.get_by_role("region")).to_be_focused()


def test_hostile_text_stays_text(open_page: OpenPage) -> None:
    box = Box(open_page(**CLIPBOARD), HOSTILE)
    assert MARKER in box.copied()
    assert box.part.locator("img, svg, script, b").count() == 0
    assert box.page.evaluate("window.hit") is None


def test_nothing_is_sent_or_stored(open_page: OpenPage, address: str) -> None:
    page = open_page(**CLIPBOARD)
    with kept_private(page, address, MARKER) as requests:
        assert MARKER in Box(page, PRIVATE.replace("failed,", f"failed, {MARKER},")).copied()
        assert MARKER not in page.url
    assert any(request.url.endswith("prompts.json") for request in requests)


def test_data_that_cannot_be_loaded_are_asked_for_again(new_page: OpenPage, address: str) -> None:
    page = new_page()
    page.goto(address)
    page.route("**/prompts.json", lambda route: route.abort())
    with page.expect_event("console", lambda message: "prompts.json" in message.text or message.type == "error"):
        box = Box(page, MATMUL)
    expect(page.locator(".paste-box-answer")).to_contain_text("32x512 and 256x10")
    expect(box.part).to_be_hidden()
    page.unroute("**/prompts.json")
    page.get_by_role("button", name="Explain", exact=True).click()
    expect(box.copy).to_be_visible()


def test_a_text_of_two_megabytes_takes_seconds_not_minutes(script: Prompting) -> None:
    log = f"2026-01-02 step 1 loss 0.53 host: gpu-node7.example.org token={TOKEN} /home/annabel/x.py\n" * 20_000
    started = time.process_time()
    [made] = script(COMPOSE, [log + MATMUL])
    assert time.process_time() - started < 20
    assert TOKEN not in made["text"] and len(made["text"]) < 2 * LONGEST


# --- the page that the button replaces ---


@pytest.mark.parametrize("language", ["", "zh/"])
def test_the_former_page_leads_to_the_templates(language: str, open_page: OpenPage, address: str) -> None:
    page = open_page(f"{language}prompt/#template=shapes")
    expect(page).to_have_url(f"{address}{language}debug-templates/prompts/#template=shapes")
