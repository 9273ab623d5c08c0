"""`torch-errors mcp`, asked by the client of the SDK over standard input and output, as assistants ask it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from pydantic_core import to_json

from tests import data
from tests.conftest import ROOT
from tests.guide import CATALOG
from tests.samples import Sample
from torch_errors.languages import in_language
from torch_errors.markdown.parsing import plain_markdown
from torch_errors.mcp_server import Language, Part, get_entry
from torch_errors.prompting.template import EXPLANATION, load_prompts

CHINESE = CATALOG.in_language("zh")
PROMPTS = load_prompts(ROOT)
MATMUL = "matmul-shape-mismatch"
MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"
SECRET = "hf_" + "aB3dE5gH" * 5
TOKENS = 2000  # that an answer may take, as the README of the server's users says


class Asked:
    """A server, and the client that asks it; without `async`, for tests."""

    def __init__(self, client: Client, run: Callable[..., Any]) -> None:
        self.client, self.run = client, run

    def result(self, tool: str, **arguments: Any) -> Any:
        return self.run(self.client.call_tool, tool, arguments)

    def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers. The text for models that read no structured answers is the same."""
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content
        [block] = result.content
        assert json.loads(block.text) == result.structured_content
        assert tokens(block.text) <= TOKENS, (tool, arguments)
        return result.structured_content

    def refusal(self, tool: str, **arguments: Any) -> str:
        result = self.result(tool, **arguments)
        assert result.is_error
        return result.content[0].text


def tokens(text: str) -> float:
    """At most how many tokens a text has: of ASCII three characters are one, of others each."""
    return sum(1 / 3 if char.isascii() else 1 for char in text)


@contextmanager
def asked(command: list[str], folder: Path, errors: Path | None = None) -> Iterator[Asked]:
    """A server that is started in a folder; `errors`: where to write what it prints on standard error."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], cwd=folder)
    with (
        open(errors or folder / "errors.txt", "w", encoding="utf-8") as log,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(parameters, errlog=log))) as client,
    ):
        yield Asked(client, portal.call)


def started(code: str = "") -> list[str]:
    """The command line of a server that runs other code first."""
    path = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    return [sys.executable, "-I", "-c", f"{path}{code}\nfrom torch_errors.cli import main\nmain(['mcp'])"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Within another guide, which the server must not read."""
    return Sample.build(tmp_path_factory.mktemp("project") / "guide").root


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Asked]:
    with asked(started(), folder) as server:
        yield server


# Tools --------------------------------------------------------------------------------------------------------------


def test_it_is_at_most_260_lines() -> None:
    assert len((ROOT / "torch_errors/mcp_server.py").read_text(encoding="utf-8").splitlines()) <= 260


def test_descriptions_say_when_to_use_a_tool_and_when_not(server: Asked) -> None:
    tools = {tool.name: tool for tool in server.run(server.client.list_tools).tools}
    assert list(tools) == ["explain_error", "diagnose_report", "search_entries", "get_entry", "list_categories"]
    for name, tool in tools.items():
        assert "Use it" in tool.description and "\nUse it" in tool.description, name
        assert "Not " in tool.description, name
        assert "Returns `" in tool.description or name == "list_categories"
        assert tool.annotations.read_only_hint and not tool.annotations.open_world_hint
        for argument, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (name, argument)
    assert list(tools["explain_error"].input_schema["properties"])[:2] == ["text", "language"]
    assert list(tools["search_entries"].input_schema["properties"]) == ["query", "kind", "category"]
    assert list(tools["get_entry"].input_schema["properties"])[:3] == ["id", "language", "part"]
    assert list(tools["list_categories"].input_schema["properties"]) == []
    assert tokens(json.dumps([tool.model_dump() for tool in tools.values()])) <= TOKENS


def test_error_is_explained_with_its_numbers(server: Asked) -> None:
    answer = server.answer("explain_error", text=f'  File "train.py", line 7, in f\n    self.fc(x)\n{MESSAGE}')
    [error] = answer["errors"]
    assert error["id"] == MATMUL and "512 features" in error["what_happened"] and "in_features=512" in error["fix"]
    assert error["your_line"] == "train.py:7: self.fc(x)" and (error["line"], answer["pages"]) == (3, 1)
    chinese = server.answer("explain_error", text=MESSAGE, language="zh")["errors"][0]
    assert chinese["title"] == CHINESE.entry(MATMUL).title and "512 个特征" in chinese["what_happened"]


