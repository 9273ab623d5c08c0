"""The tool for assistants (`torch-errors mcp`): what a pasted report of an installation shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from torch_errors.catalog.locate import own_root
from torch_errors.doctor import diagnosis

# Findings, lines of evidence, and characters of a line in an answer.
FINDINGS, EVIDENCE, LINE = 4, 2, 120


def diagnose_report(
    text: Annotated[str, Field(min_length=1, description="collect_env, nvidia-smi, pip list, conda list or similar")],
    language: Annotated[Literal["en", "zh"], Field(description="language of the answer")] = "en",
) -> dict[str, Any]:
    """Find out what is wrong with an installation from a report of it: driver, build, GPU, packages.

    Use it when the GPU is not used, or packages do not fit. Not for a mere message: use explain_error.
    Returns `findings`, each with evidence and the command that the user may run, and what is `fine` and `unknown`.
    """
    found = diagnosis.diagnose_report(text, language, own_root())
    findings = [
        {"id": one.id, "entry": one.entry, "certainty": one.certainty, "says": one.says, "fix": one.fix}
        | {"evidence": [line[:LINE] for line in one.evidence[:EVIDENCE]]}
        for one in found.findings[:FINDINGS]
    ]
    hint = "get_entry(entry) explains a finding" if findings else "the report shows no fault: say so"
    return {"findings": findings, "fine": found.fine, "unknown": found.unknown, "next": hint}
