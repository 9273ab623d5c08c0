"""What is told of an error that no pattern knows: what its text says, and no more."""

import json
import time
from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import torch_errors
from tests.test_explain import FORMS, HOSTILE, wrapped
from torch_errors.cli import main
from torch_errors.explaining.facts import BEFORE, ITEMS, MESSAGE, Facts, UserLine, facts
from torch_errors.traceback.frames import SOURCE

PACKAGES = "/home/me/env/lib/python3.11/site-packages"
RNN = f"""Traceback (most recent call last):
  File "/home/me/project/train.py", line 40, in <module>
    main()
  File "/home/me/project/train.py", line 31, in step
    out, hidden = self.rnn(frames, hidden)
                  ^^^^^^^^^^^^^^^^^^^^^^^^
  File "{PACKAGES}/torch/nn/modules/module.py", line 1553, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
  File "{PACKAGES}/torch/nn/modules/rnn.py", line 917, in check_hidden_size
    raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))
RuntimeError: Expected hidden[0] size (1, 32, 256), got [1, 8, 256]
"""
# Of IPython 8, and the same error in the paths of Windows.
NOTEBOOK = r"""---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[7], line 3
      1 steps = 3
      2 for step in range(steps):
----> 3     out, hidden = rnn(frames, hidden)
      4     print(step)

File C:\Users\me\env\Lib\site-packages\torch\nn\modules\rnn.py:917, in check_hidden_size(self, hx)
    916 if hx.size() != expected_hidden_size:
--> 917     raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

RuntimeError: Expected hidden[0] size (1, 32, 256), got [1, 8, 256]
"""
WORKER = f"""Traceback (most recent call last):
  File "train.py", line 12, in <module>
    for batch in loader:
  File "{PACKAGES}/torch/_utils.py", line 733, in reraise
    raise exception
ValueError: Caught ValueError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "{PACKAGES}/torch/utils/data/_utils/fetch.py", line 52, in fetch
    data = [self.dataset[idx] for idx in possibly_batched_index]
  File "/home/me/project/data.py", line 8, in __getitem__
    return parse(self.rows[index])
ValueError: not enough values to unpack (expected 2, got 1)
"""
HIDDEN = ["Expected hidden[0] size (1, 32, 256)", "got [1, 8, 256]"]
# Messages as PyTorch prints them, and what is read from each.
READ = {
    "traceback": (
        RNN,
        Facts(
            "RuntimeError",
            "Expected hidden[0] size (1, 32, 256), got [1, 8, 256]",
            "check_hidden_size (torch/nn/modules/rnn.py)",
            HIDDEN,
            frame=UserLine("/home/me/project/train.py", 31, "step", "out, hidden = self.rnn(frames, hidden)"),
        ),
    ),
    "notebook": (
        NOTEBOOK,
        Facts(
            "RuntimeError",
            "Expected hidden[0] size (1, 32, 256), got [1, 8, 256]",
            "check_hidden_size (torch/nn/modules/rnn.py)",
            HIDDEN,
            frame=UserLine("Cell In[7]", 3, None, "out, hidden = rnn(frames, hidden)"),
        ),
    ),
    # The last exception, and of its own traceback; what the user's code raises is no operation of PyTorch.
    "worker": (
        WORKER,
        Facts(
            "ValueError",
            "not enough values to unpack (expected 2, got 1)",
            frame=UserLine("/home/me/project/data.py", 8, "__getitem__", "return parse(self.rows[index])"),
        ),
    ),
    "sizes": (
        "RuntimeError: The expanded size of the tensor (64) must match the existing size (73) at non-singleton "
        "dimension 0.  Target sizes: [64].  Tensor sizes: [73]",
        Facts(
            "RuntimeError",
            "The expanded size of the tensor (64) must match the existing size (73) at non-singleton dimension 0."
            " Target sizes: [64]. Tensor sizes: [73]",
            shapes=[
                "size of the tensor (64)",
                "match the existing size (73)",
                "Target sizes: [64]",
                "Tensor sizes: [73]",
            ],
        ),
    ),
    "glued": (
        "RuntimeError: Given normalized_shape=[768], expected input with shape [*, 768], but got input of size[12]",
        Facts(
            "RuntimeError",
            "Given normalized_shape=[768], expected input with shape [*, 768], but got input of size[12]",
            shapes=[
                "Given normalized_shape=[768]",
                "expected input with shape [*, 768]",
                "got input of size [12]",
            ],
        ),
    ),
    "no shapes": (
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        Facts("IndexError", "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ),
    "dtypes": (
        "RuntimeError: result type Float can't be cast to the desired output type Long",
        Facts(
            "RuntimeError",
            "result type Float can't be cast to the desired output type Long",
            dtypes=["result type Float", "the desired output type Long"],
        ),
    ),
    "devices": (
        "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'",
        Facts(
            "RuntimeError",
            "Expected a 'cuda' device type for generator but found 'cpu'",
            devices=["Expected a cuda", "for generator but found cpu"],
        ),
    ),
    # CUDA is the library here, and no tensor's device; an address holds no word of the message.
    "no devices": (
        "RuntimeError: cuda runtime error (77) : an illegal memory access at /pytorch/aten/src/THC/cuda/Copy.c:20",
        Facts(
            "RuntimeError", "cuda runtime error (77) : an illegal memory access at /pytorch/aten/src/THC/cuda/Copy.c:20"
        ),
    ),
    "operator": (
        "NotImplementedError: The operator 'aten::_index_put_impl_' is not currently implemented for the MPS device.",
        Facts(
            "NotImplementedError",
            "The operator 'aten::_index_put_impl_' is not currently implemented for the MPS device.",
            "aten::_index_put_impl_",
        ),
    ),
    "kernel": (
        "RuntimeError: \"LayerNormKernelImpl\" not implemented for 'Half'",
        Facts(
            "RuntimeError",
            "\"LayerNormKernelImpl\" not implemented for 'Half'",
            "LayerNormKernelImpl",
            dtypes=['LayerNormKernelImpl" not implemented for Half'],
        ),
    ),
    "node": (
        "RuntimeError: Function AddBackward0 returned an invalid gradient at index 1 - expected type "
        "TensorOptions(dtype=float, device=cuda:0) but got TensorOptions(dtype=float, device=cpu)",
        Facts(
            "RuntimeError",
            "Function AddBackward0 returned an invalid gradient at index 1 - expected type "
            "TensorOptions(dtype=float, device=cuda:0) but got TensorOptions(dtype=float, device=cpu)",
            "AddBackward0",
            devices=["device=cuda:0", "device=cpu"],
        ),
    ),
    "in quotes": (
        '"RuntimeError: result type Float can\'t be cast to the desired output type Long"',
        Facts(
            "RuntimeError",
            "result type Float can't be cast to the desired output type Long\"",
            dtypes=["result type Float", "the desired output type Long"],
        ),
    ),
    # Without a type, the text is not said again.
    "message alone": (
        "select(): index 14 out of range for tensor of size [14, 64, 300] at dimension 0",
        Facts(operation="select()", shapes=["for tensor of size [14, 64, 300]"]),
    ),
    "inside a line": (
        "nn.utils.rnn.pack_padded_sequence: RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor",
        Facts("RuntimeError", "'lengths' argument should be a 1D CPU int64 tensor", dtypes=["be a 1D CPU int64"]),
    ),
    "warning before": (
        "train.py:3: UserWarning: something else\nValueError: Unsupported ONNX opset version: 17",
        Facts("ValueError", "Unsupported ONNX opset version: 17"),
    ),
    "warning after": (
        "ValueError: Unsupported ONNX opset version: 17\ntrain.py:3: UserWarning: something else",
        Facts("ValueError", "Unsupported ONNX opset version: 17"),
    ),
    "prose": ("my loss does not fall after [3, 4] epochs of training", Facts()),
    "nothing": ("", Facts()),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_read(name):
    text, expected = READ[name]
    assert asdict(facts(text)) == asdict(expected)


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("message", "without type")])
def test_form_of_a_paste(form):
    told = facts(FORMS[form])
    assert told.exception == "RuntimeError" and (told.message or "").removeprefix("addmm: ").startswith("mat1 and mat2")
    assert told.shapes == ["shapes cannot be multiplied 32x512", "and 256x10"][: 1 if form == "cut short" else 2]


@pytest.mark.parametrize("width", [72, 80, 100])
def test_broken_lines_are_read_as_whole_ones(width):
    more = "and a second sentence of the message, which no terminal has room for"
    text, whole = READ["traceback"]
    told = facts(wrapped(f"{text}{more}\n", width, "in words"))
    assert (told.exception, told.shapes, told.frame) == (whole.exception, whole.shapes, whole.frame)
    assert told.message == f"{whole.message} {more}"


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("\ud800")
@example("Error: " + "😀" * 700)
def test_any_text_is_read(text):
    told = facts(text)
    assert len(told.message or "") <= MESSAGE
    for values in (told.shapes, told.dtypes, told.devices):
        assert len(values) <= ITEMS and all(len(value) <= BEFORE + MESSAGE for value in values)
    assert len((told.frame and told.frame.code) or "") <= SOURCE


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_does_not_hang(text):
    started = time.process_time()
    facts(text)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    "atom", ["a.", "a$", "Error", "Error ", "[1, ", "(1x", "cuda:", "a b ", 'File "', "File a:1, in ", "-> ", "1x"]
)
@pytest.mark.parametrize("before", ["", "RuntimeError: ", '  File "x.py", line 3\n'])
def test_no_line_takes_long_to_read(atom, before):
    for text in (before + atom * 50_000, (before + atom * 100 + "\n") * 500):
        started = time.process_time()
        facts(text)
        assert time.process_time() - started < 1, atom