def test_unknown_error_gets_facts_and_no_answer(server: Asked) -> None:
    text = "RuntimeError: the frobnicator of cuda:1 is jammed, wants torch.float16"
    answer = server.answer("explain_error", text=text)
    assert answer["errors"] == [] and "no entry matches" in answer["next"]
    assert answer["facts"]["exception"] == "RuntimeError" and "cuda:1" in str(answer["facts"]["devices"])
    near = server.answer("explain_error", text="the learning rate seems wrong, my training overshoots")
    assert near["errors"] == [] and near["guesses"][0]["id"] == "learning-rate-too-high"
    told = server.answer("explain_error", text="my loss is not decreasing")
    assert [one["id"] for one in told["symptoms"]] == ["loss-does-not-fall"] and len(told["guesses"]) == 3


def test_search_finds_entries_and_the_causes_of_symptoms(server: Asked) -> None:
    answer = server.answer("search_entries", query="the GPU memory grows with every training step")
    [symptom] = [one for one in answer["symptoms"] if one["id"] == "memory-grows"]
    expected = [entry.id for entry, _ in CATALOG.causes(next(s for s in CATALOG.symptoms if s.id == "memory-grows"))]
    assert symptom["causes"] == expected and symptom["workflow"] == "out-of-memory"
    assert "retained-graph-leak" in [one["id"] for one in answer["entries"]]

    def found(**narrowed: str) -> list[tuple[str, str]]:
        rows = server.answer("search_entries", query="the loss is nan after some steps", **narrowed)["entries"]
        return [(row["kind"], row["category"]) for row in rows]

    assert len(set(found())) > 2
    assert {kind for kind, _ in found(kind="exception")} == {"exception"}
    assert set(found(kind="silent", category="mixed-precision")) == {("silent", "mixed-precision")}
    nothing = server.answer("search_entries", query="显存不足")
    chinese = server.answer("search_entries", query="显存不足")
    assert chinese["entries"][0]["id"] == "cuda-out-of-memory" and chinese["symptoms"][0]["id"] == "memory-grows"
    nothing = server.answer("search_entries", query="zzz qqq")
    assert nothing["entries"] == nothing["symptoms"] == [] and "other words" in nothing["next"]


def test_entry_is_read_in_parts(server: Asked) -> None:
    entry = CATALOG.entry(MATMUL)
    broken = server.answer("get_entry", id=MATMUL, part="broken")
    assert broken["text"].startswith(f"```python\n{entry.script('broken').read_text(encoding='utf-8')}```")
    assert entry.recording("broken").read_text(encoding="utf-8").splitlines()[-1] in broken["text"]
    fixed = server.answer("get_entry", id=MATMUL, part="fixed")
    assert entry.script("fixed").read_text(encoding="utf-8") in fixed["text"]
    fix = server.answer("get_entry", id=MATMUL, part="fix")
    assert entry.diff() in fix["text"] and fix["next"] == "all shown"
    assert fix["versions"]["2.6"].startswith("held: RuntimeError: mat1") and fix["versions"]["2.7"] == "held"
    chinese = server.answer("get_entry", id=MATMUL, language="zh")
    assert chinese["entry"]["title"] == CHINESE.entry(MATMUL).title


