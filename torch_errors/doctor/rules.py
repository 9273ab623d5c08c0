"""The rules of `checks.yaml` in one language, compiled: plain values, which the site evaluates, too (doctor.js)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from torch_errors.catalog.expressions import compile_expression, compile_text

PATH = Path(__file__).with_name("checks.yaml")
FLAGS = re.ASCII | re.MULTILINE
Rules = dict[str, Any]


@cache
def load_rules(language: str) -> Rules:
    """Return the rules: `facts`, `messages`, `commands`, `topics` and `checks`. Raises UserError or ValueError."""
    from torch_errors.catalog.yaml_files import parse_yaml  # slow to import, and `explain` needs it for reports only

    file: Rules = parse_yaml(PATH, "it contains the checks of torch-errors doctor").value
    return {
        "facts": [_step(row) for row in file["facts"]],
        "messages": {id: refuted and compile_expression(refuted) for id, refuted in file["messages"].items()},
        "commands": {
            name: {manager: compile_text(text) for manager, text in texts.items()}
            for name, texts in file["commands"].items()
        },
        "topics": [_said(row, language, "name", "fine") for row in file["topics"]],
        "checks": [_said(row, language, "says", "fix") for row in file["checks"]],
    }


def _step(row: Rules) -> Rules:
    """Compile a step that adds facts."""
    step = dict(row)
    if "when" in row:
        step["when"] = compile_expression(row["when"])
    if "set" in row:
        step["set"] = {name: compile_text(text) for name, text in row["set"].items()}
    if "lookup" in row:
        step["lookup"] = compile_text(row["lookup"])
    return step


def _said(row: Rules, language: str, *texts: str) -> Rules:
    """Compile a row with texts for the reader; `when` becomes a list of alternatives."""
    when = row.get("when", [])
    conditions = [compile_expression(condition) for condition in ([when] if isinstance(when, str) else when)]
    return row | {"when": conditions} | {name: compile_text(row[name][language]) for name in texts}
