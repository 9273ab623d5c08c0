"""The pages of prompts, their recorded examples, and the command that fills prompts in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests import data, pastes
from tests.conftest import ROOT
from tests.guide import CATALOG
from tests.pastes import CAUSE, HANDLING, LOG, NOTEBOOK, ON_THE_WAY, boxed, raised, wrapped
from torch_errors.cli import main
from torch_errors.doctor.diagnosis import diagnose_report
from torch_errors.doctor.interpreter import other_interpreter, this_interpreter
from torch_errors.doctor.reports import TITLE
from torch_errors.errors import UserError
from torch_errors.explaining.explain import explain
from torch_errors.markdown.parsing import parse_page
from torch_errors.paste.facts import facts
from torch_errors.paste.frames import UserLine
from torch_errors.prompting.compose import compose
from torch_errors.prompting.environment import collect_environment
from torch_errors.prompting.excerpt import code_around, code_lines, find_source, trim_traceback
from torch_errors.prompting.template import (
    BLANK,
    CODE,
    ENVIRONMENT,
    EXPLANATION,
    TRACEBACK,
    Prompt,
    load_prompt,
    load_prompts,
    read_prompt,
    without_section,
)
from torch_errors.running.recordings import Recording

PROGRAMS = data("programs.yaml")["prompts"]

PROMPTS = load_prompts(ROOT)
FOLDER = ROOT / "debug-templates" / "prompts"
SECTIONS = ["When to use it", "The prompt", "The blanks", "Filled in", "Related"]


# The pages ---------------------------------------------------------------------------------------------------------


def test_readme_lists_every_prompt():
    targets = [target for _, target in parse_page(FOLDER / "README.md").links]
    assert {f"{name}.md" for name in PROMPTS} <= set(targets)


@pytest.mark.parametrize("name", PROMPTS)
def test_every_blank_is_explained(name):
    """The table lists the blanks in the order of the prompt, with what to put there and why it helps."""
    page = parse_page(FOLDER / f"{name}.md")
    assert [text for level, text in page.headings if level == 2] == SECTIONS
    rows = re.findall(r"^\| `(\w+)` \| .+? \| .+? \|$", page.section("The blanks"), re.M)
    assert rows == list(PROMPTS[name].blanks)


@pytest.mark.parametrize("name", PROMPTS)
def test_prompt_asks_for_what_an_answer_needs(name):
    prompt = PROMPTS[name]
    assert ENVIRONMENT in prompt.blanks
    assert {TRACEBACK, CODE} & set(prompt.blanks)
    assert "<<" not in BLANK.sub("", prompt.text), "a blank that is not well formed"
    assert re.search(r"^1\. ", prompt.text, re.M), "numbered requests"
    assert re.match(r"You are|Act as", prompt.text), "the role comes first"


def _as_pattern(text: str) -> str:
    """A regular expression for the prompt with any text in its blanks and any boxes ticked."""
    parts = BLANK.split(text)
    texts = [re.escape(part).replace(re.escape("- [ ]"), r"- \[[ x]\]") for part in parts[0::3]]
    return texts[0] + "".join(f"(?P<{name}>.*?){after}" for name, after in zip(parts[1::3], texts[1:], strict=True))


@pytest.mark.parametrize("name", PROMPTS)
def test_example_is_the_prompt_filled_in_from_a_recording(name):
    prompt = PROMPTS[name]
    page = parse_page(FOLDER / f"{name}.md")
    (fence,) = [fence for fence in page.fences if "filled" in fence.attributes]
    text = fence.text.strip("\n") + "\n"
    match = re.fullmatch(_as_pattern(prompt.text), text, re.S) or re.fullmatch(
        _as_pattern(without_section(prompt.text, EXPLANATION)), text, re.S
    )
    assert match, "the example differs from the prompt outside of its blanks"
    values = match.groupdict()
    assert not BLANK.search(text), "a blank was left in the example"
    source = fence.attributes["filled"]
    if source.startswith("examples/"):
        script, recording = FOLDER / f"{source}.py", Recording.load(FOLDER / f"{source}.out")
    else:
        entry = CATALOG.entry(source)
        script, recording = entry.script("broken"), Recording.load(entry.recording("broken"))
    assert _squeezed(values.get(TRACEBACK, "")) in _squeezed(recording.body)
    assert _squeezed(values.get(CODE, "")) in _squeezed(script.read_text())
    assert recording.torch in values[ENVIRONMENT] and recording.device in values[ENVIRONMENT]
    assert (values.get(TRACEBACK) or values.get(CODE) or "").strip()


def _squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.exhaustive  # starts processes and a compiler
@pytest.mark.parametrize("script", sorted((FOLDER / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example_script_still_fails_as_recorded(script):
    recording = Recording.load(script.with_suffix(".out"))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == recording.status != 0
    # Ranks print in any order, so only the types of errors are compared.
    kinds = r"^\S*?([A-Z]\w*(?:Error|Exception|Unsupported))\b"
    assert set(re.findall(kinds, done.stdout + done.stderr, re.M)) == set(re.findall(kinds, recording.body, re.M))


# Filling in ----------------------------------------------------------------------------------------------------------

PAGE = PROGRAMS["page"]


@pytest.fixture
def prompt() -> Prompt:
    return read_prompt(parse_page(Path("small.md"), PAGE))


def test_prompt_is_read(prompt):
    assert (prompt.name, prompt.title, prompt.summary) == ("small", "A title", "When to use it.")
    assert prompt.blanks == {
        "traceback": "all of it",
        "explanation": "what is known, or delete this section",
        "question": "yours",
        "code": "indented",
    }


@pytest.mark.parametrize(
    ("values", "filled"),
    [
        # Without an explanation, its section is removed; other blanks without a value stay.
        ({"traceback": "Boom"}, "```text\nBoom\n```\n\n## Questions\n\n1. <<question: yours>>"),
        ({"explanation": "Known."}, "## Reference\n\nKnown.\n"),
        # The indentation of a blank is kept, and a value with a fence does not end the one around it.
        ({"code": "one\ntwo"}, "\n    one\n    two\n"),
        ({"traceback": "a\n```\nb"}, "````text\na\n```\nb\n````\n"),
        # Group references and blanks inside a value have no meaning.
        ({"question": r"\1 \g<0> <<code: x>>"}, r"\1 \g<0> <<code: x>>"),
    ],
)
def test_values_are_filled_in(values, filled, prompt):
    assert filled in prompt.fill(values)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("````text prompt", "````text", "must hold one fence"),
        ("# A title", "A title", "needs a title"),
    ],
)
def test_page_without_a_prompt_is_refused(old, new, says):
    with pytest.raises(UserError, match=says):
        read_prompt(parse_page(Path("small.md"), PAGE.replace(old, new)))


def test_unknown_prompt_suggests_the_nearest():
    with pytest.raises(UserError, match=r"did you mean .*gradients"):
        load_prompt("gradient", ROOT)


# Trimming a traceback -----------------------------------------------------------------------------------------


def test_trimming_keeps_the_users_frames_and_the_error():
    text = trim_traceback(ON_THE_WAY["colours"](LOG))
    assert text.startswith("Traceback") and "old.py" not in text and "step" not in text
    assert "train.py" in text and "model.py" in text and "self.fc(x)" in text
    assert text.count("site-packages") == 0
    assert "[... 2 frames inside torch left out ...]" in text and "[... 1 frame inside torch left out ...]" in text
    assert 'File "torch/nn/modules/linear.py", line 3' in text
    assert text.endswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")


FETCHED = '  File "data.py", line 9, in __getitem__\n    return torch.stack(parts)\n'


@pytest.mark.parametrize(
    "text",
    [
        raised("IndexError: out") + HANDLING + raised("ValueError: bad"),
        raised("IndexError: out") + CAUSE + raised("ValueError: bad"),
        raised("RuntimeError: Caught RuntimeError in DataLoader worker process 0.")
        + f"Original {raised('RuntimeError: stack expects each tensor to be equal size', FETCHED)}",
    ],
    ids=["handling", "cause", "worker"],
)
def test_trimming_keeps_a_chain_and_the_error_of_a_worker(text):
    assert trim_traceback(f"noise\n{text}") == text.rstrip()


@pytest.mark.parametrize(
    "text", ["{0}\n{0}\nnoise\n{1}", "\n\nnoise\x0c{0}\r\nnoise\r{1}"], ids=["plain", "other line ends"]
)
def test_trimming_keeps_the_line_that_cuda_printed_before(text):
    """Lines are counted as in the explanation, with empty lines before the text and all kinds of line ends."""
    assertion = "Indexing.cu:1: block: [0,0,0], thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed."
    text = text.format(assertion, LOG)
    assert trim_traceback(text, explain(text, ROOT)[0].line).startswith(assertion + "\nTraceback")


def test_text_without_traceback_is_kept_to_its_end():
    text = "\n".join(f"line {number}" for number in range(100))
    trimmed = trim_traceback(text)
    assert trimmed.endswith("line 99") and "line 39" not in trimmed and "40 lines left out" in trimmed


def test_long_message_is_cut():
    text = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n' + "x\n" * 500
    assert len(trim_traceback(text).splitlines()) < 50


def test_trimmed_recordings_are_still_explained():
    """Trimming keeps what identifies the error."""
    for entry in [entry for entry in CATALOG if entry.kind == "exception" and entry.recording("broken").is_file()]:
        text = entry.recording("broken").read_text()
        match = explain(text, ROOT)[0]
        trimmed = trim_traceback(text, match.line)
        assert [found.id for found in explain(trimmed, ROOT)[:1]] == [match.id], trimmed


def _must_be_trimmed(text: str) -> None:
    trimmed = trim_traceback(text)
    assert "left out" in trimmed and len(trimmed) < len(text)
    # Without spaces: if a line fills its box, a space at the edge cannot be detected.
    assert "mat1andmat2shapescannotbemultiplied(32x100" in "".join(trimmed.split()[-20:])
    assert "_wrapped_call_impl" not in trimmed and "F.linear(input, self.weight, self.bias)" in trimmed


def test_frames_of_a_notebook():
    _must_be_trimmed(NOTEBOOK)
    source = "return self.head(self.features(images)[:, :100])"
    text = NOTEBOOK.replace("Cell In[1], line 9,", "File ~/thesis/model.py:9,")
    assert facts(text).frame == UserLine("~/thesis/model.py", 9, "Classifier.forward", source)


def test_frames_are_found_wherever_the_edge_of_a_box_breaks_them(monkeypatch):
    """The position depends on the folder in which torch is installed; every second position is tried."""
    import torch
    from rich.syntax import Syntax

    highlighted: dict[object, Any] = {}
    highlight = Syntax.highlight

    def highlight_once(syntax, code, lines=None):  # highlighting whole modules takes ten times as long as the rest
        key = (code, lines)
        highlighted[key] = highlighted.get(key) or highlight(syntax, code, lines)
        return highlighted[key].copy()

    monkeypatch.setattr(Syntax, "highlight", highlight_once)
    longest = len(f"{torch.nn.modules.module.__file__}:1787 in _wrapped_call_impl")
    for width in range(max(64, longest - 28), longest + 6, 2):  # narrower boxes also cut the source
        text = boxed(width)
        _must_be_trimmed(text)
        place = facts(text).frame
        assert place and (Path(place.file).name, place.code) == ("pastes.py", "model(torch.ones(32, 100))")
        assert Path(pastes.__file__).read_text(encoding="utf-8").splitlines()[place.line - 1].strip() == place.code


TOO_DEEP = "RecursionError: maximum recursion depth exceeded"


@pytest.mark.parametrize(
    ("program", "last", "says"),
    [
        ("direct", TOO_DEEP, r"\[Previous line repeated"),
        ("cycle", TOO_DEEP, r"\[\.\.\. \d{3,} frames left out \.\.\.\]"),
        ("chain", "RuntimeError: level 40", r"(?s)ValueError: no step.*\[\.\.\. 39 exceptions of this chain left out"),
    ],
)
def test_an_endless_recursion_is_trimmed(program, last, says, tmp_path):
    """For a function that calls itself, a cycle through PyTorch, and a chain of exceptions."""
    script = tmp_path / "train.py"
    script.write_text(PROGRAMS[program])
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False).stderr
    trimmed = trim_traceback(printed)
    assert last in trimmed.splitlines()[-1] and re.search(says, trimmed)
    assert len(trimmed.splitlines()) < 60, trimmed


@pytest.mark.parametrize(
    ("breaks", "width"),
    [
        *((breaks, width) for breaks in ("in words", "as Vim shows it") for width in (60, 72, 80, 100)),
        ("at spaces", 80),
    ],
)
@pytest.mark.parametrize("edge", ["nothing", "quote", "rank"])
def test_broken_frames_are_understood(edge, breaks, width):
    text = wrapped(LOG, width, breaks, edge)
    assert facts(text).frame == UserLine("/home/x/model.py", 7, "forward", "return self.fc(x)")
    trimmed = trim_traceback(text)
    assert trimmed.count("left out") == 2 and 'File "torch/nn/modules/linear.py", line 3, in forward' in trimmed


# Code around the error ------------------------------------------------------------------------------------------------

MODEL = PROGRAMS["model"]


def test_source_is_found_in_a_project_that_was_moved(tmp_path):
    path = tmp_path / "pkg" / "model.py"
    path.parent.mkdir()
    path.write_text(MODEL)
    assert find_source(UserLine("/elsewhere/project/pkg/model.py", 9, None, "return self.fc(x)"), tmp_path) == path
    assert find_source(UserLine(r"C:\elsewhere\pkg\model.py", 9, None, "return self.fc(x)"), tmp_path) == path
    for file, line in (
        ("/elsewhere/pkg/model.py", 8),
        ("/elsewhere/pkg/model.py", 900),
        ("\0", 9),
    ):  # the file has changed
        assert find_source(UserLine(file, line, None, "return self.fc(x)"), tmp_path) is None


@pytest.mark.parametrize(
    ("source", "line", "first", "there", "not_there"),
    [
        (MODEL, 9, "# {path}", ["import torch", "self.fc(x)  # <-- the traceback ends here"], []),
        (MODEL + "\n" * 200, 9, "# {path}, lines 3 to 9", ["class Model", "__init__"], ["import"]),
        (MODEL + "\n    x = 1" * 200, 9, "# {path}, lines 7 to 9", ["@property"], ["__init__"]),
        (
            "\n".join(f"%magic {number}" for number in range(1, 301)),
            150,
            "# {path}, lines 130 to 170",
            ["%magic 150  # <--"],
            ["%magic 129", "%magic 171"],
        ),
    ],
    ids=["a short file", "the class in a long file", "the function in a long class", "near, where there is neither"],
)
def test_code_around_a_line(source, line, first, there, not_there, tmp_path):
    path = tmp_path / "model.py"
    path.write_text(source)
    text = code_around(path, line)
    assert text.splitlines()[0] == first.format(path=path)
    assert [part for part in there if part not in text] == [part for part in not_there if part in text] == []


def test_code_by_lines(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    assert code_lines(path, 3, 4).splitlines()[1:] == MODEL.splitlines()[2:4]
    for first, last in ((0, 3), (4, 3), (5, 10)):
        with pytest.raises(UserError, match="has lines 1 to 9"):
            code_lines(path, first, last)
    path.write_text("\n" * 500)
    with pytest.raises(UserError, match="--lines A-B"):
        code_lines(path, None, None)


# The environment -------------------------------------------------------------------------------------------------


def _environment_with(torch_source: str, tmp_path, monkeypatch) -> str:
    """The environment that is collected if `torch` has this source."""
    (tmp_path / "torch.py").write_text(torch_source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return collect_environment(this_interpreter())


def test_environment_is_the_report_of_doctor():
    import platform

    text = collect_environment()
    assert text.startswith(TITLE)
    assert re.search(r"^torch: \d+\.\d+", text, re.M)
    for line in (f"python: {platform.python_version()}", "nvidia_device: ", "cuda_available: "):
        assert f"\n{line}" in text, line
    assert diagnose_report(text).facts.values["torch"] in text


def test_environment_without_torch(tmp_path):
    venv.create(tmp_path, symlinks=os.name != "nt")
    [interpreter, *_] = [path for path in tmp_path.glob("*/python*") if path.is_file()]
    text = collect_environment(other_interpreter(str(interpreter), os.environ))
    assert "\ntorch_missing: yes" in text
    assert "import_error: ModuleNotFoundError: No module named 'torch'" in text


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("raise ImportError('libcudart.so.12: cannot open shared object file')", "libcudart.so.12: cannot open"),
        ("import os; os.abort()", "ended Python with status -6"),
        ("raise SystemExit(3)", "ended Python with status 3"),
        ("x = 1", "AttributeError"),
    ],
)
def test_environment_with_a_broken_torch(source, says, tmp_path, monkeypatch):
    text = _environment_with(source, tmp_path, monkeypatch)
    [error] = re.findall(r"^import_error: (.*)", text, re.M)
    assert says in error
    assert "import-fails" in [finding.id for finding in diagnose_report(text).findings]


def test_environment_with_a_torch_that_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr("torch_errors.doctor.interpreter.IMPORT_SECONDS", 1)
    assert "did not end within 1 s" in _environment_with("import time; time.sleep(60)", tmp_path, monkeypatch)


# The command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A project whose script has failed, with its output in error.txt."""
    folder = tmp_path / "home" / "annabel" / "thesis"
    folder.mkdir(parents=True)
    entry = CATALOG.entry("matmul-shape-mismatch")
    (folder / "train.py").write_text(entry.script("broken").read_text() + "\nHF_TOKEN = 'not-a-real-token-123'\n")
    printed = Recording.load(entry.recording("broken")).body.replace('"broken.py"', f'"{folder}/train.py"')
    (folder / "error.txt").write_text("epoch 1 by annabel\n" + printed)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("torch_errors.prompting.compose.collect_environment", lambda: "torch: 2.0 of a test")
    return folder


