"""From the files of the guide to the catalog, with errors that name file, line, entry and field."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from torch_errors.catalog.entries import Catalog, Category, Entry, Symptom, former_address
from torch_errors.catalog.fields import (
    CatalogFile,
    Details,
    ExceptionRow,
    MessageDetails,
    Row,
    SilentDetails,
    SilentRow,
    WarningRow,
    combined,
    details_model,
)
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, ENTRY_FILE, find_root
from torch_errors.errors import UserError
from torch_errors.reading import read_text

_ROW_FIELDS = {name for model in (ExceptionRow, WarningRow, SilentRow) for name in model.model_fields}
_DETAIL_FIELDS = {name for model in (MessageDetails, SilentDetails) for name in model.model_fields}
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def load_catalog(root: Path | None = None) -> Catalog:
    """Read and validate `catalog.yaml` below `root` (default: `find_root()`) and the `entry.yaml` of every entry.

    Raises UserError with a line for each problem: file, line, entry, field and what was expected.
    """
    root = root or find_root()
    path = root / CATALOG_FILE
    text = read_text(path, "it is the index of the guide")
    try:
        index = CatalogFile.model_validate(_parsed(path, text))
    except ValidationError as error:
        raise UserError("\n".join(_problems(error, path, text))) from None
    problems: list[str] = []
    categories = []
    for id, fields in index.categories.items():
        entries = []
        for entry_id, row in fields.entries.items():
            try:
                details = _load_details(root / ENTRIES_FOLDER / id / entry_id / ENTRY_FILE, entry_id, row)
            except UserError as error:
                problems.append(str(error))
            else:
                entries.append(Entry(entry_id, id, combined(row, details), root, category_title=fields.title))
        categories.append(Category(id, fields.title, fields.summary, fields.prompt, tuple(entries)))
    symptoms = [Symptom(id, s.title, s.summary, tuple(s.keywords), s.workflow) for id, s in index.symptoms.items()]
    catalog = Catalog(root, tuple(categories), tuple(symptoms))
    problems += [] if problems else _former_ids(catalog) + _symptoms(catalog)
    if problems:
        raise UserError("\n".join(problems))
    return catalog


def _load_details(path: Path, id: str, row: Row) -> Details:
    remedy = f"the entry {id} of {CATALOG_FILE} needs it; write it as CONTRIBUTING.md says, or remove the entry there"
    text = read_text(path, remedy)
    document = _parsed(path, text)
    try:
        return details_model(row).model_validate({} if document is None else document)
    except ValidationError as error:
        raise UserError("\n".join(_problems(error, path, text, id))) from None


def _former_ids(catalog: Catalog) -> list[str]:
    """Problems: a former id is nobody's id now and no other entry's former id, and a former address is given once."""
    led: dict[str, str] = {}  # former id -> the entry that it leads to
    problems = []
    for entry in catalog:
        addresses: set[str] = set()
        for number, former in enumerate(entry.fields.formerly):
            address = former_address(entry.category, former)
            id = address.partition("/")[2]
            problem = None
            if address == f"{entry.category}/{entry.id}":
                problem = f"the entry is at {address} now; leave it out"
            elif id != entry.id and id in catalog.by_id:
                problem = f"{id} is an entry of {catalog.by_id[id].category}; leave it out, or rename that entry"
            elif address in addresses:
                problem = f"{address} is listed twice; leave one out"
            elif led.get(id, entry.id) != entry.id:
                problem = f"{id} leads to {led[id]} already; list it in one of the two only"
            addresses.add(address)
            led.setdefault(id, entry.id)
            if problem:
                path = entry.folder / ENTRY_FILE
                keys = ["formerly", number]
                line, _ = _locate(path.read_text(encoding="utf-8"), keys)
                problems.append(f"{path}:{line}: entry {entry.id}, field formerly.{number}: {problem}")
    return problems


def _symptoms(catalog: Catalog) -> list[str]:
    """Problems: entries name symptoms of the catalog, and silent ones at least one, or no page would lead to them."""
    known = [symptom.id for symptom in catalog.symptoms]
    problems = []
    for entry in catalog:
        path = entry.folder / ENTRY_FILE
        wrong = [id for id in entry.fields.symptoms if id not in known]
        if not wrong and known and entry.kind == "silent" and not entry.fields.symptoms:
            problems.append(f"{path}:1: entry {entry.id}, field symptoms: is missing; take of {', '.join(known)}")
        for id in wrong:
            line, _ = _locate(path.read_text(encoding="utf-8"), ["symptoms", id])
            where = f"{path}:{line}: entry {entry.id}, field symptoms.{id}"
            problems.append(f"{where}: {CATALOG_FILE} has no such symptom; it has {', '.join(known) or 'none'}")
    return problems


def catalog_schema() -> dict[str, Any]:
    """JSON Schema of `catalog.yaml`, for editors."""
    return {"$schema": JSON_SCHEMA} | CatalogFile.model_json_schema()


def entry_schema() -> dict[str, Any]:
    """JSON Schema of an `entry.yaml`, for editors. Which of its two forms applies depends on the entry's kind."""
    schema = TypeAdapter(Details).json_schema()
    title = "What an entry promises, and what `explain` says about it"
    return {"$schema": JSON_SCHEMA, "title": title} | schema


