"""`make bench`, on the sample catalog."""

from __future__ import annotations

import contextlib
import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.samples import BROADCAST, SHAPES, Sample
from tools import bench
from tools.enlarge import enlarge
from torch_errors.catalog.entries import Catalog
from torch_errors.errors import UserError
from torch_errors.running.pool import Runner
from torch_errors.verifying.files import check_files


@pytest.fixture
def modes(sample: Sample, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, int | None]]:
    """Makes bench use the sample catalog and the runner of the tests; lists the requested modes and workers."""
    asked: list[tuple[str | None, int | None]] = []

    def shared(mode: str | None, workers: int | None) -> contextlib.AbstractContextManager[Runner]:
        asked.append((mode, workers))
        return contextlib.nullcontext(runner)

    monkeypatch.chdir(sample.root)
    monkeypatch.setattr(bench, "Runner", shared)
    monkeypatch.setattr(bench, "_import_torch_seconds", lambda: 1.5)
    return asked


def test_each_part_is_printed_as_json(
    modes: list, sample: Sample, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.write_rows({SHAPES: sample.rows()[SHAPES]})
    entries: list[int] = []

    def measure(catalog: Catalog) -> bench.Figures:
        entries.append(len(catalog))
        return bench.Figures(len(catalog), 1000, 6, 0.1, 1.0, 2.0, {})

    monkeypatch.setattr(bench, "measure", measure)
    bench.main(["--part", "verification", "--part", "guide", "--workers", "2", "--copies", "3"])
    decoder, text = json.JSONDecoder(), capsys.readouterr().out
    verification, end = decoder.raw_decode(text)
    guide, _ = decoder.raw_decode(text[end:].lstrip())
    assert (verification["part"], verification["entries"], verification["scripts"]) == ("verification", 1, 2)
    assert all(verification[name] > 0 for name in ("fork_s", "fresh_s", "limit_s"))
    assert verification["ratio"] == pytest.approx(verification["fresh_s"] / verification["fork_s"], rel=0.1)
    assert verification["over_limit"] == pytest.approx(verification["fork_s"] / verification["limit_s"], rel=0.1)
    assert modes == [("fork", 2), ("fresh", 2)]
    assert (guide["part"], guide["entries"], entries) == ("guide", 3, [3])


def test_suites_are_measured_on_request_only(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def part_named(name: str) -> Callable[[Namespace], dict[str, Any]]:
        def part(options: Namespace) -> dict[str, Any]:
            measured.append(name)
            return {}

        return part

    monkeypatch.setattr(bench, "PARTS", {name: part_named(name) for name in bench.PARTS})
    bench.main([])
    assert measured == ["watch", "guide", "verification"]


def test_watched_and_plain_runs_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are slowed alike by whatever else runs."""
    ran: list[bool] = []

    def output(root: Path, arguments: list[str]) -> str:
        assert (root / "tools" / "steps.py").is_file() and arguments[-2] == str(root / "tools" / "steps.py")
        ran.append("--watch" in arguments)
        return {False: "0.001\n", True: "0.0012\n"}[ran[-1]]

    monkeypatch.setattr(bench, "_output", output)
    costs = bench.watch_costs(bench.ROOT, runs=3)
    assert [cost.model for cost in costs] == ["tiny", "resnet18", "transformer"]
    assert (costs[0].plain_ms, costs[0].watched_ms, costs[0].ratio) == (1.0, 1.2, 1.2)
    assert ran == [False, True] * 9


def test_entries_that_do_not_hold_are_not_measured(modes: list, sample: Sample) -> None:
    sample.edit(BROADCAST, "fixed.py", ".squeeze(1)", "")
    with pytest.raises(UserError, match=BROADCAST):
        bench.main(["--part", "verification", "--every", "1"])


def test_an_enlarged_guide_is_a_guide(sample: Sample, tmp_path) -> None:
    """Every copy is complete: it can be loaded, its files pass the checks, and its id and title are unique."""
    larger = enlarge(sample.catalog(), tmp_path / "larger", 3)
    assert [entry.id for entry in larger][:3] == [SHAPES, f"{SHAPES}-2", f"{SHAPES}-3"]
    assert [check_files(entry) for entry in larger] == [[]] * 15
    assert len({entry.title for entry in larger}) == 15
    with pytest.raises(UserError, match="exists; name a folder that does not"):
        enlarge(sample.catalog(), tmp_path / "larger", 3)
