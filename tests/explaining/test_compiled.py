"""The compiled data of `explain`: compiled again when a source changes, and only then, by any number of processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from torch_errors.catalog.locate import CATALOG_FILE
from torch_errors.errors import UserError
from torch_errors.explaining import compiled
from torch_errors.explaining.compiled import compile_catalog, load_compiled
from torch_errors.explaining.explain import explain
from torch_errors.explaining.patterns import load_patterns

MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)"
MATMUL = "common-errors/dimension-mismatch/matmul-shape-mismatch"


@pytest.fixture
def guide(tmp_path: Path) -> Iterator[Path]:
    """Two entries with their texts, older than the clock's resolution."""
    root = tmp_path / "guide"
    for name in (MATMUL, "common-errors/dimension-mismatch/reshape-invalid-size"):
        (root / name).mkdir(parents=True)
        shutil.copy(ROOT / name / "entry.yaml", root / name)
    index = (ROOT / CATALOG_FILE).read_text(encoding="utf-8")
    index = re.sub(r"(?m)^    curves:\n(?:    [- ] .*\n)+", "", index)  # of entries that are not here
    (root / CATALOG_FILE).write_text(index[: index.index("      conv-channel-mismatch:")], encoding="utf-8")
    for path in root.rglob("*"):
        os.utime(path, (time.time() - 3600,) * 2)
    yield root
    forget()


def forget() -> None:
    """What a new process would not know."""
    load_compiled.cache_clear()
    load_patterns.cache_clear()


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Each time that the catalog was compiled."""
    done: list[Path] = []

    def counted(root: Path) -> list[str]:
        done.append(root)
        return compile_catalog(root)

    monkeypatch.setattr(compiled, "compile_catalog", counted)
    return done


def said(root: Path, language: str = "en") -> str | None:
    forget()
    return explain(MESSAGE, root, language)[0].says


def test_compiled_once(guide: Path, compilations: list[Path]) -> None:
    first = [said(guide), said(guide, "zh"), said(guide)]
    assert compilations == [guide]
    assert first[0] == first[2] != first[1]


def test_the_file_is_what_the_sources_say(guide: Path) -> None:
    load_compiled(guide)
    lines = (guide / compiled.FOLDER / compiled.NAME).read_text(encoding="utf-8").rstrip("\n").split("\n")
    assert lines[1:] == compile_catalog(guide)


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("new", ["but THE layer expects", "but this layer expects"])
def test_a_changed_text_is_seen(new: str, guide: Path, compilations: list[Path]) -> None:
    said(guide)
    change(guide / MATMUL / "entry.yaml", "but the layer expects", new)
    assert new in (said(guide) or "")
    assert len(compilations) == 2


def test_an_added_and_a_removed_entry_are_seen(guide: Path, compilations: list[Path]) -> None:
    said(guide)
    index = guide / CATALOG_FILE
    text = index.read_text(encoding="utf-8")
    index.write_text(text[: text.index("      reshape-invalid-size:")], encoding="utf-8")
    forget()
    assert list(load_patterns(guide).entries) == ["matmul-shape-mismatch"]
    assert len(compilations) == 2


@pytest.mark.parametrize("text", ["", "{}", "[]\n[]", '{"format": 0}\n[]', "\x00", "null\n" * 9, "of another format"])
def test_a_damaged_file_is_replaced(text: str, guide: Path, compilations: list[Path]) -> None:
    before = said(guide)
    path = guide / compiled.FOLDER / compiled.NAME
    if text == "of another format":
        first, rest = path.read_text(encoding="utf-8").split("\n", 1)
        text = json.dumps(json.loads(first) | {"format": -1}) + "\n" + rest
    path.write_text(text, encoding="utf-8")
    assert said(guide) == before
    assert len(compilations) == 2


def test_works_where_nothing_can_be_written(guide: Path, compilations: list[Path]) -> None:
    (guide / compiled.FOLDER).write_text("a file, so that no folder can be made")
    assert said(guide) == said(guide)
    assert len(compilations) == 2


def test_a_catalog_that_is_not_valid_is_refused_and_the_old_file_stays(guide: Path) -> None:
    said(guide)
    path = guide / compiled.FOLDER / compiled.NAME
    before = path.read_bytes()
    (guide / MATMUL / "entry.yaml").write_text("patterns: []\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"entry\.yaml:1: entry matmul-shape-mismatch, field patterns"):
        said(guide)
    assert path.read_bytes() == before


def test_processes_that_compile_at_the_same_time_all_answer(guide: Path) -> None:
    answer = f"torch_errors.explain({MESSAGE!r}, pathlib.Path({str(guide)!r}))[0].says"
    command = [sys.executable, "-c", f"import pathlib, torch_errors; print({answer})"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(4)]
    [said] = {process.communicate(timeout=120)[0] for process in running}
    assert "2304" in said
    assert [path.name for path in (guide / compiled.FOLDER).iterdir()] == [compiled.NAME]


def test_line_ends_of_unicode_are_part_of_a_text(guide: Path) -> None:
    old = "zh: 输入最后一维有 {features} 个特征，该层要求 {in_features} 个。"
    change(guide / MATMUL / "entry.yaml", old, 'zh: "{features} 个特征，\\L该层要求 {in_features} 个"')
    assert "，\u2028该层要求" in (said(guide, "zh") or "")
    assert "，\u2028该层要求" in (said(guide, "zh") or "")  # also when it is read from the file
