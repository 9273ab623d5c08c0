"""Build the catalog from the files of the guide, with errors that give file, line, entry and field."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, Union, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError, create_model

from torch_errors.catalog.entries import Catalog, Category, Entry, Symptom, former_address
from torch_errors.catalog.fields import (
    INDEX_FIELDS,
    AnyEntry,
    CatalogFile,
    EntryFields,
    ExceptionEntry,
    SilentEntry,
)
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, ENTRY_FILE, find_root
from torch_errors.catalog.yaml_files import Problem, YamlFile, parse_yaml, problems
from torch_errors.errors import UserError

_ENTRY: TypeAdapter[EntryFields] = TypeAdapter(AnyEntry)
_ENTRY_FIELDS = {name for model in get_args(EntryFields) for name in model.model_fields} - set(INDEX_FIELDS)
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def load_catalog(root: Path | None = None) -> Catalog:
    """Read and validate `catalog.yaml` below `root` (default: `find_root()`) and the `entry.yaml` of every entry.

    Raises UserError with a line for each problem: file, line, entry, field and what was expected.
    """
    root = root or find_root()
    index_file = parse_yaml(root / CATALOG_FILE, "it is the index of the guide")
    try:
        index = CatalogFile.model_validate(index_file.value)
    except ValidationError as error:
        raise UserError("\n".join(_index_error(index_file, problem) for problem in problems(error))) from None
    errors: list[str] = []
    categories = []
    for id, category in index.categories.items():
        entries = []
        for entry_id, row in category.entries.items():
            try:
                file = _entry_file(root / ENTRIES_FOLDER / id / entry_id, entry_id)
                fields = _entry_fields(
                    index_file.part("categories", id, "entries", entry_id, entry=entry_id), row, file
                )
            except UserError as error:
                errors.append(str(error))
            else:
                entries.append(Entry(entry_id, id, fields, root, category_title=category.title))
        categories.append(Category(id, category.title, category.summary, category.prompt, tuple(entries)))
    symptoms = [
        Symptom(id, s.title, s.summary, s.keywords, s.workflow, tuple(s.curves)) for id, s in index.symptoms.items()
    ]
    catalog = Catalog(root, tuple(categories), tuple(symptoms))
    errors += [] if errors else _former_ids(catalog) + _symptoms(catalog) + _curves(catalog, index_file)
    if errors:
        raise UserError("\n".join(errors))
    return catalog


def entry_file(entry: Entry) -> YamlFile:
    """Return the `entry.yaml` of an entry, in which fields can be located."""
    return _entry_file(entry.folder, entry.id)


def _entry_file(folder: Path, id: str) -> YamlFile:
    remedy = f"the entry {id} of {CATALOG_FILE} needs it; write it as CONTRIBUTING.md says, or remove the entry there"
    return parse_yaml(folder / ENTRY_FILE, remedy).part(entry=id)


def _index_error(index: YamlFile, problem: Problem) -> str:
    """Return the message for a problem in `catalog.yaml`, with the id of the entry if it is in an entry."""
    if len(problem.keys) < 4 or problem.keys[2] != "entries":
        return index.message(problem)
    above = problem.keys[:4]
    return index.part(*above, entry=above[-1]).message(replace(problem, keys=problem.keys[4:]))


def _entry_fields(index: YamlFile, row: dict[str, Any], file: YamlFile) -> EntryFields:
    """Validate the fields of an entry, which come from its row in the index and from its own file."""
    details = {} if file.value is None else file.value
    if not isinstance(details, dict):
        raise UserError(file.message(Problem((), "must be a mapping of fields")))
    below = f"belongs in {ENTRY_FILE} in the entry's folder"
    misplaced = [index.message(Problem((name,), below)) for name in row if name in _ENTRY_FIELDS]
    misplaced += [
        file.message(Problem((name,), f"belongs in {CATALOG_FILE}")) for name in details if name in INDEX_FIELDS
    ]
    if misplaced:
        raise UserError("\n".join(misplaced))

    def message(problem: Problem) -> str:
        field = problem.keys[0] if problem.keys else "kind"
        if field in INDEX_FIELDS or field in row:
            return index.message(problem)
        if problem.keys == (field,) and problem.kind == "extra_forbidden" and field in _ENTRY_FIELDS:
            problem = replace(problem, message=f"does not go with the entry's kind in {CATALOG_FILE}")
        return file.message(problem)

    try:
        return _ENTRY.validate_python(details | row)
    except ValidationError as error:
        raise UserError("\n".join(map(message, problems(error)))) from None


def _former_ids(catalog: Catalog) -> list[str]:
    """Return an error for each former id that is an id, belongs to two entries, or is listed twice."""
    targets: dict[str, str] = {}  # former id -> id of the entry that it leads to
    errors: list[str] = []
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
            elif targets.get(id, entry.id) != entry.id:
                problem = f"{id} leads to {targets[id]} already; list it in one of the two only"
            addresses.add(address)
            targets.setdefault(id, entry.id)
            if problem:
                errors.append(entry_file(entry).message(Problem(("formerly", number), problem)))
    return errors


def _symptoms(catalog: Catalog) -> list[str]:
    """Return an error for each unknown symptom, and for each silent failure to which no page of a symptom leads."""
    ids = [symptom.id for symptom in catalog.symptoms]
    errors: list[str] = []
    for entry in catalog:
        wrong = [id for id in entry.fields.symptoms if id not in ids]
        if not wrong and ids and entry.kind == "silent" and not entry.fields.symptoms:
            missing = f"is missing; take of {', '.join(ids)}"
            errors.append(entry_file(entry).message(Problem(("symptoms",), missing)))
        for id in wrong:
            message = f"{CATALOG_FILE} has no such symptom; it has {', '.join(ids) or 'none'}"
            errors.append(entry_file(entry).message(Problem(("symptoms", id), message)))
    return errors


def _curves(catalog: Catalog, index: YamlFile) -> list[str]:
    """Return an error for each picture of a symptom that no run of one of its causes can give."""
    errors: list[str] = []
    for symptom in catalog.symptoms:
        for number, drawn in enumerate(symptom.curves):
            entry, problem = catalog.by_id.get(drawn.entry), None
            curve = entry.fields.curve if entry and isinstance(entry.fields, SilentEntry) else None
            if entry is None or symptom.id not in entry.fields.symptoms:
                problem = f"{drawn.entry} is no entry with this symptom"
            elif curve is None:
                problem = f"the entry {drawn.entry} has no `curve`"
            elif unknown := [name for name in drawn.y if name not in curve.y]:
                problem = f"the `curve` of {drawn.entry} has no {', '.join(unknown)}"
            if problem:
                errors.append(index.message(Problem(("symptoms", symptom.id, "curves", number), problem)))
    return errors


def catalog_schema() -> dict[str, Any]:
    """Return the JSON Schema of `catalog.yaml`, for editors."""
    schema, rows = CatalogFile.model_json_schema(), _schema(INDEX_FIELDS, get_args(EntryFields))
    schema["$defs"] |= rows.pop("$defs")
    schema["$defs"]["CategoryFields"]["properties"]["entries"]["additionalProperties"] = rows
    return {"$schema": JSON_SCHEMA} | schema


def entry_schema() -> dict[str, Any]:
    """Return the JSON Schema of an `entry.yaml`, for editors. The kind of the entry decides which form applies."""
    title = "The failure that an entry demonstrates, and what `explain` says about it"
    return {"$schema": JSON_SCHEMA, "title": title} | _schema(_ENTRY_FIELDS, (ExceptionEntry, SilentEntry))


def _schema(names: Collection[str], models: tuple[type[BaseModel], ...]) -> dict[str, Any]:
    """Return the JSON Schema of the given fields of an entry: each of its two files has only some of them."""
    forms = []
    for model in models:
        fields: dict[str, Any] = {
            name: (field.annotation, field) for name, field in model.model_fields.items() if name in names
        }
        forms.append(create_model(model.__name__, __config__=model.model_config, **fields))
    any_form: Any = Union[tuple(forms)]  # noqa: UP007
    return TypeAdapter(any_form).json_schema()
