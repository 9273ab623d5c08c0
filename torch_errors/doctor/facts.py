"""Facts about an installation, each with the place where it was found, and the steps that add to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from torch_errors.doctor.rules import FLAGS, Rules
from torch_errors.explaining.decode import holds, render

# Maximum length of a value in characters, of the text that is read, and of a line that is quoted.
LONGEST, WITHIN, QUOTED = 300, 200_000, 160
# What a value that is compared as a version begins with. One part has at most this many digits.
VERSION = re.compile(r"v?(\d{1,4})\.(\d{1,3})(?:\.(\d{1,3}))?(?!\d)", re.ASCII)
# An architecture of NVIDIA: a number such as 86 for 8.6, and the letter of those that are for one chip only.
ARCHITECTURE = re.compile(r"(sm|compute)_(\d{1,2})(\d)([af]?)(?!\w)", re.ASCII)
AMD = re.compile(r"gfx[0-9a-f]{3,5}", re.ASCII)
# The name of a group is that of a fact; what follows this only tells groups apart.
VARIANT = "__"
# What is stripped from values and lines: Python and JavaScript differ in what else is white space.
SPACE = " \t\r\n"
# What names of facts end with that `Facts.put` derives from a version.
DERIVED = ("_number", "_minor")


@dataclass
class Facts:
    """Facts by name. The first value that is known for a name stays."""

    values: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)  # name -> the line, file or program that tells so
    concluded: set[str] = field(default_factory=set)  # names of facts that follow from others

    def put(self, name: str, value: str, place: str | None) -> None:
        """Add a fact, and its number and minor version if it is a version."""
        value = value.strip(SPACE)[:LONGEST]
        if name in self.values or not value:
            return
        version = VERSION.match(value)
        told = {name: value}
        if version:
            major, minor, patch = version.groups("0")
            told[f"{name}_number"] = str(int(major) * 1_000_000 + int(minor) * 1_000 + int(patch))
            told[f"{name}_minor"] = f"{int(major)}.{int(minor)}"
        for known, text in told.items():
            self.values[known] = text
            if place:
                self.places[known] = place

    @property
    def found(self) -> dict[str, str]:
        """The facts that were found, without those that follow from them."""
        left_out = self.concluded | {name for name in self.values if name.endswith(DERIVED)}
        return {name: value for name, value in self.values.items() if name not in left_out}


def conclude(facts: Facts, steps: list[Rules], text: str = "") -> None:
    """Add what the steps say, in their order: from the text, from other facts, and defaults."""
    values = facts.values
    for step in steps:
        known = set(values)
        if "in" in step:
            _match(facts, step, values.get(step["in"], ""), facts.places.get(step["in"]))
        elif "match" in step:
            _match(facts, step, text)
            continue
        elif "when" in step:
            if holds(step["when"], values):
                places = [facts.places[name] for name in names(step["when"]) if name in facts.places]
                _put_all(facts, step["set"], places[0] if places else None)
        else:
            row = step["rows"].get(render(step["lookup"], values)) if "lookup" in step else step["default"]
            for name, value in (row or {}).items():
                facts.put(name, value, None)
        facts.concluded |= values.keys() - known
    fits(facts)


def _match(facts: Facts, step: Rules, text: str, place: str | None = None) -> None:
    """Add the groups of the first match; without a place, it is the line of the text."""
    match = _compiled(step["match"]).search(text)
    if not match:
        return
    place = place or quoted(text, match.start())
    for name, value in match.groupdict().items():
        if value is not None:
            facts.put(name.partition(VARIANT)[0], value, place)
    _put_all(facts, step.get("set", {}), place)


def _put_all(facts: Facts, texts: Mapping[str, str], place: str | None) -> None:
    for name, text in texts.items():
        value = render(text, facts.values)
        if value is not None:
            facts.put(name, value, place)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, FLAGS)


def names(tree: Any) -> Iterator[str]:
    """Return the names in a condition, in order."""
    if isinstance(tree, list):
        if tree[0] == "name":
            yield tree[1]
        else:
            for part in tree[1:]:
                yield from names(part)


def quoted(text: str, at: int) -> str:
    """Return the line at a position of a text, shortened, with its number."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)].strip(SPACE)
    return f"{text.count(chr(10), 0, at) + 1}: {line[:QUOTED]}"


def fits(facts: Facts) -> None:
    """Conclude `fits` and `devices`: whether the architectures of the build include every GPU that is known.

    Code for sm_86 runs on 8.6 and later minor versions of 8; code for compute_90 (PTX) runs on 9.0 and everything
    later; sm_90a is for 9.0 only. Code for AMD runs on the very same gfx number.
    """
    facts.concluded |= {"fits", "devices"}
    built = facts.values.get("architectures", "")
    if "gfx" in built and (wanted := AMD.findall(facts.values.get("gfx", ""))):
        facts.put("fits", "yes" if set(wanted) <= set(AMD.findall(built)) else "no", None)
        facts.put("devices", " ".join(wanted), None)
    elif "sm_" in built and (capabilities := re.findall(r"\d{2,3}", facts.values.get("capability", ""), re.ASCII)):
        code = [(kind, int(major), int(minor), only) for kind, major, minor, only in ARCHITECTURE.findall(built)]
        good = all(any(_runs(part, int(one)) for part in code) for one in capabilities)
        facts.put("fits", "yes" if good else "no", None)
        facts.put("devices", " ".join(f"sm_{one}" for one in capabilities), None)


def _runs(code: tuple[str, int, int, str], capability: int) -> bool:
    kind, major, minor, only = code
    number = 10 * major + minor
    if only == "a":
        return number == capability
    return number <= capability and (kind == "compute" or capability // 10 == major)