def test_prompt_is_filled_from_a_real_traceback(project, capsys):
    assert main(["prompt", "error-analysis", "--traceback", "error.txt"]) == 0
    out, err = capsys.readouterr()
    assert "mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)" in out
    assert "return self.fc(features.flatten(1))  # error  # <-- the traceback ends here" in out
    assert "2304" in out and "Smallest fix:" in out and "matmul-shape-mismatch" in out
    assert "torch: 2.0 of a test" in out
    assert "<<traceback:" not in out and "<<expected:" in out
    assert "fill in: expected" in err and "quotes what the guide says of matmul-shape-mismatch" in err


def test_lines_of_code(project, capsys):
    assert main(["prompt", "error-analysis", "--code", "train.py", "--lines", "5-6"]) == 0
    out, _ = capsys.readouterr()
    assert "# train.py, lines 5 to 6\nclass DigitClassifier" in out and "self.pool" not in out


def test_nothing_private_is_printed_unless_asked_for(project, capsys):
    main(["prompt", "error-analysis", "--traceback", "error.txt", "--code", "train.py"])
    out, err = capsys.readouterr()
    assert "annabel" not in out and "not-a-real-token" not in out and "redacted: " in err
    main(["prompt", "error-analysis", "--traceback", "error.txt", "--code", "train.py", "--no-redact"])
    out, err = capsys.readouterr()
    assert "not-a-real-token-123" in out and "redacted" not in err


