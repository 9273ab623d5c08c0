"""The facts that are read from an error that no pattern matches: those in its text, and no others."""

import json
import time
from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import torch_errors
from tests.pastes import FORMS, READ, UNHEARD_OF, wrapped
from torch_errors.cli import main
from torch_errors.paste.facts import BEFORE, ITEMS, MESSAGE, Facts, facts
from torch_errors.paste.frames import SOURCE


@pytest.mark.parametrize("name", READ)
def test_facts_of_a_message(name):
    row = READ[name]
    expected = {key: value for key, value in row.items() if key != "text"}
    assert asdict(facts(row["text"])) == asdict(Facts()) | expected


@pytest.mark.parametrize("width", [72, 80, 100])
def test_broken_lines_are_read_as_whole_ones(width):
    more = "and a second sentence of the message, which no terminal has room for"
    text, whole = READ["traceback"]["text"], facts(READ["traceback"]["text"])
    read = facts(wrapped(f"{text}{more}\n", width, "in words"))
    assert (read.exception, read.shapes, read.frame) == (whole.exception, whole.shapes, whole.frame)
    assert read.message == f"{whole.message} {more}"


WRAPPED = """\
│ /home/me/run.py:1 in <module>   │
│                                 │
│ ❱ 1 │   train.main()            │
│                                 │
│ /home/me/my                     │
│ models/train.py:3 in            │
│ main                            │
│                                 │
│   2 def main():                 │
│ ❱ 3 │   fit(model)              │
"""
WITH_SPACES = {
    "C:\\Users\\First Last\\a b.py": "C:\\Users\\First Last\\a b.py:3 in main\n\n❱  3 │   fit(model)\n",
    "/home/me/my models/train.py": WRAPPED,
    "c:\\Users\\First Last\\nb.py": "File c:\\Users\\First Last\\nb.py:3, in main()\n----> 3     fit(model)\n",
    "~/my work/nb.py": "~/my work/nb.py in main(model)\n----> 3     fit(model)\n",
}


@pytest.mark.parametrize("file", WITH_SPACES)
def test_a_path_may_contain_spaces(file):
    """As rich prints it, in one line or wrapped, and IPython, new or old."""
    frame = facts(f"{WITH_SPACES[file]}\nRuntimeError: no fit\n").frame
    assert frame and (frame.file, frame.line, frame.function, frame.code) == (file, 3, "main", "fit(model)")


@settings(max_examples=100, deadline=None)
@given(st.text())
@example("\ud800")
@example("Error: " + "😀" * 700)
def test_any_text_is_read(text):
    read = facts(text)
    assert len(read.message or "") <= MESSAGE
    for values in (read.shapes, read.dtypes, read.devices):
        assert len(values) <= ITEMS and all(len(value) <= BEFORE + MESSAGE for value in values)
    assert len((read.frame and read.frame.code) or "") <= SOURCE


@pytest.mark.parametrize(
    "atom",
    ["a.", "a$", "Error", "Error ", "[1, ", "(1x", "cuda:", "a b ", 'File "', "File a:1, in ", "-> ", "1x", "/a b"],
)
@pytest.mark.parametrize("before", ["", "RuntimeError: ", '  File "x.py", line 3\n'])
def test_no_line_takes_long_to_read(atom, before):
    for text in (before + atom * 20_000, (before + atom * 100 + "\n") * 500):
        started = time.process_time()
        facts(text)
        assert time.process_time() - started < 1, atom


# The command and the Python API --------------------------------------------------------------------------------------

LABELS = {
    "en": ["error: ", "operation: ", "shapes: ", "your line: "],
    "zh": ["报错：", "算子 / 函数：", "形状：", "你的代码："],
}


@pytest.mark.parametrize("language", LABELS)
def test_explain_tells_what_it_reads_of_an_unknown_error(language, tmp_path, capsys):
    (tmp_path / "error.txt").write_text(READ["traceback"]["text"].replace("Expected", UNHEARD_OF), encoding="utf-8")
    assert main(["explain", str(tmp_path / "error.txt"), "--lang", language]) == 1
    values = [
        f"RuntimeError: {UNHEARD_OF} hidden[0] size (1, 32, 256), got [1, 8, 256]",
        "check_hidden_size (torch/nn/modules/rnn.py)",
        f"{UNHEARD_OF} hidden[0] size (1, 32, 256); got [1, 8, 256]",
        "/home/me/project/train.py:31, step\n  out, hidden = self.rnn(frames, hidden)",
    ]
    expected = [label + value for label, value in zip(LABELS[language], values, strict=True)]
    assert "\n".join(["", *expected, ""]) in capsys.readouterr().out


def test_programs_get_the_same(tmp_path, capsys):
    for text in (READ["traceback"]["text"], FORMS["traceback"]):
        (tmp_path / "error.txt").write_text(text, encoding="utf-8")
        status = main(["explain", str(tmp_path / "error.txt"), "--json"])
        answer = json.loads(capsys.readouterr().out)
        assert status == (0 if answer["matches"] else 1)
        assert answer["facts"] == asdict(torch_errors.facts(text)) and isinstance(torch_errors.facts(text), Facts)


def test_no_escape_sequence_reaches_the_terminal(tmp_path, capsys):
    (tmp_path / "error.txt").write_text(
        '  File "a\x1b]0;title\x07.py", line 3, in f\n    \x1b[2Jg()\nValueError: \x1b[31mred\x9b\x08 \x1bc\n'
    )
    main(["explain", str(tmp_path / "error.txt")])
    assert not set(capsys.readouterr().out) & set("\x1b\x07\x08\x9b")
