"""The prompt builder of the site: it makes the prompts that the command makes, and the page works for people.

The first half compares `prompting.js`, as it is published, with `torch_errors.prompting`. Each comparison is shown to
fail: `MUTATIONS` breaks the script in the ways in which the two languages differ.
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
from urllib.parse import urlencode

import pytest
from hypothesis import strategies as st
from playwright.sync_api import Locator, Page, expect

from tests.browsing import CLIPBOARD, DESKTOP, HOSTILE, MARKER, PHONE, ROOT, OpenPage, told_to_nobody
from tests.corpora import HOSTILE as HOSTILE_TO_RULES
from tests.corpora import ORDINARY, planted
from tests.javascript import ENDLESS, Modules, differ, made, must_be_noticed, mutations
from tests.pastes import HOSTILE as HOSTILE_TO_PATTERNS
from tests.pastes import LOG, MATMUL, ON_THE_WAY, RECORDED
from tests.pastes import TRACEBACK as FAILED
from torch_errors.catalog.loading import load_catalog
from torch_errors.prompting import compose as composing
from torch_errors.prompting.environment import Environment
from torch_errors.prompting.excerpt import trim_traceback
from torch_errors.prompting.redaction import HOST, LONGEST, NAMED, USER, redact, rules
from torch_errors.prompting.template import CODE, ENVIRONMENT, EXPLANATION, TRACEBACK, Prompt, load_prompts
from website import engine, prompt_builder

CATALOG = load_catalog(ROOT)
ASSETS = ROOT / "website/docs/assets"
SOURCE = (ASSETS / "prompting.js").read_text(encoding="utf-8")
DATA = {
    language: [prompt_builder.prompts_data(CATALOG, language), engine.engine_data(CATALOG, language)]
    for language in ("en", "zh")
}
PROMPTS = load_prompts(ROOT)
NAMES = {"annabel": USER, "gpu-node7": HOST}
# A part of the two lists, to be combined with other texts.
PRIVATE_TEXTS, KEPT = [text for _, text, _ in planted()][::6], ORDINARY[::6]


# --- both sides, in one form ---


class Prompting:
    """prompting.js and explain.js."""

    def __init__(self, language: str = "en", seconds: float = 240) -> None:
        self._modules = Modules("prompting.js", "explain.js", seconds=seconds)
        prompts, entries = (json.dumps(json.dumps(data)) for data in DATA[language])
        self._modules.run(
            f"const prompts = {prompts}, engine = modules.explain.engine(JSON.parse({entries})); let prompting, compose"
        )
        self.run(SOURCE)

    def run(self, source: str) -> Prompting:
        """In place of prompting.js."""
        self._modules.replace("prompting.js", source)
        self._modules.run("prompting = modules.prompting.prompting(JSON.parse(prompts))")
        self._modules.run("compose = prompting.composer(engine)")
        return self

    def __call__(self, function: str, arguments: list[Any]) -> list[Any]:
        """What a function of one argument in JavaScript makes of each."""
        return self._modules.call(f"(all) => all.map({function})", arguments)


REDACT = "([text, names]) => prompting.redact(text, new Map(Object.entries(names)))"
FILL = "([text, values]) => prompting.fill(text, new Map(Object.entries(values)))"
COMPOSE = """([name, fields]) => {
    const prompt = prompting.prompts.find((prompt) => prompt.name === name);
    return compose(prompt, fields, { match: engine.explain(fields.traceback)[0] });
}"""


@pytest.fixture(scope="module")
def script() -> Prompting:
    return Prompting()


Command = Callable[[Prompt, str, str, str], composing.Composed]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """What the command makes of a traceback where no file of it lies, and this machine has no names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(composing, "local_names", dict)

    def compose(prompt: Prompt, traceback: str, environment: str, language: str) -> composing.Composed:
        monkeypatch.setattr(composing, "collect_environment", lambda: Environment(environment.split("\n")))
        return composing.compose(prompt, ROOT, traceback=traceback, language=language)

    return compose