# Scripts are the same in both languages.
PARTS = [("en", ["page", "broken", "fixed", "fix"]), pytest.param("zh", ["page", "fix"], marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize(("language", "parts"), PARTS, ids=["en", "zh"])
def test_every_entry_is_readable_in_short_pages(language: Language, parts: list[Part], exhaustive: bool) -> None:
    """All pages of a part, as `next` leads through them. In this process: what the server adds is the same for all."""
    for entry, part in product(list(CATALOG)[:: 1 if exhaustive else 5], parts):
        text, page, pages = "", 0, 1
        while page < pages:
            page += 1
            answer = get_entry(entry.id, language, part, page)
            text, pages = text + answer["text"], answer["pages"]
            assert tokens(to_json(answer, indent=2).decode()) <= TOKENS, (entry.id, part, page)
            assert answer["page"] == page and (f"{page + 1}) goes on" in answer["next"]) == (page < pages)
        if part == "page":
            source = in_language(entry.page, language).read_text(encoding="utf-8")
            assert text == plain_markdown(source), entry.id
        assert len(text) > 50, (entry.id, part)


@pytest.mark.exhaustive  # builds the wheel
def test_wheel_has_every_page_and_script(wheel_python: Path) -> None:
    """That its server answers: tools/try_installed.py."""
    where = "from torch_errors.catalog.locate import own_root; print(own_root())"
    root = subprocess.run([wheel_python, "-I", "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    for path in [
        *CATALOG.workflows.values(),
        *(path for entry in CATALOG for pattern in ("*.*", "recorded/*") for path in entry.folder.glob(pattern)),
    ]:
        assert (root / path.relative_to(ROOT)).read_bytes() == path.read_bytes()


def test_categories_are_listed(server: Asked) -> None:
    answer = server.answer("list_categories")
    assert list(answer["categories"]) == [category.id for category in CATALOG.categories]
    assert list(answer["symptoms"]) == [symptom.id for symptom in CATALOG.symptoms]


@pytest.mark.parametrize(
    "text",
    [
        f'File "{"x" * 9000}.py", line 7, in f\n    {"y" * 50_000}\n{MESSAGE}',
        "\n".join(f"Traceback (most recent call last):\n{MESSAGE.replace('512', str(n))}\n" for n in range(600, 640)),
        f"RuntimeError: {'中文' * 5000}",
        f"AttributeError: '{'网' * 900}' object has no attribute 'x'",
        f'File "{"路" * 900}.py", line 7, in f\n    {"行" * 5000}\n{MESSAGE}',
        f"RuntimeError: shape '[{', '.join(['7'] * 3000)}]' is invalid for input of size 5",
        "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
        + ", ".join(f'"layer{n}.weight"' for n in range(2000)),
        'File "a.py", line 7, in f\n    ' + "z" * 50_000 + "\nValueError: unheard of",
    ],
    ids=["long line", "many errors", "Chinese", "Chinese names", "Chinese path", "long shape", "many keys", "unknown"],
)
def test_answer_stays_short_whatever_is_pasted(server: Asked, text: str) -> None:
    answer = server.answer("explain_error", text=text, language="zh")
    for page in range(2, answer.get("pages", 1) + 1):
        assert server.answer("explain_error", text=text, language="zh", page=page)["errors"]


def test_every_search_stays_short(server: Asked) -> None:
    for symptom in CATALOG.symptoms:
        answer = server.answer("search_entries", query=f"{symptom.summary} {' '.join(symptom.keywords)}")
        assert answer["entries"] and symptom.id in [one["id"] for one in answer["symptoms"]]


@pytest.mark.parametrize(
    ("tool", "arguments", "remedy"),
    [
        ("explain_error", {}, "text: Field required"),
        ("explain_error", {"text": ""}, "text: String should have at least 1 character"),
        ("explain_error", {"text": [SECRET]}, "text: Input should be a valid string"),
        ("explain_error", {"traceback": SECRET}, "no argument traceback; it has text, language, page"),
        ("explain_error", {"text": SECRET, "language": SECRET}, "language: Input should be 'en' or 'zh'"),
        ("explain_error", {"text": MESSAGE, "page": 2}, "ask for a page from 1 to 1"),
        ("search_entries", {"query": "memory", "kind": "error"}, "kind: Input should be 'exception', 'warning' or 's"),
        ("search_entries", {"query": "memory", "category": "memory"}, "did you mean memory-issues"),
        ("get_entry", {"id": "matmul-shapes"}, f"did you mean {MATMUL}"),
        ("get_entry", {"id": "///"}, "search_entries and list_categories return ids"),
        ("get_entry", {"id": MATMUL, "part": "fixes"}, "part: Input should be 'page', 'broken', 'fixed' or 'fix'"),
        ("get_entry", {"id": MATMUL, "page": 0}, "page: Input should be greater than or equal to 1"),
    ],
)
def test_bad_arguments_get_an_error_that_names_the_remedy(
    server: Asked, tool: str, arguments: dict[str, Any], remedy: str
) -> None:
    said = server.refusal(tool, **arguments)
    assert remedy in said and SECRET not in said and "pydantic" not in said


# Prompts and resources ----------------------------------------------------------------------------------------------


def test_prompts_are_those_of_the_guide_with_their_blanks(server: Asked) -> None:
    found = {prompt.name: prompt for prompt in server.run(server.client.list_prompts).prompts}
    assert list(found) == list(PROMPTS)
    for name, prompt in PROMPTS.items():
        arguments = {one.name: one.description for one in found[name].arguments}
        assert arguments.pop("language") and arguments.pop(EXPLANATION, None) is None
        assert arguments == {blank: what for blank, what in prompt.blanks.items() if blank != EXPLANATION}
        values = {blank: f"value of {blank}" for blank in arguments}
        [message] = server.run(server.client.get_prompt, name, values).messages
        assert "<<" not in message.content.text and all(value in message.content.text for value in values.values())


def test_prompt_quotes_the_guide_and_has_no_secrets(server: Asked) -> None:
    values = {"traceback": f"{MESSAGE}\ntoken = {SECRET}", "language": "zh"}
    [message] = server.run(server.client.get_prompt, "error-analysis", values).messages
    text = message.content.text
    assert "in_features=512" in text and SECRET not in text and "<secret>" in text
    assert text.startswith("你是") and "特征" in text and "最小改动：" in text and "原因（数字" in text
    with pytest.raises(MCPError, match="no blank error; it has traceback, "):
        server.run(server.client.get_prompt, "error-analysis", {"error": SECRET})


def test_every_page_is_a_resource(server: Asked) -> None:
    found = server.run(server.client.list_resources).resources
    assert [one.name for one in found] == [*CATALOG.by_id, *(f"workflow-{name}" for name in CATALOG.workflows)]
    assert all(one.title and one.mime_type == "text/markdown" for one in found)
    for uri, page, language in [
        (found[0].uri, CATALOG.entry(found[0].name).page, "en"),
        ("torch-errors://en/workflow-overfitting", CATALOG.workflows["overfitting"], "en"),  # an entry's name, too
        ("torch-errors://en/overfitting", CATALOG.entry("overfitting").page, "en"),
        (f"torch-errors://zh/{MATMUL}", CATALOG.entry(MATMUL).page, "zh"),
    ]:
        [content] = server.run(server.client.read_resource, uri).contents
        assert content.text == plain_markdown(in_language(page, language).read_text(encoding="utf-8"))
    for wrong in ("torch-errors://en/..%2F..%2Fsetup", "torch-errors://en/nowhere"):
        with pytest.raises(MCPError):
            server.run(server.client.read_resource, wrong)


# What it leaves alone -----------------------------------------------------------------------------------------------


# Stops, and says on standard error, what the server must not do from its first request on: everything but reading the
# files of Python and of the guide.
WATCHED = """
import os, sys
ALLOWED = tuple(os.path.realpath(one) for one in (sys.prefix, sys.base_prefix, {guide!r}, os.devnull))
FORBIDDEN = ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec",
             "os.posix_spawn", "os.fork", "os.remove", "os.rename", "os.mkdir", "shutil.", "ctypes.dlopen")
def forbid(event, arguments):
    bad = event.startswith(FORBIDDEN)
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        writes = arguments[1] not in (None, "r", "rb", "rt") if arguments[1] else arguments[2] & 3 not in (0, None)
        bad = writes or not os.path.realpath(os.fsdecode(arguments[0])).startswith(ALLOWED)
    if bad:
        sys.stderr.write(f"FORBIDDEN {{event}} {{arguments}}\\n")
        raise PermissionError(event)
import torch_errors.mcp_server
sys.addaudithook(forbid)
right = torch_errors.mcp_server.explain
torch_errors.mcp_server.explain = lambda text, *rest: exec(text[6:]) if text[:6] == "plant " else right(text, *rest)
"""
# Each a way to break the promise, in place of what `explain` does.
PLANTED = [
    ("open", "open('/etc/hostname').read()"),
    ("open", "open('secrets.txt', 'w')"),
    ("socket.connect", "import socket; socket.socket().connect(('127.0.0.1', 9))"),
    ("subprocess.Popen", "import subprocess; subprocess.run(['true'])"),
]


def use_everything(server: Asked) -> None:
    """A call of each tool, prompt and kind of resource, and calls that fail."""
    for text in (MESSAGE, f"{MESSAGE}\ntoken = {SECRET}", f"KeyError: {SECRET}", f"password={SECRET}"):
        server.result("explain_error", text=text)
    server.result("explain_error", text=[SECRET])
    server.result("explain_error", **{SECRET: SECRET})
    server.result("search_entries", query=f"loss nan {SECRET}", category=SECRET)
    server.result("search_entries", query=f"loss nan {SECRET}")
    for part in ("page", "broken", "fixed", "fix", SECRET):
        server.result("get_entry", id=MATMUL, part=part)
    server.result("get_entry", id=SECRET)
    server.result("list_categories")
    server.result(SECRET)
    server.run(server.client.list_resources)
    for argument in ("traceback", "error", "language"):
        with suppress(MCPError):
            server.run(server.client.get_prompt, "quick", {argument: SECRET})
    for id in (MATMUL, SECRET):
        with suppress(MCPError):
            server.run(server.client.read_resource, f"torch-errors://zh/{id}")


def test_it_runs_nothing_reads_only_the_guide_connects_nowhere_and_logs_nothing(folder: Path) -> None:
    errors = folder / "watched.txt"
    with asked(started(WATCHED.format(guide=str(ROOT))), folder, errors) as server:
        use_everything(server)
        answer = server.answer("explain_error", text=f"{MESSAGE} {SECRET}")
        assert answer["errors"] and SECRET not in str(answer)
        assert errors.read_text(encoding="utf-8") == ""
        # So that this cannot pass because nothing is watched.
        for event, planted in PLANTED:
            already = errors.read_text(encoding="utf-8")
            assert server.refusal("explain_error", text=f"plant {planted}")
            assert f"FORBIDDEN {event} " in errors.read_text(encoding="utf-8").removeprefix(already)


# A defect of ours that has the text in its message.
DEFECT = "import torch_errors.mcp_server\ndef planted(text, *rest):\n    raise KeyError(text)\n"
DEFECT += "torch_errors.mcp_server.explain = planted\n"


def test_secrets_are_not_logged_even_by_a_defect(folder: Path) -> None:
    errors = folder / "log.txt"
    with asked(started(DEFECT), folder, errors) as server:
        use_everything(server)
        assert SECRET not in str(server.result("explain_error", text=SECRET))
    assert errors.read_text(encoding="utf-8") == ""


def test_a_log_would_hold_the_secret(folder: Path) -> None:
    """So that the test above cannot pass because the SDK logs nothing of a defect."""
    errors = folder / "logged.txt"
    code = DEFECT + "from mcp.server.mcpserver.utilities import logging\nimport mcp.server.mcpserver.server as sdk\n"
    code += "sdk.configure_logging = lambda level: logging.configure_logging('INFO')\n"
    with asked(started(code), folder, errors) as server:
        server.result("explain_error", text=SECRET)
    assert SECRET in "".join(errors.read_text(encoding="utf-8").split())


def test_without_the_sdk_it_says_what_to_install(folder: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None\n"
    done = subprocess.run(started(code), cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == "torch-errors: mcp needs the SDK of the protocol: pip install 'torch-errors[mcp]'\n"


# What assistants are asked -------------------------------------------------------------------------------------------

AT_LEAST = 28  # of the questions


def test_first_call_finds_the_entry(server: Asked) -> None:
    """As the first error of an explanation; in a search among its entries, or the causes of its symptoms."""
    questions, missed = data("assistant_questions.yaml"), []
    told = {word for entry in CATALOG for word in entry.fields.keywords}
    assert len({question["asked"] for question in questions} - told) == 30
    for question in questions:
        if question["tool"] == "explain_error":
            answer = server.answer("explain_error", text=question["asked"], language=question.get("language", "en"))
            found = [error["id"] for error in answer["errors"][:1]]
        else:
            answer = server.answer("search_entries", query=question["asked"])
            found = [one["id"] for one in answer["entries"]]
            found += [cause for symptom in answer["symptoms"] for cause in symptom["causes"]]
        if not {question["entry"], *question.get("or", [])} & set(found):
            missed.append((question["asked"][:60], question["entry"], found))
    assert len(questions) - len(missed) >= AT_LEAST, missed
