"""What the catalog and the program say in another language.

The program and the categories are translated in `catalog.zh.yaml`, each entry in the `entry.zh.yaml` of its folder.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from torch_errors.catalog.locate import ENTRIES_FOLDER, ENTRY_TEXTS_FILE, TEXTS_FILE
from torch_errors.errors import UserError
from torch_errors.languages import ENGLISH, Texts

_REMEDY = "`torch-errors translations` says more"


@lru_cache(maxsize=8)
def load_texts(root: Path, language: str) -> Texts:
    """The texts of a language; none where it is not translated.

    Raises UserError with the file where one cannot be read.
    """
    if language == ENGLISH:
        return Texts(language)
    path = root / TEXTS_FILE
    main = _mapping(path, {"interface", "categories", "symptoms"}) if path.is_file() else {}
    categories = main.get("categories") or {}
    if not isinstance(categories, dict):
        raise UserError(f"{path}: field categories: must be a mapping by category id; {_REMEDY}")
    symptoms = main.get("symptoms") or {}
    if not isinstance(symptoms, dict) or not all(isinstance(one, dict) for one in symptoms.values()):
        raise UserError(f"{path}: field symptoms: must be a mapping by symptom id; {_REMEDY}")
    entries, keywords = {}, {}
    for file in sorted(root.glob(f"{ENTRIES_FOLDER}/*/*/{ENTRY_TEXTS_FILE}")):
        id, fields = file.parent.name, _mapping(file, {"texts", "keywords"})
        entries[id] = _texts(fields.get("texts"), file, "texts")
        keywords[id] = _keywords(fields.get("keywords"), file, "keywords")
    return Texts(
        language,
        _texts(main.get("interface"), path, "interface"),
        {id: _texts(below, path, f"categories.{id}") for id, below in categories.items()},
        entries,
        keywords,
        {id: _texts(one.get("texts"), path, f"symptoms.{id}.texts") for id, one in symptoms.items()},
        {id: _keywords(one.get("keywords"), path, f"symptoms.{id}.keywords") for id, one in symptoms.items()},
    )


def _mapping(path: Path, known: set[str]) -> dict[str, Any]:
    """The top level of a file of texts."""
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=loader) or {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise UserError(f"{path}{f':{mark.line + 1}' if mark else ''}: not valid YAML: {error.problem}") from None
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"{path}: cannot be read ({error}); {_REMEDY}") from None
    if not isinstance(document, dict):
        raise UserError(f"{path}: must be a mapping; {_REMEDY}")
    if unknown := sorted(map(str, document.keys() - known)):
        raise UserError(f"{path}: field {unknown[0]}: is not a known field; it may hold {', '.join(sorted(known))}")
    return document


def _texts(value: Any, path: Path, field: str) -> dict[str, str]:
    """A mapping of English texts to their translations."""
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(text, str) for pair in value.items() for text in pair):
        raise UserError(f"{path}: field {field}: must map English texts to their translations; {_REMEDY}")
    return value


def _keywords(value: Any, path: Path, field: str) -> list[str]:
    """A list of words by which people search."""
    words = value or []
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UserError(f"{path}: field {field}: must be a list of texts; {_REMEDY}")
    return words