def test_user_names_of_the_traceback_are_redacted_in_the_code(project, monkeypatch, capsys):
    """Also if the traceback is from a different machine."""
    monkeypatch.setattr("torch_errors.prompting.compose.local_names", dict)
    Path("other.txt").write_text(
        'Traceback (most recent call last):\n  File "/home/bertrand/x.py", line 1\nOddError: x\n'
    )
    Path("other.py").write_text("owner = 'bertrand'\n")
    main(["prompt", "error-analysis", "--traceback", "other.txt", "--code", "other.py"])
    out, _ = capsys.readouterr()
    assert "owner = '<user>'" in out


def test_traceback_comes_from_standard_input(project, tmp_path, monkeypatch):
    (tmp_path / "torch.py").touch()  # a stand-in from which the environment is collected
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    command = "import sys; from torch_errors.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", command, "prompt", "error-analysis", "--traceback", "-"],
        input=(project / "error.txt").read_bytes(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and b"32x2304" in done.stdout


def test_unknown_error_has_no_reference(project, capsys):
    Path("error.txt").write_text('Traceback (most recent call last):\n  File "x.py", line 1\nOddError: never seen\n')
    assert main(["prompt", "error-analysis", "--traceback", "error.txt"]) == 0
    out, _ = capsys.readouterr()
    assert "OddError: never seen" in out and "guide" not in out and "<<explanation" not in out
    assert "<<code:" in out, "the file is not there, so the reader has to"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["error-analysis", "--traceback", "no-such-file"], "no-such-file: cannot be read"),
        (["error-analysis", "--code", "no-such-file"], "no-such-file: cannot be read"),
        (["error-analysis", "--code", "train.py", "--lines", "900-901"], "has lines 1 to"),
        (["error-analysis", "--lines", "1-2"], "--lines needs the file"),
    ],
)
def test_bad_input_is_reported_in_one_line(arguments, says, project, capsys):
    assert main(["prompt", *arguments]) == 2
    out, err = capsys.readouterr()
    assert says in err and not out and err.count("\n") == 1


