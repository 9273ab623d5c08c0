"""The data with which the paste box of the site makes a prompt, as `torch_errors.prompting` does.

They hold the prompts, what these quote of the guide, and the rules of redaction, rewritten for JavaScript.
`website/docs/assets/prompting.js` says what they mean.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.locate import ENTRIES_FOLDER
from torch_errors.catalog.texts import load_texts
from torch_errors.errors import UserError
from torch_errors.languages import ENGLISH, Texts
from torch_errors.prompting import compose, redaction, template
from torch_errors.prompting.template import FOLDER, load_prompts
from website.javascript import expression

# Where the data lie on the site, beside the module that reads them.
DATA_FILE = "assets/prompts.json"
# The prompt for an error that the catalog does not know.
UNKNOWN = "error-analysis"


def exists(root: Path) -> bool:
    """Whether the guide has prompts."""
    return all((root / FOLDER / f"{name}.md").is_file() for name in ("README", UNKNOWN))


def prompts_json(catalog: Catalog, language: str = ENGLISH) -> str:
    """The data as compact JSON, in a language. Raises UserError where a rule cannot be said in JavaScript."""
    return json.dumps(prompts_data(catalog, language), ensure_ascii=False, separators=(",", ":"))


def prompts_data(catalog: Catalog, language: str = ENGLISH) -> dict[str, Any]:
    """The data as values that JSON can represent."""
    prompts = load_prompts(catalog.root, language)
    prompt_of_category = {category.id: category.prompt for category in catalog.categories if category.prompt in prompts}
    used = {UNKNOWN, *prompt_of_category.values()}
    try:
        return {
            "prompts": {name: {"title": prompts[name].title, "text": prompts[name].text} for name in sorted(used)},
            "unknown": UNKNOWN,
            "promptOfCategory": prompt_of_category,
            "template": {name: expression(pattern, capture=True) for name, pattern in template.EXPRESSIONS.items()},
            "explanation": _explanation(catalog, load_texts(language)),
            "redaction": _redaction(),
        }
    except ValueError as error:
        raise UserError(f"the data of the prompts: {error}") from None


def _explanation(catalog: Catalog, texts: Texts) -> dict[str, Any]:
    parts = {"happened": compose.HAPPENED, "fix": compose.FIX, "why": compose.WHY, "source": compose.SOURCE}
    mechanisms = {
        entry.id: compose.mechanism(
            catalog.root / ENTRIES_FOLDER / entry.category / entry.id / "README.md", texts.language
        )
        for entry in catalog
    }
    return {**{name: texts.word(text) for name, text in parts.items()}, "mechanisms": mechanisms}


def _redaction() -> dict[str, Any]:
    return {
        # What a rule puts is text and the number of a group in turn: what `re` calls a template.
        "rules": [
            {
                "what": rule.what,
                "source": expression(rule.find, capture=True),
                "put": [int(part) if at % 2 else part for at, part in enumerate(re.split(r"\\(\d)", rule.put))],
            }
            for rule in redaction.rules()
        ],
        "owner": expression(redaction.OWNER, capture=True),
        "ownerPut": redaction.USER,
        "common": sorted(redaction.COMMON),
        "shortestName": redaction.SHORTEST_NAME,
        "named": redaction.NAMED,
        "longest": redaction.LONGEST,
        "leftOut": compose.LEFT_OUT,
    }
