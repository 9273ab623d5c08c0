"""The paste box diagnoses reports as the program does, field by field. The module runs as it is published, in V8."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from tests import data
from tests.guide import CATALOG
from tests.site.javascript import Modules
from torch_errors.doctor.answer import report_text
from torch_errors.doctor.diagnosis import diagnose_report
from torch_errors.doctor.reports import REPORT, is_report
from torch_errors.explaining.explain import explain
from website.doctor import doctor_data, doctor_json
from website.javascript import expression

TEXTS: list[str] = [report["report"] for report in data("reports.yaml")]
ODD = [
    *(report_text(diagnose_report(text)) for text in TEXTS[:40:5]),
    *(text.replace("\n", "\r\n") for text in TEXTS[:3]),
    *(f"> {line}" for line in TEXTS[0].splitlines()),
    "\n".join(reversed(TEXTS)),
    "\n" + TEXTS[3] + "\x1c\u3000\n",
    "torch-errors doctor report\n__proto__: x\nconstructor: y\nvalue_of: z\ngpu: \U0001f4a9" + "\U0001f4a9" * 400,
    "GPU 3: NVIDIA A40\nGPU 1: NVIDIA A40\ntorch==2.1.0\ntorch 1.13 py3_0 main\npytorch 2.0 cuda\ntorch 2 <pip>",
    "torch-errors doctor report\narchitectures: sm_80 sm_100a\ncapability: 103\n",
    "torch-errors doctor report\narchitectures: sm_80 sm_90a\ncapability: 90\n",
    "CUDA_VISIBLE_DEVICES=''\nis_available() False\nPyTorch version: 2.1.0.\n",
]


def in_python(text: str, language: str) -> dict[str, Any]:
    diagnosis = diagnose_report(text, language)
    pages = {entry.id: f"{entry.category}/{entry.id}/" for entry in CATALOG}
    findings = [dataclasses.asdict(one) | {"page": pages.get(one.entry or "")} for one in diagnosis.findings]
    told: dict[str, Any] = json.loads(
        json.dumps({"findings": findings, "fine": diagnosis.fine, "unknown": diagnosis.unknown})
    )
    return told


def in_javascript(texts: list[str], language: str) -> list[dict[str, Any]]:
    modules = Modules("doctor.js")
    rules = json.dumps(doctor_json(CATALOG, language))
    modules.run(f"const diagnose = modules.doctor.doctor(JSON.parse({rules}))")
    errors = [
        [
            {"entry": {"id": one.id, "summary": one.entry.summary}, "line": one.line, "message": one.message}
            | {"says": one.says, "fix": one.fix}
            for one in explain(text, language=language)
        ]
        for text in texts
    ]
    answers: list[dict[str, Any]] = modules.call(
        "(texts, errors) => texts.map((text, number) => diagnose(text, errors[number]))", texts, errors
    )
    return answers


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_say_the_same(language: str) -> None:
    texts = [*TEXTS, *ODD]
    for text, answer in zip(texts, in_javascript(texts, language), strict=True):
        assert answer == in_python(text, language), text


def test_both_recognize_reports() -> None:
    texts = [*TEXTS, *ODD, "RuntimeError: mat1", "torch.nn.Linear(3, 4)"]
    modules = Modules()
    recognized = modules.call(
        "(source, texts) => texts.map((text) => new RegExp(source, 'u').test(text))", expression(REPORT), texts
    )
    assert recognized == [is_report(text) for text in texts] and not all(recognized) and any(recognized)


def test_rules_are_fetched_for_reports_only() -> None:
    """They are larger than an answer that needs none."""
    assert len(doctor_json(CATALOG)) < 60_000
    assert set(doctor_data(CATALOG)) == {"rules", "pages", "digits", "reading"}