@pytest.mark.parametrize("lines", ["x", "3-", "-3", "3-y"])
def test_invalid_ranges_of_lines_are_refused(lines, project, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["prompt", "error-analysis", "--code", "train.py", f"--lines={lines}"])
    assert ended.value.code == 2 and "not a range of lines" in capsys.readouterr().err


def test_traceback_is_refused_by_prompts_without_a_blank_for_it():
    for prompt in [prompt for prompt in PROMPTS.values() if TRACEBACK not in prompt.blanks]:
        with pytest.raises(UserError, match=r"has no place for --traceback; these have: .*error-analysis"):
            compose(prompt, ROOT, traceback="x")


def test_prompts_are_listed(capsys):
    assert main(["prompt"]) == 0
    out, _ = capsys.readouterr()
    assert all(name in out for name in PROMPTS)


def test_every_prompt_is_composed(project):
    """With a traceback if it has a blank for one. All blanks that the program can fill are filled."""
    text = Path("error.txt").read_text()
    for prompt in PROMPTS.values():
        composed = compose(prompt, ROOT, traceback=text if TRACEBACK in prompt.blanks else None)
        assert not set(composed.open_blanks) & {TRACEBACK, ENVIRONMENT, EXPLANATION}
        assert "<<environment" not in composed.text