# --- texts ---

SITE_PACKAGES = "/opt/venv/lib/python3.11/site-packages"
# What tracebacks, logs and the things that are taken out of them are made of.
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
# What the two languages might trim or redact differently; more tracebacks are compared in test_engine.py.
TELLING = [
    f"noise\n{_FIRST}\nDuring handling of the above exception, another exception occurred:\n\n{_FIRST}",
    f"\n\nAssertion `srcIndex < srcSelectDimSize` failed.\n\x0cnoise\n{_FIRST}",
    # White space of one language only, in frames that are left out with their source.
    *(
        "Traceback (most recent call last):\n" + f'  File "{SITE_PACKAGES}/a/b.py", line 1\n  {space}x\n' * 4
        for space in "\x1c\xa0\ufeff\u180e\u200b"
    ),
    f'Traceback (most recent call last):\n  File "x", line {"9" * 5000}\nError',
    "/home/runner/x: runner /home/张伟/x: 张伟, 张伟的 /home/annabel，然后 /root",
    "密钥是hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567，用户是annabel。",
]
UNFILLED = [
    "", "\n \n\t", "```", "```pytb\n```", "~~~\n\n~~~\n", "Traceback (most recent call last):",
    "\n```python\nTraceback (most recent call last):\n```\n", "> \n> ```\n", "\x1b[31m\x1b[0m",
    "Original Traceback (most recent call last):\n",
]  # fmt: skip
# Half of a character, where the other half follows, is a whole one in JavaScript.
WHOLE = re.compile(r"[\ud800-\udbff](?=[\udc00-\udfff])")


@cache
def made_texts() -> list[str]:
    texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=30).map("".join)
    return made(texts.filter(lambda text: not WHOLE.search(text)), 200)


