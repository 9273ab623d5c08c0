"""How long an entry's scripts take, as its page says it."""

from __future__ import annotations

import pytest

from torch_errors.catalog.loading import load_catalog
from torch_errors.errors import UserError
from website import run_times

SLOW, QUICK, UNTIMED = "dead-relu", "matmul-shape-mismatch", "overfitting"


@pytest.fixture
def times(monkeypatch, tmp_path):
    """Give a function that replaces the file by the given text."""
    path = tmp_path / "run_times.yaml"

    def replace(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        run_times._times.cache_clear()

    monkeypatch.setattr(run_times, "FILE", path)
    yield replace
    run_times._times.cache_clear()


@pytest.mark.parametrize(
    ("language", "slow", "quick"),
    [("en", "takes about 40 s", "takes a few seconds"), ("zh", "约需 40 秒", "几秒内跑完")],
)
def test_only_long_runs_have_a_number(times, language, slow, quick):
    times(run_times.text({SLOW: 31.2, QUICK: 4.9}))
    catalog = load_catalog().in_language(language)
    assert run_times.run_time_words(catalog.entry(SLOW)) == [slow]
    assert run_times.run_time_words(catalog.entry(QUICK)) == [quick]
    assert run_times.run_time_words(catalog.entry(UNTIMED)) == []


def test_no_time_is_a_valid_file(times):
    times(run_times.text({}))
    assert run_times.read() == {}


@pytest.mark.parametrize("value", ["soon", "0", "[1]"])
def test_a_wrong_number_names_file_and_remedy(times, value):
    times(f"{SLOW}: {value}\n")
    with pytest.raises(UserError, match=rf"run_times\.yaml:1: .*{SLOW}"):
        run_times.read()


def test_every_number_is_of_an_entry():
    assert run_times.read().keys() <= load_catalog().by_id.keys()
