"""The note shows the tensors and layers of the failing line, and runs no code of the reader for it."""

from __future__ import annotations

import textwrap
import traceback
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch_errors.explaining.live_values import NAMES, live_values  # noqa: E402
from torch_errors.explaining.note import note_for  # noqa: E402

RAN: list[str] = []  # what ran of the classes below


class Hostile:
    def __getattr__(self, name):
        RAN.append(name)
        raise AttributeError(name)

    def __repr__(self):
        RAN.append("repr")
        return "Hostile"

    @property
    def shape(self):
        RAN.append("shape")
        return torch.ones(1)


class Sub(torch.Tensor):  # type: ignore[name-defined]
    @classmethod
    def __torch_function__(cls, function, *rest):
        RAN.append(str(function))
        return NotImplemented


class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[name-defined]
    def __torch_function__(self, function, types, args=(), kwargs=None):
        RAN.append(str(function))
        return function(*args, **(kwargs or {}))


def values_of(tmp_path: Path, program: str, **names: Any) -> list[str]:
    """Return what is said of the line of a program that raises."""
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(program))
    try:
        exec(compile(script.read_text(), str(script), "exec"), {"torch": torch, "nn": torch.nn, **names})
    except Exception as error:
        *_, last = (frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(script))
        return live_values(error, str(script), last.lineno or 0)
    raise AssertionError("the program raised nothing")


@pytest.mark.parametrize(
    "program, said",
    [
        ("h = torch.ones(4, 8, 3); fc = nn.Linear(128, 10)\nfc(h)",
         ["fc: Linear(128, 10), float32 on cpu", "h: float32 (4, 8, 3) on cpu"]),
        ("batch = {'x': torch.ones(2, 3).half()}\nnn.LSTM(3, 4)(batch['x'])", ["batch['x']: float16 (2, 3) on cpu"]),
        ("parts = [torch.ones(2), torch.ones(3, 1)]\ntorch.cat(parts)",
         ["parts: list of 2 (float32 (2,) on cpu; float32 (3, 1) on cpu)"]),
        ("import numpy\na = numpy.ones((2, 3))\ntorch.ones(3) @ torch.tensor(0) + a", ["a: ndarray float64 (2, 3)"]),
        ("x = torch.ones(3)\nw = torch.ones(2, device='meta')\nx @ w",
         ["x: float32 (3,) on cpu", "w: float32 (2,) on meta"]),
        ("a = torch.ones(3); b = torch.ones(2)\nother = torch.ones(5)\nother.sum() + (\n  a @\n  b)",
         ["a: float32 (3,) on cpu", "b: float32 (2,) on cpu", "other: float32 (5,) on cpu"]),
        ("""
         class Net(nn.Module):
             def __init__(self):
                 super().__init__()
                 self.conv = nn.Conv2d(3, 8, 3)
                 self.register_buffer("mean", torch.zeros(1, 4, 1, 1))
             def forward(self, x):
                 return self.conv(x - self.mean)
         Net()(torch.ones(2, 4, 8, 8))""",
         ["self.conv: Conv2d(3, 8, (3, 3)), float32 on cpu", "x: float32 (2, 4, 8, 8) on cpu",
          "self.mean: float32 (1, 4, 1, 1) on cpu"]),
        ("steps = 3; name = 'adam'\ntorch.ones(steps).view(name)", []),
    ],
)  # fmt: skip
def test_the_line_is_described(program, said, tmp_path):
    assert values_of(tmp_path, program) == said


def test_the_failing_expression_comes_first(tmp_path):
    said = values_of(tmp_path, "a = b = torch.ones(2); w = torch.ones(3)\nb.sum() + (a @ w)")
    assert [text[:2] for text in said] == ["a:", "w:", "b:"]


def test_the_number_of_names_is_limited(tmp_path):
    names = [f"t{number}" for number in range(9)]
    program = f"{' = '.join(names)} = torch.ones(2)\nw = torch.ones(3)\n({' + '.join(names)}) @ w"
    said = values_of(tmp_path, program)
    assert len(said) == NAMES


@pytest.mark.parametrize(
    "line",
    (
        "hostile.shape + x @ torch.ones(3)",
        "hostile @ x",
        "hostile.weight(x)",
        "x[hostile]",
        "torch.cat([sub, hostile])",
    ),
)
def test_no_code_of_the_reader_runs(line, tmp_path):
    made = {"hostile": Hostile(), "sub": torch.ones(2).as_subclass(Sub), "x": torch.ones(2)}
    with Mode():
        RAN.clear()
        with pytest.raises((RuntimeError, AttributeError, TypeError, IndexError)):
            exec(line, {"torch": torch, **made})
        by_python = [*RAN]
        RAN.clear()
        said = values_of(tmp_path, line, **made)
    assert by_python == RAN
    assert said == ([] if line.startswith("torch") else ["x: float32 (2,) on cpu"])


def test_the_note_shows_them_also_for_the_cause_of_another_exception(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\na, b = torch.ones(2, 3), torch.ones(2, 4)\ntry:\n    a @ b\n"
        "except RuntimeError as error:\n    raise ValueError('the step failed') from error\n"
    )
    try:
        exec(compile(script.read_text(), str(script), "exec"), {})
    except ValueError as error:
        note = note_for(error) or ""
    assert "in that line: a: float32 (2, 3) on cpu; b: float32 (2, 4) on cpu" in note


def test_the_note_stands_without_them(tmp_path, monkeypatch):
    def fails(*arguments):
        raise MemoryError

    monkeypatch.setattr("torch_errors.explaining.live_values.live_values", fails)
    script = tmp_path / "train.py"
    script.write_text("import torch\ntorch.ones(2, 3) @ torch.ones(2, 4)\n")
    try:
        exec(compile(script.read_text(), str(script), "exec"), {})
    except RuntimeError as error:
        note = note_for(error) or ""
    assert "matmul-shape-mismatch" in note and "in that line" not in note
