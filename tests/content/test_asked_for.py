"""Each requirement in `asked_for.yaml` has the files that meet it and tests that check them."""

from __future__ import annotations

import ast
import re

import pytest
import yaml

from tests.conftest import ROOT
from tests.guide import CATALOG
from torch_errors.markdown.parsing import heading_anchors, parse_page
from torch_errors.verifying.pages import find_documents

ROWS = yaml.safe_load((ROOT / "tests" / "asked_for.yaml").read_text(encoding="utf-8"))
# Number of requirements in each part of the list.
PARTS = {1: 8, 2: 10, 3: 9, 4: 7, 5: 9}
AGENTS = parse_page(ROOT / "debug-templates" / "agent" / "AGENTS.md")


def test_no_requirement_is_lost():
    assert list(ROWS) == [f"{part}.{row}" for part, rows in PARTS.items() for row in range(1, rows + 1)]
    assert all(row.keys() == {"asked", "files", "tests"} and row["files"] and row["tests"] for row in ROWS.values())


@pytest.mark.parametrize("id", ROWS)
def test_requirement_has_files_and_tests(id):
    for name in ROWS[id]["files"]:
        path, _, anchor = name.partition("#")
        assert (ROOT / path).is_file(), path
        assert not anchor or anchor in heading_anchors(parse_page(ROOT / path)), name
    for name in ROWS[id]["tests"]:
        path, _, function = name.partition("::")
        assert re.search(rf"(?m)^def {function or 'test_[a-z_]+'}\(", (ROOT / path).read_text(encoding="utf-8")), name


# Dated or wrong advice ----------------------------------------------------------------------------------------------

ADVICE = find_documents(CATALOG) + [entry.page for entry in CATALOG]
CODE = [*(ROOT / "debug-templates").rglob("*.py"), *(ROOT / "common-errors").rglob("fixed.py")]
# Dated code, which code to copy must not contain, and its replacement.
DATED = {
    r"torch\.cuda\.amp\b": "torch.amp",
    r"\btorchsummary\b": "torchinfo",
    r"weights_only\s*=\s*False": "the default",
    r"pretrained\s*=\s*True": "weights=",
    r"except( Exception| BaseException)?( as \w+)?:\s*\n?\s*(pass|continue)\b": "let it stop",
    r"sort_by\s*=\s*[\"']cuda_time_total": "device_time_total or cpu_time_total",
    # Except changing the dtype of a parameter, for which there is no other way in place.
    r"np\.float\b|\.data\b(?=\s*[+*/-]?=(?!=))(?!\s*=\s*\w+\.data\.float\(\))": "torch.no_grad()",
}


def test_code_on_pages_is_current():
    """Checks the blocks that run and are not meant to fail. The text may mention dated code as dated."""
    fences = [(path, fence) for path in ADVICE for fence in parse_page(path).fences if fence.language == "python"]
    found = [
        f"{path}:{fence.first_line}: {pattern}; use {instead}"
        for path, fence in fences
        for pattern, instead in DATED.items()
        if not {"raises", "dated"} & set(fence.attributes) and re.search(pattern, fence.text)
    ]
    assert not found


# Fixed scripts that need `weights_only=False`, for a pickled model and a training state of arbitrary objects.
NEEDED = {
    f"common-errors/saving-and-loading/{id}/fixed.py": [r"weights_only\s*=\s*False"]
    for id in ("load-missing-class", "load-ran-out-of-input")
}


def test_code_to_copy_is_current():
    found = {}
    for path in CODE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):  # a docstring may mention dated code
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = None
        code = ast.unparse(tree)
        found[path.relative_to(ROOT).as_posix()] = [pattern for pattern in DATED if re.search(pattern, code)]
    assert {name: patterns for name, patterns in found.items() if patterns} == NEEDED


# Dated advice -> the page on which people look for it.
NAMED = {
    "empty_cache": "common-errors/memory-issues/cuda-out-of-memory/README.md",
    "retain_graph=True": "common-errors/gradient-issues/backward-twice/README.md",
    "weights_only": "common-errors/saving-and-loading/load-weights-only/README.md",
    "torchsummary": "debug-templates/agent/AGENTS.md",
    "torch.cuda.amp": "debug-templates/agent/AGENTS.md",
    "model.eval()": "common-errors/convergence-problems/missing-eval-mode/README.md",
}


def test_dated_advice_is_mentioned_where_people_look_for_it():
    assert [name for name, page in NAMED.items() if name not in (ROOT / page).read_text(encoding="utf-8")] == []


# What other rows ask for ----------------------------------------------------------------------------------------------


def test_advice_on_assistants():
    """The page on prompts says how to ask: select first, be specific, ask in steps, give everything, check answers."""
    text = (ROOT / "debug-templates" / "prompts" / "README.md").read_text(encoding="utf-8").lower()
    for word in ("select", "specific", "diagnosis", "fix", "principle", "traceback", "tokens"):
        assert word in text, word


def test_readme_leads_to_all_folders():
    targets = {target.rstrip("/") for _, target in parse_page(ROOT / "README.md").links}
    assert {"common-errors", "debug-templates", "troubleshooting-workflows"} <= targets


def test_agent_works_in_six_steps():
    assert len(re.findall(r"(?m)^\d\. \*\*", AGENTS.section("Workflow"))) == 6


# Words that identify the messages that were asked for.
AGENT_KNOWS = [
    "mat1 and mat2", "same device", "CUDA out of memory", "element 0", "batch_size", "inplace", "stack expects",
    "CUDNN_STATUS_INTERNAL_ERROR", "index out of range in self", "backward through the graph a second time",
]  # fmt: skip


def test_agent_knows_ten_patterns():
    """Each has a cause, a fix and a link to a page."""
    rows = [
        line.strip("| ").split(" | ") for line in AGENTS.section("Error patterns").splitlines() if line[:3] == "| `"
    ]
    assert all(len(row) == 4 and "](../../" in row[3] for row in rows)
    assert [words for words in AGENT_KNOWS if not any(words in row[0] for row in rows)] == []


def test_agent_keeps_its_principles():
    text = AGENTS.section("Principles").lower()
    for word in ("surgical", "architecture", "silenc", "shapes before and after", "two samples", "root cause"):
        assert word in text, word


def test_agent_says_what_was_asked_for():
    """It mentions commands, remedies and when to stop."""
    text = " ".join(AGENTS.text.split()).lower()
    for words in (
        "torch-errors explain --json", "torch.version.cuda", "cudnn", "nvidia-smi", "pip list", "torchinfo", "no_grad",
        "checkpoint", "autocast", "three", "batch size of 1",
    ):  # fmt: skip
        assert words in text, words


def test_agent_and_editor_rules_are_the_same():
    definition = (ROOT / "debug-templates" / "agent" / "pytorch-debugger.md").read_text(encoding="utf-8")
    parts = re.fullmatch(r"---\n(.*?)\n---\n\n?(.*)", definition, re.S)
    assert parts and parts[2] == AGENTS.text
    assert {"name", "description", "tools"} <= {line.partition(":")[0] for line in parts[1].splitlines()}
    assert len(definition) < 12_000  # the maximum of one editor


def test_agent_reports_a_status():
    text = AGENTS.section("Report")
    assert re.search(r"fixed: \w+\.py:\d+", text) and "remaining:" in text and "status:" in text.lower()