# The command and the Python API --------------------------------------------------------------------------------------

UNHEARD_OF = "Remembered"  # in place of a word of the message: so no entry answers it
LABELS = {
    "en": ["error: ", "operation: ", "shapes: ", "your line: "],
    "zh": ["报错：", "算子 / 函数：", "形状：", "你的代码："],
}


@pytest.mark.parametrize("language", LABELS)
def test_explain_tells_what_it_reads_of_an_unknown_error(language, tmp_path, capsys):
    (tmp_path / "error.txt").write_text(RNN.replace("Expected", UNHEARD_OF), encoding="utf-8")
    assert main(["explain", str(tmp_path / "error.txt"), "--lang", language]) == 1
    values = [
        f"RuntimeError: {UNHEARD_OF} hidden[0] size (1, 32, 256), got [1, 8, 256]",
        "check_hidden_size (torch/nn/modules/rnn.py)",
        f"{UNHEARD_OF} hidden[0] size (1, 32, 256); got [1, 8, 256]",
        "/home/me/project/train.py:31, step\n  out, hidden = self.rnn(frames, hidden)",
    ]
    told = [label + value for label, value in zip(LABELS[language], values, strict=True)]
    assert "\n".join(["", *told, ""]) in capsys.readouterr().out


def test_programs_get_the_same(tmp_path, capsys):
    for text in (RNN, FORMS["traceback"]):
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