HARD = [*TELLING, *KEPT, *PRIVATE_TEXTS, "", "\n", "\0", *(change(LOG) for change in ON_THE_WAY.values())]
HARD = [text for text in HARD if not WHOLE.search(text)]
LARGEST = [text[: LONGEST // 4] for text in (*HOSTILE_TO_RULES, *HOSTILE_TO_PATTERNS)]


# --- they agree ---


def test_redaction(script: Prompting) -> None:
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
    # What is never taken out shows nothing.
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


def test_filling(script: Prompting) -> None:
    cases = made(FILLING, 150)
    for prompt in PROMPTS.values():
        every = {name: f"```\n{name}\n\n  <<code: x>>\n" for name in prompt.blanks}
        cases += [(prompt.text, values) for values in ({}, every, dict.fromkeys(every, ""), {CODE: "x"})]
    for (text, values), theirs in zip(cases, script(FILL, cases), strict=True):
        assert theirs == Prompt("name", "title", "summary", text).fill(values), (text, values)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_composing(language: str, command: Command) -> None:
    """The whole of it, as the command does: explained, trimmed, redacted, filled in."""
    environment = "torch 2.15.0\nhost: gpu-node7.example.org, /home/annabel"
    environment += "\n😀 longer than a blank may be" * 1000 if language == "zh" else ""
    texts = [*RECORDED[::3], *HARD, *UNFILLED, *made_texts()] if language == "en" else RECORDED[::20]
    prompts = load_prompts(ROOT, language)
    named = list(prompts)
    # The command would quote files of this checkout, which the site cannot read.
    gone = "/" + "x" * (len(str(ROOT)) - 1)
    cases = [
        (named[at % len(named)], {TRACEBACK: text.replace(str(ROOT), gone), ENVIRONMENT: environment})
        for at, text in enumerate(text for text in texts if text.strip())
    ]
    entries = set()
    for (name, fields), theirs in zip(cases, Prompting(language)(COMPOSE, cases), strict=True):
        mine = command(prompts[name], fields[TRACEBACK], environment, language)
        told = {"text": mine.text, "openBlanks": mine.open_blanks, "redacted": mine.redacted, "entry": mine.entry}
        assert theirs == told | {"shortened": mine.shortened}, fields[TRACEBACK][:500]
        entries.add(mine.entry)
    assert list(mine.shortened) == ([ENVIRONMENT] if language == "zh" else [])
    assert len(entries) > len(set(texts) & set(RECORDED)) / 2


# --- the comparison notices ---


@pytest.fixture(scope="module")
def right_answers(script: Prompting) -> tuple[list[tuple[str, list[Any]]], list[Any]]:
    """Calls for which each mutation makes a difference, and the answers of the module as it is published."""
    redactions = [(text, names) for text in [*TELLING, *KEPT, *made_texts()[:150]] for names in ({}, NAMES)]
    redactions += [("abc a.c", {"a.c": USER}), ("\n".join(f"/home/body{n}/ body{n}" for n in range(60)), {})]
    redactions += [("annabel.lee annabel", {"annabel": USER, "annabel.lee": HOST}), ("root al ubuntu", {"al": USER})]
    composed = [("error-analysis", {TRACEBACK: text, CODE: "x"}) for text in [*TELLING, *UNFILLED]]
    answered = [None, *({"entry": {"category": category}} for category in ("dimension-mismatch", "of another guide"))]
    calls = [(REDACT, redactions), (FILL, made(FILLING, 100)), (COMPOSE, composed)]
    calls += [("(match) => prompting.promptFor(match)", answered)]
    return calls, [script(function, arguments) for function, arguments in calls]


def test_comparison_notices(exhaustive: bool, right_answers: tuple[list[tuple[str, list[Any]]], list[Any]]) -> None:
    script = Prompting(seconds=ENDLESS)

    def differs(source: str) -> bool:
        script.run(source)
        asked = zip(*right_answers, strict=True)
        return any(differ(partial(script, function), arguments, right) for (function, arguments), right in asked)

    must_be_noticed(list(mutations(SOURCE))[:: 1 if exhaustive else 8], differs)


# --- the page's data ---


def test_every_category_names_a_prompt() -> None:
    """The prompt that is chosen for an error of it."""
    assert {prompt_builder.UNKNOWN, *(category.prompt for category in CATALOG.categories)} <= PROMPTS.keys()


def test_every_blank_has_a_label() -> None:
    blanks = {name for prompt in PROMPTS.values() for name in prompt.blanks} - {EXPLANATION}
    assert blanks == prompt_builder.LABELS.keys()
    chinese = {blank["name"]: blank["label"] for prompt in DATA["zh"][0]["prompts"] for blank in prompt["blanks"]}
    same = {name for name in blanks if chinese[name] == prompt_builder.label(name)}
    assert same == {"gpu"}


# --- the page ---

TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
PRIVATE = FAILED.replace('"train.py"', '"/home/annabel/train.py"') + f"login({TOKEN!r}) failed, {TOKEN}\n"
LABELS = {
    "traceback": "Traceback or output", "code": "Code", "environment": "Environment", "expected": "Expected behaviour",
    "actual": "Actual behaviour", "hide": "Redact secrets and names",
}  # fmt: skip


class Builder:
    """The page as people see it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.template = page.get_by_label("Prompt", exact=True)
        self.shown = page.locator(".prompt-builder-text")
        self.open = page.locator(".prompt-builder-open")
        expect(self.template).to_be_visible()

    def field(self, name: str) -> Locator:
        return self.page.get_by_label(LABELS[name], exact=True)

    def button(self, name: str) -> Locator:
        return self.page.locator(".prompt-builder").get_by_role("button", name=name, exact=True)

    def says(self, text: str) -> None:
        expect(self.page.get_by_text(text)).to_be_visible()

    def text(self) -> str:
        return self.shown.text_content() or ""

    def copied(self) -> str:
        self.button("Copy the prompt").click()
        expect(self.page.get_by_role("status").filter(has_text="Prompt copied.")).to_be_visible()
        return self.page.evaluate("navigator.clipboard.readText()")


OpenBuilder = Callable[..., Builder]


@pytest.fixture
def open_builder(open_page: OpenPage) -> OpenBuilder:
    """Function that opens the page, with what follows its address."""
    return lambda fragment="", **options: Builder(open_page(f"prompt/{fragment}", **options))


def test_a_known_error_makes_the_prompt_of_the_command(open_builder: OpenBuilder, command: Command) -> None:
    builder = open_builder(**CLIPBOARD)
    builder.field("traceback").fill(PRIVATE)
    builder.field("environment").fill("torch 2.15.0")
    builder.says("Known error: ")
    expect(builder.shown).to_contain_text("matmul-shape-mismatch")
    assert builder.copied() == builder.text()
    assert builder.text() == command(PROMPTS["error-analysis"], PRIVATE, "torch 2.15.0", "en").text
    builder.says("Redacted: 2 tokens, 1 home folder.")
    assert TOKEN not in builder.text() and "annabel" not in builder.text()
    builder.field("expected").fill("that annabel can log in")  # who is named in the traceback
    assert "annabel" not in builder.copied()
    builder.field("hide").uncheck()
    builder.says("stay in the prompt")
    assert TOKEN in builder.copied() and "that annabel can" in builder.text()
    builder.field("hide").check()
    expect(builder.page.get_by_text("stay in the prompt")).to_have_count(0)
    assert TOKEN not in builder.copied()
    builder.page.locator(".prompt-builder-answer").get_by_role("link").click()
    expect(builder.page).to_have_url(re.compile("guide/dimension-mismatch/matmul-"))


def test_the_chinese_page_makes_the_chinese_prompt(open_page: OpenPage, command: Command) -> None:
    page = open_page(f"zh/prompt/#{urlencode({'traceback': PRIVATE, 'template': 'error-analysis'})}")
    page.get_by_label("环境", exact=True).fill("torch 2.15.0")
    expect(page.get_by_text("已隐去：2 个令牌、1 处主目录。")).to_be_visible()
    expect(page.locator(".prompt-builder-text")).to_contain_text("torch 2.15.0")
    prompt = load_prompts(ROOT, "zh")["error-analysis"]
    assert page.locator(".prompt-builder-text").text_content() == command(prompt, PRIVATE, "torch 2.15.0", "zh").text


def test_prompts_can_be_chosen_and_keep_what_was_typed(open_builder: OpenBuilder) -> None:
    builder = open_builder()
    assert builder.template.locator("option").all_text_contents() == [prompt.title for prompt in PROMPTS.values()]
    builder.field("code").fill("model = Net()")
    builder.field("expected").fill("a loss")
    for prompt in PROMPTS.values():
        builder.template.select_option(prompt.name)
        assert builder.page.url.endswith(f"#template={prompt.name}")
        expect(builder.page.locator("#prompt-summary")).to_have_text(prompt.summary.replace("`", ""))
        hints = builder.page.locator(".prompt-builder textarea").evaluate_all(
            """all => all.map((area) => {
                const hint = document.getElementById(area.getAttribute("aria-describedby"));
                return [area.id.replace("blank-", ""), hint.textContent];
            })"""
        )
        blanks = {name: hint.replace("`", "") for name, hint in prompt.blanks.items() if name != EXPLANATION}
        assert dict(hints) == blanks
        first = [name for name in (TRACEBACK, CODE, ENVIRONMENT) if name in blanks]
        assert [name for name, _ in hints] == [*first, *(name for name in blanks if name not in first)]
        assert builder.text() == prompt.fill({CODE: "model = Net()", "expected": "a loss"})
    for name in ("error-analysis", "<b>"):
        builder.page.evaluate("name => { location.hash = `template=${name}` }", name)
        expect(builder.template).to_have_value("error-analysis")
    expect(builder.field("code")).to_have_value("model = Net()")
    expect(builder.field("expected")).to_have_value("a loss")


def test_options_are_ticked_and_clear_empties_all(open_builder: OpenBuilder) -> None:
    builder = open_builder("#template=gradients", **CLIPBOARD)
    builder.field("traceback").fill(PRIVATE)
    options = re.findall(r"(?m)^- \[ \] (.+)$", PROMPTS["gradients"].text)
    boxes = builder.page.locator("fieldset").get_by_role("checkbox")
    assert boxes.count() == len(options) == 5
    builder.page.get_by_label(options[2].replace("`", "")).check()
    builder.template.select_option("shapes")
    builder.template.select_option("gradients")
    expect(boxes.nth(2)).to_be_checked()
    assert builder.copied().count(f"- [x] {options[2]}\n") == 1
    assert builder.text().count("- [x]") == 1
    boxes.nth(2).uncheck()
    assert "- [x]" not in builder.text()
    boxes.first.check()
    builder.button("Clear").click()
    assert builder.text() == PROMPTS["gradients"].fill({})
    expect(builder.field("traceback")).to_be_focused()
    expect(boxes.first).not_to_be_checked()
    builder.template.select_option("error-analysis")
    expect(builder.field("traceback")).to_have_value("")


def test_blanks_that_are_left_lead_to_their_fields(open_builder: OpenBuilder) -> None:
    builder = open_builder()
    builder.field("traceback").fill(MATMUL)
    expect(builder.open).to_contain_text("4 blanks left:")
    names = builder.open.get_by_role("button").all_text_contents()
    assert names == [LABELS[name] for name in ("code", "environment", "expected", "actual")]
    builder.open.get_by_role("button", name=LABELS["actual"]).click()
    expect(builder.field("actual")).to_be_focused()
    builder.page.keyboard.type("an error")
    expect(builder.open).to_contain_text("3 blanks left:")
    for name in ("code", "environment", "expected"):
        builder.field(name).fill("x")
    expect(builder.open).to_have_text("All blanks are filled in.")
    builder.field("code").fill("  \n")
    expect(builder.open.get_by_role("button")).to_have_text([LABELS["code"]])
    builder.field("code").fill("x" * (LONGEST + 1))
    builder.says("Code: too long for a chat")


def test_the_traceback_is_answered(open_builder: OpenBuilder) -> None:
    """An unknown one without a reference, a known one with the prompt that fits it better."""
    builder = open_builder()
    builder.field("traceback").fill("OddError: never seen")
    builder.says("No entry matches this text")
    assert "OddError: never seen" in builder.text() and "<<explanation" not in builder.text()
    builder.field("traceback").fill(MATMUL)
    builder.button("Use that prompt").click()
    expect(builder.template).to_have_value("shapes")
    expect(builder.template).to_be_focused()
    expect(builder.button("Use that prompt")).to_have_count(0)
    expect(builder.field("traceback")).to_have_value(MATMUL)


# --- what is pasted stays here, and stays text ---


def test_hostile_text_stays_text(open_builder: OpenBuilder) -> None:
    fragment = urlencode({"traceback": HOSTILE, "template": "<img src=x onerror=window.hit=1>"})
    builder = open_builder(f"#{fragment}", **CLIPBOARD)
    for name in ("traceback", "code", "expected"):
        builder.field(name).fill(HOSTILE)
    expect(builder.shown).to_contain_text("window.hit")
    builder.says("Known error: ")
    assert builder.copied().count(MARKER) == 3
    assert builder.page.locator(".prompt-builder :is(img, svg, script, b)").count() == 0
    assert builder.page.evaluate("window.hit") is None


def test_nothing_is_sent_stored_or_left_in_the_address(open_page: OpenPage, address: str) -> None:
    home = open_page(**CLIPBOARD)
    with told_to_nobody(home, address, MARKER) as requests:
        home.locator("#paste").fill(PRIVATE.replace("failed,", f"failed, {MARKER},"))
        home.get_by_role("link", name=TO_BUILDER).click()
        builder = Builder(home)
        expect(builder.shown).to_contain_text(MARKER)
        expect(home).to_have_url(f"{address}prompt/")
        builder.field("code").fill(f"code = {MARKER}")
        builder.template.select_option("shapes")
        assert MARKER in builder.copied()
        assert MARKER not in home.url
    assert any(request.url.endswith("prompts.json") for request in requests)
    home.reload()
    expect(builder.field("code")).to_have_value("")
    expect(builder.field("traceback")).to_have_value("")
    assert MARKER not in builder.text()
    home.go_back()
    home.go_forward()
    assert MARKER not in home.url


def test_copying(open_builder: OpenBuilder) -> None:
    """The command; and a prompt that may not be copied is selected."""
    builder = open_builder(**CLIPBOARD)
    builder.page.get_by_text("Command that prints it").click()
    builder.button("Copy the command").click()
    builder.says("Command copied.")
    command = builder.page.evaluate("navigator.clipboard.readText()")
    assert command == prompt_builder.environment_command(ROOT) and command.startswith('python -c "\nimport platform, ')
    builder.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    builder.field("expected").fill("a <b>loss</b>\n\n  that falls")
    builder.button("Copy the prompt").click()
    builder.says("The prompt is selected")
    assert builder.page.evaluate("getSelection().toString()").rstrip("\n") == builder.text().rstrip("\n")


# --- carried over from the paste box ---

TO_BUILDER = "build a prompt from it"


@pytest.mark.parametrize(
    ("text", "template"),
    [(FAILED, "shapes"), ("\n\nOddError: never seen & 100 % + a=b # 张量 😀", "error-analysis")],
    ids=["known", "unknown"],
)
def test_the_paste_box_hands_its_text_over(text: str, template: str, open_page: OpenPage) -> None:
    page = open_page()
    link = page.get_by_role("link", name=TO_BUILDER)
    expect(link).to_have_count(0)
    page.locator("#paste").fill(text)
    expect(link).to_be_visible()
    page.locator("#paste").fill("  ")
    expect(link).to_have_count(0)
    page.locator("#paste").fill(text)
    link.click()
    builder = Builder(page)
    expect(builder.field("traceback")).to_have_value(text)
    expect(builder.template).to_have_value(template)
    expect(builder.shown).to_contain_text(text.strip().splitlines()[-1])


TYPE = """([id, text]) => {
    const area = document.getElementById(id);
    area.value = text;
    area.dispatchEvent(new Event("input"));
}"""


def test_a_text_too_long_for_an_address_is_handed_over_trimmed(open_page: OpenPage) -> None:
    page = open_page()
    noise = "step=1 loss=0.5 张\n" * 20_000
    for text, trimmed in ((noise + LOG, True), ("x" * 300_000 + MATMUL, False)):
        page.goto(page.url.partition("prompt/")[0])
        page.evaluate(TYPE, ["paste", text])
        link = page.get_by_role("link", name=TO_BUILDER)
        expect(link).to_be_visible(timeout=30_000)
        assert 30 < len((link.get_attribute("href") or "").partition("#")[2]) <= 60_000
        link.click()
        builder = Builder(page)
        expect(builder.template).to_have_value("shapes")
        held = builder.field("traceback").input_value()
        assert held == trim_traceback(text) if trimmed else (len(held) > 10_000 and text.endswith(held))


# --- the way there ---


@pytest.mark.parametrize(
    ("language", "title", "link"),
    [("", "Prompt builder", "Fill one in on this site"), ("zh/", "提示词生成器", "在线填写")],
)
def test_pages_lead_to_the_builder(language: str, title: str, link: str, site: Path) -> None:
    def html(page: str) -> str:
        return (site / language / page / "index.html").read_text(encoding="utf-8")

    assert f'<a href="prompt/">{title}</a>' in html("")
    navigation = html("debug-templates").partition('data-md-component="sidebar"')[2]
    assert 'href="../prompt/"' in navigation and title in navigation
    assert f'<a href="../../prompt/">{link}</a>' in html("debug-templates/prompts")
    for name in PROMPTS:
        assert html(f"debug-templates/prompts/{name}").count(f'href="../../../prompt/#template={name}"') == 1


# --- for everyone ---


def test_what_changes_is_announced_once(open_builder: OpenBuilder) -> None:
    builder = open_builder()
    page = builder.page
    builder.field("traceback").fill(MATMUL)
    builder.says("Known error: ")
    page.evaluate(
        """() => {
            window.changes = 0;
            for (const place of document.querySelectorAll(".prompt-builder [aria-live]")) {
                new MutationObserver(() => window.changes++).observe(place, { childList: true, subtree: true });
            }
        }"""
    )
    builder.field("traceback").press("End")
    page.keyboard.type(" and more")
    expect(builder.shown).to_contain_text("and more")
    assert page.evaluate("window.changes") == 0
    builder.field("code").fill("x")
    expect(builder.open).to_contain_text("3 blanks left:")
    assert page.evaluate("window.changes") > 0


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_button_to_copy_is_always_in_reach(viewport: dict[str, int], open_builder: OpenBuilder) -> None:
    builder = open_builder(viewport=viewport)
    page = builder.page
    copy = builder.button("Copy the prompt")
    expect(copy).to_be_in_viewport(ratio=1)
    builder.field("traceback").fill("x" * 3000 + "\n" + PRIVATE)
    page.locator("details summary").click()
    for template in ("gradients", "torch-compile", "not-learning"):
        builder.template.select_option(template)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], template
        page.locator(".prompt-builder textarea").last.scroll_into_view_if_needed()
        expect(copy).to_be_in_viewport(ratio=1)
    heights = "all => all.filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect().height)"
    assert min(page.locator(".prompt-builder :is(button, select, textarea, label)").evaluate_all(heights)) >= 16
    assert min(page.locator(".prompt-builder-actions button").evaluate_all(heights)) >= 24, "smaller than a finger"


def test_a_text_of_two_megabytes_takes_seconds_not_minutes(script: Prompting) -> None:
    log = f"2026-01-02 step 1 loss 0.53 host: gpu-node7.example.org token={TOKEN} /home/annabel/x.py\n" * 20_000
    started = time.monotonic()
    [made] = script(COMPOSE, [("error-analysis", {TRACEBACK: MATMUL, CODE: log})])
    assert time.monotonic() - started < 20  # 3 s where nothing else runs
    assert made["shortened"] == {CODE: len(log) - LONGEST}
    assert "<secret>" in made["text"] and TOKEN not in made["text"] and len(made["text"]) < 2 * LONGEST


def test_without_javascript_the_page_says_what_to_do(new_page: OpenPage, address: str) -> None:
    page = new_page(java_script_enabled=False)
    for language in ("", "zh/"):
        page.goto(f"{address}{language}prompt/")
        expect(page.locator(".prompt-builder-off")).to_contain_text("torch-errors prompt error-analysis")
        page.locator(".prompt-builder-off").get_by_role("link").click()
        expect(page).to_have_url(f"{address}{language}debug-templates/prompts/")


def test_data_that_cannot_be_loaded_are_told_of(new_page: OpenPage, address: str) -> None:
    page = new_page()
    page.route("**/prompts.json", lambda route: route.abort())
    page.goto(f"{address}prompt/")
    expect(page.get_by_role("alert")).to_contain_text("Could not load")
    page.get_by_role("alert").get_by_role("link").click()
    expect(page).to_have_url(f"{address}debug-templates/prompts/")
