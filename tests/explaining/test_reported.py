"""Texts of public reports, and texts of no concern, which stay unanswered: `data/reported.yaml`."""

from __future__ import annotations

import pytest

from tests import data, pastes
from torch_errors.explaining.explain import explain

REPORTED = data("reported.yaml")


@pytest.mark.parametrize(("entry", "says", "text"), REPORTED["answered"])
def test_a_report_is_answered(entry: str, says: str, text: str) -> None:
    best = explain(text)[0]
    assert best.id == entry
    assert says in (best.says or "")
    assert best.fix


@pytest.mark.parametrize("name", REPORTED["foreign"])
def test_a_program_without_pytorch_is_not_answered(name: str) -> None:
    """The same words below a frame that names PyTorch are, and so is the message alone."""
    text = REPORTED["foreign"][name]
    assert explain(text) == []
    assert explain(text.replace("\n", '\n  File "first.py", line 1, in <module>\n    import torch\n', 1))
    assert explain(text.splitlines()[-1])


@pytest.mark.parametrize(("entry", "text"), REPORTED["line_decides"])
def test_a_message_of_python_is_answered_if_the_line_shows_pytorch(entry: str | None, text: str) -> None:
    assert [match.id for match in explain(text)] == ([entry] if entry else [])


@pytest.mark.parametrize("text", REPORTED["source"])
def test_source_code_is_not_answered(text: str) -> None:
    message = text.split('"')[1]
    assert explain(text) == []
    assert explain(pastes.raised(f"ValueError: {message}"))


def test_a_wrapper_tells_what_it_passes_on_and_leads_to_the_line_below_it() -> None:
    wrapped = pastes.worker("KeyError: 'cat'")
    best = explain(wrapped)[0]
    assert best.id == "dataloader-worker-exception"
    assert "`KeyError: 'cat'`" in (best.says or "")
    alone = explain(wrapped.split("\nOriginal", 1)[0])[0]
    assert "raised KeyError" in (alone.says or "")
