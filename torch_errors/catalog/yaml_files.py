"""Read YAML files that people write, with errors that give file, line, entry, field and what was expected."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from torch_errors.errors import UserError
from torch_errors.reading import read_text

# Prefix of the tags of our unions. pydantic adds these tags to the location of an error; they are not in the file.
UNION_TAG = "<union> "
_T = TypeVar("_T")
Keys = tuple[Any, ...]  # path to a value: names of fields and indices of items


@dataclass(frozen=True)
class Problem:
    """One error in a file, with its path in the validated value."""

    keys: Keys
    message: str
    value: Any = None  # the wrong value
    kind: str = ""  # type of the error in pydantic


@dataclass(frozen=True)
class YamlFile:
    """A parsed YAML file, or a part of it, in which fields can be located."""

    path: Path
    text: str
    value: Any
    above: Keys = ()  # path of the part in the file
    entry: str | None = None  # id of the entry that the part describes

    def part(self, *above: Any, entry: str) -> YamlFile:
        """Return the part of the file at the path `above`, which describes an entry."""
        return replace(self, above=above, entry=entry)

    def line(self, keys: Keys) -> int:
        """Return the line (from 1) of the deepest existing node on the path `keys` in this part."""
        return self._located(keys)[0]

    def message(self, problem: Problem) -> str:
        """Return the message for a problem in one line: file, line, entry, field, what was expected, and the value."""
        line, exists = self._located(problem.keys)
        field = ".".join(map(str, problem.keys))
        name = ", ".join([f"entry {self.entry}"] * bool(self.entry) + [f"field {field}"] * bool(field))
        shown = f" (found {problem.value!r})" if exists and isinstance(problem.value, (str, int, float, bool)) else ""
        return f"{self.path}:{line}: {name or 'the document'}: {problem.message}{shown}"

    def _located(self, keys: Keys) -> tuple[int, bool]:
        """Return the line of the deepest existing node on the path, and whether the whole path exists."""
        node, line = self._top, 1
        for key in (*self.above, *keys):
            child = None
            if isinstance(node, yaml.MappingNode):
                for key_node, value_node in node.value:
                    if key_node.value == str(key):
                        child, line = value_node, key_node.start_mark.line + 1
            elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
                child = node.value[key]
                line = child.start_mark.line + 1
            if child is None:
                return line, False
            node = child
        return line, True

    @cached_property
    def _top(self) -> yaml.Node | None:
        return yaml.compose(self.text, Loader=yaml.SafeLoader)


def parse_yaml(path: Path, remedy: str) -> YamlFile:
    """Parse the file at `path`. Raises UserError with `remedy` if it can't be read, with the line if it isn't YAML."""
    text = read_text(path, remedy)
    try:
        return YamlFile(path, text, yaml.load(text, Loader=_UniqueKeyLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UserError(f"{path}:{line}: not valid YAML: {error.reason}") from None


def read_yaml(path: Path, model: TypeAdapter[_T], remedy: str) -> _T:
    """Return the validated value of a file. Raises UserError with one line for each problem."""
    file = parse_yaml(path, remedy)
    try:
        return model.validate_python(file.value)
    except ValidationError as error:
        raise UserError("\n".join(map(file.message, problems(error)))) from None


def problems(error: ValidationError) -> Iterator[Problem]:
    """Convert the errors of pydantic, with messages that do not require knowledge of pydantic."""
    for item in error.errors(include_url=False):
        keys = tuple(key for key in item["loc"] if key != "[key]" and not str(key).startswith(UNION_TAG))
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "missing":
            message = "is missing"
        elif item["type"] == "extra_forbidden":
            message = "is not a known field"
        elif item["type"] == "union_tag_not_found":
            message = "needs a field `kind`: exception, warning or silent"
        yield Problem(keys, message.replace(UNION_TAG, ""), item.get("input"), item["type"])


class _UniqueKeyLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Refuses duplicate keys, which YAML forbids. PyYAML would silently use the last value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key must be plain text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)
