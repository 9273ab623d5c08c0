"""Reading YAML files that people write, with errors that name file, line, entry, field and what was expected."""

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

# How the tags of unions start that pydantic adds to the place of an error. They are no part of the file.
UNION_TAG = "<union> "
_T = TypeVar("_T")
Keys = tuple[Any, ...]  # names of fields and numbers of items, from the top of a file


@dataclass(frozen=True)
class Problem:
    """One error in a file, by its place in the value that was validated."""

    keys: Keys
    message: str
    value: Any = None  # what was found there
    kind: str = ""  # type of the error, as pydantic calls it


@dataclass(frozen=True)
class YamlFile:
    """A parsed YAML file, or a part of one, in which fields can be located."""

    path: Path
    text: str
    value: Any
    above: Keys = ()  # the part of the file
    entry: str | None = None  # id of the entry that the part is about

    def part(self, *above: Any, entry: str) -> YamlFile:
        """What the file says of an entry."""
        return replace(self, above=above, entry=entry)

    def line(self, keys: Keys) -> int:
        """Line (from 1) of the deepest node on the path `keys` from the top of the part."""
        return self._located(keys)[0]

    def said(self, problem: Problem) -> str:
        """A problem in one line: file, line, entry, field, what was expected, and what was found."""
        line, found = self._located(problem.keys)
        field = ".".join(map(str, problem.keys))
        name = ", ".join([f"entry {self.entry}"] * bool(self.entry) + [f"field {field}"] * bool(field))
        shown = f" (found {problem.value!r})" if found and isinstance(problem.value, (str, int, float, bool)) else ""
        return f"{self.path}:{line}: {name or 'the document'}: {problem.message}{shown}"

    def _located(self, keys: Keys) -> tuple[int, bool]:
        """Line of the deepest node on the path, and whether the whole path exists."""
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
    """The file at `path`. Raises UserError with `remedy` if it cannot be read, and with the line if it is not YAML."""
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
    """The validated value of a file. Raises UserError with a line for each problem."""
    file = parse_yaml(path, remedy)
    try:
        return model.validate_python(file.value)
    except ValidationError as error:
        raise UserError("\n".join(map(file.said, problems(error)))) from None


def problems(error: ValidationError) -> Iterator[Problem]:
    """What pydantic found, in the words of this program."""
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
