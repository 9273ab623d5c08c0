"""The data with which the paste box diagnoses a report, as `torch_errors/doctor/` does: fetched only for a report."""

from __future__ import annotations

import json
import re
from typing import Any

from torch_errors.catalog.entries import Catalog
from torch_errors.doctor import facts, reports
from torch_errors.doctor.rules import FLAGS, Rules, load_rules
from torch_errors.explaining import decode
from torch_errors.languages import ENGLISH
from website.javascript import expression

# Path of the data on the site, next to the module that reads them.
DATA_FILE = "assets/doctor.json"


def doctor_json(catalog: Catalog, language: str = ENGLISH) -> str:
    """Return the data as compact JSON, with the texts in a language."""
    return json.dumps(doctor_data(catalog, language), ensure_ascii=False, separators=(",", ":"))


def doctor_data(catalog: Catalog, language: str = ENGLISH) -> dict[str, Any]:
    """Return the data as values that JSON can represent. Raises ValueError if JavaScript cannot search like Python."""
    rules = load_rules(language)
    expressions = {
        "title": reports.TITLE_LINE,
        "ownLine": reports.OWN_LINE,
        "package": reports.PACKAGE,
        "numbered": reports.NUMBERED,
        "amd": facts.AMD,
    }
    numbered = {"version": facts.VERSION, "architecture": facts.ARCHITECTURE}
    return {
        "rules": rules | {"facts": [_step(step) for step in rules["facts"]]},
        "pages": {id: f"{entry.category}/{id}/" for id in _entries(rules) if (entry := catalog.by_id.get(id))},
        "digits": decode.DIGITS,
        "reading": {
            "expressions": {name: expression(pattern) for name, pattern in expressions.items()}
            | {name: expression(pattern, capture=True) for name, pattern in numbered.items()},
            "longest": facts.LONGEST,
            "within": facts.WITHIN,
            "quoted": facts.QUOTED,
            "variant": facts.VARIANT,
            "byPip": reports.BY_PIP,
            "copied": reports.COPIED,
        },
    }


def _entries(rules: Rules) -> set[str]:
    """Ids of the entries that a finding may lead to."""
    return {*rules["messages"], *(check["entry"] for check in rules["checks"] if "entry" in check)}


def _step(step: Rules) -> Rules:
    return step | {"match": expression(re.compile(step["match"], FLAGS))} if "match" in step else step
