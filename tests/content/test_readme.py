"""The statements of the README about the catalog and the commands."""

import re
import shlex
import subprocess
import sys

import pytest

from tests.guide import CATALOG
from torch_errors.catalog.fields import ExceptionEntry
from torch_errors.cli import _parser
from torch_errors.markdown.parsing import parse_page
from torch_errors.running.recordings import Recording

README = parse_page(CATALOG.root / "README.md")
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| \[([a-z0-9-]+)\]\((.+?)\) \|$", README.text, re.MULTILINE)
# Entries that the emergency table must contain.
ASKED_FOR = {
    "matmul-shape-mismatch",
    "cuda-out-of-memory",
    "gradient-explosion",
    "learning-rate-too-low",
    "loss-batch-size-mismatch",
}


def test_emergency_table_answers_what_is_asked_most():
    assert {id for _, _, id, _ in ROWS} >= ASKED_FOR


@pytest.mark.parametrize("says, _, id, target", ROWS, ids=[row[2] for row in ROWS])
def test_emergency_row(says, _, id, target):
    entry = CATALOG.entry(id)
    assert CATALOG.root / target == entry.page
    quoted = re.findall(r"`([^`]+)`", says)
    if entry.kind == "exception":
        assert quoted, "an error is looked up by its message"
    if not isinstance(entry.fields, ExceptionEntry):
        return
    for message in quoted:
        words = ".*".join(map(re.escape, message.split("…")))
        # Either the page quotes it, which verification compares with recordings, or a pattern matches it.
        quoted_on_page = re.search(words, parse_page(entry.page).text)
        assert quoted_on_page or any(re.search(pattern.match, message) for pattern in entry.fields.patterns)


def _commands() -> list[str]:
    blocks = [fence.text for fence in README.fences if fence.language == "sh"]
    spans = [code for _, code in README.code_spans]
    lines = [line.split("#")[0].strip() for text in [*blocks, *spans] for line in text.splitlines()]
    return [line.replace(".venv/bin/", "") for line in lines if re.match(r"(\.venv/bin/)?torch-errors ", line)]


@pytest.mark.parametrize("line", sorted(set(_commands())))
def test_command_exists_as_written(line):
    """Parts in brackets are optional: each command is parsed with and without them."""
    plain = re.sub(r"\[[^\]]*\]", "", line)
    full = re.sub(r"\[([^\],]*)[^\]]*\]", r"\1", line).replace("...", "")
    for text in {plain, full}:
        stands_for = {"N": "3", "A-B": "3-5"}
        words = [stands_for.get(word, word) for word in shlex.split(text)[1:]]
        assert _parser().parse_args(words).command


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (CATALOG.root / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z-]+)", "\n".join(f.text for f in README.fences), re.MULTILINE))
    assert named and named <= targets


@pytest.mark.exhaustive  # two interpreters that import torch
def test_scripts_run_in_their_folders():
    """As the README says: by name, in their folder, and without the package."""
    entry = CATALOG.entry("matmul-shape-mismatch")
    for variant, status in (("broken", Recording.load(entry.recording("broken")).status), ("fixed", 0)):
        command = [sys.executable, "-I", f"{variant}.py"]
        done = subprocess.run(command, cwd=entry.folder, capture_output=True, timeout=120, check=False)
        assert done.returncode == status
