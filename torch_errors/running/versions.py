"""`recorded/versions.yaml` of an entry: what verification found with each version of torch, and what the message was.

    versions: {2.6.0: held, 2.15.0: held}
    messages: {2.6.0: 'RuntimeError: …', 2.15.0: 'RuntimeError: …'}

Written by `make versions`. A message stands where it differs from the one of the version before. Results of one version
stay as they are when another is added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.locate import RECORDED_FOLDER
from torch_errors.errors import UserError
from torch_errors.running.recordings import without_addresses

VERSIONS_FILE = f"{RECORDED_FOLDER}/versions.yaml"
HELD, SKIPPED, NOT_HELD = "held", "skipped", "not held"
_HEAD = "# Verified with each version of torch on a CPU; the message where it changes. Written by `make versions`.\n"
# Of a message and of a finding, in characters.
_LONGEST = 600


@dataclass(frozen=True)
class Versions:
    """The results of one entry by version, `2.6.0`."""

    results: Mapping[str, str] = field(default_factory=dict)  # held, or `skipped: why`, or `not held: why`
    messages: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def load(entry: Entry) -> Versions:
        """The file of an entry; empty where it has none. Raises UserError where it was edited and cannot be read."""
        path = entry.folder / VERSIONS_FILE
        if not path.is_file():
            return Versions()
        try:
            found = yaml.safe_load(path.read_text(encoding="utf-8"))
            results, messages = found["versions"], found.get("messages", {})
            if not all(isinstance(text, str) for pair in [*results.items(), *messages.items()] for text in pair):
                raise TypeError("versions and messages must be texts")
        except (ValueError, TypeError, LookupError, AttributeError, yaml.YAMLError) as error:
            raise UserError(f"{path}: not what `make versions` writes ({error}); run it again") from None
        return Versions(results, messages)

    def message(self, version: str) -> str | None:
        """What this version printed; None where nothing is recorded."""
        earlier = [known for known in self.messages if _key(known) <= _key(version)]
        return self.messages[max(earlier, key=_key)] if earlier and version in self.results else None

    def summary(self) -> dict[str, str]:
        """The result of each version, as people write it, and the message where it changed: `2.6` -> `held: …`."""
        told = {
            version: [result, *filter(None, [self.messages.get(version)])] for version, result in self.results.items()
        }
        return {short(version): ": ".join(parts) for version, parts in told.items()}

    def with_result(self, version: str, result: str, message: str | None) -> Versions:
        """The same with the result of one version in place of its last one."""
        results = dict(self.results) | {version: result[:_LONGEST]}
        told = {known: self.message(known) for known in self.results} | {version: message and message[:_LONGEST]}
        messages: dict[str, str] = {}
        last = ""
        for known in sorted(results, key=_key):
            text = told[known]
            if text and without_addresses(text) != without_addresses(last):
                messages[known] = last = text
        return Versions({known: results[known] for known in sorted(results, key=_key)}, messages)

    def text(self) -> str:
        """The content of the file."""
        document = {"versions": dict(self.results)} | ({"messages": dict(self.messages)} if self.messages else {})
        return _HEAD + yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=110)

    def write(self, folder: Path) -> None:
        """Write the file of the entry whose folder this is."""
        path = folder / VERSIONS_FILE
        path.parent.mkdir(exist_ok=True)
        path.write_text(self.text(), encoding="utf-8")

    @property
    def held(self) -> list[str]:
        """Versions for which the entry held, oldest first."""
        return [version for version, result in self.results.items() if result == HELD]

    @property
    def exceptions(self) -> list[str]:
        """Versions between those for which the entry held, for which it did not."""
        known, held = list(self.results), self.held
        if not held:
            return []
        between = known[known.index(held[0]) : known.index(held[-1])]
        return [version for version in between if version not in held]


def short(version: str) -> str:
    """`2.6.0` as people write it: 2.6."""
    return ".".join(version.split(".")[:2])


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