# YAML --------------------------------------------------------------------------------------------------------------


class _UniqueKeyLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Refuses a key given twice: YAML forbids it, and PyYAML would silently let the last one win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a plain text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _parsed(path: Path, text: str) -> Any:
    try:
        return yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UserError(f"{path}:{line}: not valid YAML: {error.reason}") from None


def _problems(error: ValidationError, path: Path, text: str, id: str | None = None) -> list[str]:
    """One line a problem: file, line, entry, field, what was expected and found; `id`: the entry whose file it is."""
    lines = []
    for problem in error.errors(include_url=False):
        keys = _without_tags(list(problem["loc"]))
        line, found = _locate(text, keys)
        entry, field_keys = id, keys
        if id is None and len(keys) >= 4 and keys[0] == "categories" and keys[2] == "entries":
            entry, field_keys = keys[3], keys[4:]
        field = ".".join(map(str, field_keys))
        name = ", ".join([f"entry {entry}"] * bool(entry) + [f"field {field}"] * bool(field)) or "the document"
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "missing":
            message = "is missing"
        elif problem["type"] == "extra_forbidden":
            message = _unknown(field, of_entry=entry is not None and id is None, in_entry=id is not None)
        elif problem["type"] == "union_tag_not_found":
            message = "needs a field `kind`: exception, warning or silent"
        value = problem.get("input")
        shown = f" (found {value!r})" if found and isinstance(value, (str, int, float, bool)) else ""
        lines.append(f"{path}:{line}: {name}: {message}{shown}")
    return lines


def _unknown(field: str, of_entry: bool, in_entry: bool) -> str:
    """What to say of a field that a file may not hold; perhaps it belongs in the other file."""
    if of_entry and field in _DETAIL_FIELDS:
        return f"belongs in {ENTRY_FILE} in the entry's folder"
    if in_entry and field in _ROW_FIELDS:
        return f"belongs in {CATALOG_FILE}"
    if in_entry and field in _DETAIL_FIELDS:
        return f"does not go with the entry's kind in {CATALOG_FILE}"
    return "is not a known field"


def _without_tags(keys: list[Any]) -> list[Any]:
    """The path in the file: pydantic's has one more level, the member of the union, where a union is tagged."""
    keys = [key for key in keys if key != "[key]"]
    if len(keys) > 4 and keys[0] == "categories" and keys[2] == "entries":
        del keys[4]  # the kind of the entry
    for union in ("wrong_fix", "says"):
        if union in keys and keys.index(union) + 1 < len(keys):
            del keys[keys.index(union) + 1]
    return keys


def _locate(text: str, keys: list[Any]) -> tuple[int, bool]:
    """Line (from 1) of the deepest node on the path `keys`, and whether the whole path is there."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line, found = 1, True
    for key in keys:
        child = None
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                if key_node.value == str(key):
                    child, line = value_node, key_node.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            child = node.value[key]
            line = child.start_mark.line + 1
        if child is None:
            found = False
            break
        node = child
    return line, found
