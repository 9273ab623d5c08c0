"""Reports that somebody posted: every kind of fault is found, and healthy ones are not accused."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests import data
from tests.guide import CATALOG
from torch_errors.doctor import diagnosis, libraries, machine, reports
from torch_errors.doctor.answer import report_text
from torch_errors.doctor.diagnosis import Diagnosis, diagnose_report
from torch_errors.doctor.facts import VARIANT, names
from torch_errors.doctor.reports import is_report
from torch_errors.doctor.rules import load_rules
from torch_errors.prompting.redaction import redact

REPORTS: list[dict[str, Any]] = data("reports.yaml")
FAULTY = [report for report in REPORTS if "finding" in report]
LISTED = ("torch", "pytorch", "torchvision", "torchaudio", "numpy", "torch_npu")
HEALTHY = [report for report in REPORTS if "finding" not in report]


@pytest.mark.parametrize("report", FAULTY, ids=[report["finding"] for report in FAULTY])
def test_fault_is_found_first(report: dict[str, Any]) -> None:
    [first, *_] = diagnose_report(report["report"]).findings
    assert (first.id, first.entry) == (report["finding"], report["entry"])
    assert first.says and first.fix and "{" not in first.says + first.fix


@pytest.mark.parametrize("report", HEALTHY, ids=[report["why"] for report in HEALTHY])
def test_healthy_is_not_accused(report: dict[str, Any]) -> None:
    assert diagnose_report(report["report"]).findings == ()


@pytest.mark.parametrize("report", REPORTS)
def test_own_report_is_read_back(report: dict[str, Any]) -> None:
    first = diagnose_report(report["report"])
    second = diagnose_report(redact(report_text(first))[0])
    assert _said(first) == _said(second)


def _said(diagnosis: Diagnosis) -> tuple[Any, ...]:
    findings = [(one.id, one.entry, one.certainty, one.says, one.fix) for one in diagnosis.findings]
    return findings, diagnosis.fine, diagnosis.unknown


def test_own_report_has_what_was_found_and_not_what_follows() -> None:
    """Otherwise a report would keep the tables of the version that printed it."""
    written = report_text(diagnose_report(REPORTS[3]["report"]))
    assert "driver: 470.57.02" in written
    assert not re.search(r"^(?:driver_minimum|cuda_major|index|manager|architectures): ", written, re.MULTILINE)


@pytest.mark.parametrize(
    ("built", "device", "fits"),
    [
        ("sm_80 sm_86", "89", "yes"),
        ("sm_80 sm_86", "90", "no"),
        ("sm_50 sm_60", "61", "yes"),
        ("sm_70 sm_75", "61", "no"),
        ("sm_80 compute_80", "120", "yes"),
        ("sm_80 compute_90", "86", "yes"),
        ("sm_86 compute_90", "80", "no"),
        ("sm_80 sm_90a", "90", "yes"),
        ("sm_80 sm_100a", "103", "no"),
        ("sm_120", "121", "yes"),
        ("sm_80 sm_86", "86 61", "no"),
    ],
)
def test_architectures_that_run_on_a_gpu(built: str, device: str, fits: str) -> None:
    report = f"torch-errors doctor report\narchitectures: {built}\ncapability: {device}\n"
    assert diagnose_report(report).facts.values["fits"] == fits


def test_both_languages_find_the_same() -> None:
    for report in REPORTS:
        english, chinese = (diagnose_report(report["report"], language) for language in ("en", "zh"))
        assert [one.id for one in english.findings] == [one.id for one in chinese.findings]
        assert all(re.search(r"[\u4e00-\u9fff]", one.says) for one in chinese.findings)


def test_evidence_is_a_line_of_the_report() -> None:
    report = next(report["report"] for report in FAULTY if report["finding"] == "driver-too-old")
    [finding] = diagnose_report(report).findings
    assert any("Nvidia driver version: 470.57.02" in place for place in finding.evidence)
    lines = report.splitlines()
    for place in finding.evidence:
        number, text = place.split(": ", 1)
        assert lines[int(number) - 1] == text


def test_errors_and_logs_are_no_reports() -> None:
    for entry in CATALOG:
        path = entry.recording("broken")
        assert not path.is_file() or not is_report(path.read_text(encoding="utf-8")), entry.id


def test_command_is_for_the_package_manager() -> None:
    report = FAULTY[0]["report"]
    assert "pip install" in str(diagnose_report(report).findings[0].fix)
    assert "uv pip install" in str(diagnose_report(f"{report}\nuv pip list\n").findings[0].fix)
    conda = next(one["report"] for one in FAULTY if "cpu_py311" in one["report"])
    assert "conda install" in str(diagnose_report(conda).findings[0].fix)


def test_index_suits_driver_and_gpu() -> None:
    old = FAULTY[0]["report"].replace("560.35.03", "515.65.01")
    new = FAULTY[0]["report"].replace("560.35.03", "580.95.05")
    blackwell = FAULTY[0]["report"].replace("RTX 4070 SUPER", "RTX 5090")
    found = [re.findall(r"whl/(\w+)", str(diagnose_report(text).findings[0].fix)) for text in (old, new, blackwell)]
    assert found == [["cu118"], ["cu130"], ["cu128"]]


# --- the rules ------------------------------------------------------------------------------------------------------


def test_findings_lead_to_entries_that_exist() -> None:
    rules = load_rules("en")
    entries = {check["entry"] for check in rules["checks"] if "entry" in check} | rules["messages"].keys()
    assert entries <= CATALOG.by_id.keys()
    topics = {topic["id"] for topic in rules["topics"]}
    assert {check["topic"] for check in rules["checks"]} <= topics
    assert {check["command"] for check in rules["checks"] if "command" in check} == rules["commands"].keys()


def test_conditions_use_facts_that_something_sets() -> None:
    rules = load_rules("en")
    known = {"fits", *(f"listed_{name}{end}" for name in LISTED for end in ("", "_build", "_channel"))}
    for step in rules["facts"]:
        known |= {name.partition(VARIANT)[0] for name in re.findall(r"\?P<(\w+)>", step.get("match", ""))}
        known |= step.get("set", {}).keys() | step.get("default", {}).keys()
        known |= {name for row in step.get("rows", {}).values() for name in row}
    for module in (diagnosis, machine, libraries, reports):
        known |= set(re.findall(r'"(\w+)"', Path(str(module.__file__)).read_text(encoding="utf-8")))
    conditions = [step["when"] for step in rules["facts"] if "when" in step]
    conditions += [condition for rule in (*rules["checks"], *rules["topics"]) for condition in rule["when"]]
    used = {re.sub(r"_(?:number|minor)$", "", name) for name in names(["and", *conditions])}
    assert used - known == set()


# --- hostile texts --------------------------------------------------------------------------------------------------


PIECES = [
    "torch ",
    "PyTorch version ",
    "CUDA_VISIBLE_DEVICES=",
    "GPU 0: NVIDIA ",
    "  ",
    "\n",
    ". ",
    "torch.....",
    "/env/",
]
PIECES += [
    "libbitsandbytes_cuda1",
    "pip install ",
    "sm_80 ",
    "(GPU?): ",
    "uv run ",
    "/home/x/.local/lib/",
    "not use gpu ",
]
PIECES += [
    "OS: ",
    "| ",
    "undefined symbol torchvision/",
    "1.",
    "torch==1\n",
    "[pip3] torch==1\n",
    "false ",
    "::pytorch-1",
]


@pytest.mark.parametrize("piece", PIECES)
def test_time_is_linear_in_the_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = "PyTorch version: 2.0\n" + piece * (length // len(piece))
        start = time.process_time()
        diagnose_report(text)
        return time.process_time() - start

    seconds(1000)
    assert seconds(100_000) < 20 * max(seconds(20_000), 0.02)


def test_facts_of_a_pasted_report_are_bounded() -> None:
    text = "torch-errors doctor report\n" + "".join(f"a{number}: {'x' * 500}\n" for number in range(2_000))
    values = diagnose_report(text).facts.values
    assert len(values) < 1000 and all(len(value) <= 300 for value in values.values())
