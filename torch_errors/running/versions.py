"""`recorded/versions.yaml` of an entry: the results of verification and the messages with each version of torch.

    versions: {2.6.0: held, 2.15.0: held}
    messages: {2.6.0: 'RuntimeError: …', 2.15.0: 'RuntimeError: …'}

Written by `make versions`. A message is listed only if it differs from the message of the version before. Adding a
version leaves the results of the others unchanged.
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
# Maximum length of a message or a result, in characters.
_LONGEST = 600


@dataclass(frozen=True)
class Versions:
    """The results of one entry by version of torch, such as `2.6.0`."""

    results: Mapping[str, str] = field(default_factory=dict)  # `held`, `skipped: reason` or `not held: reason`
    messages: Mapping[str, str] = field(default_factory=dict)  # messages of the versions at which they changed

    @staticmethod
    def load(entry: Entry) -> Versions:
        """Read the file of an entry; empty if there is none. Raises UserError if its content is not valid."""
        path = entry.folder / VERSIONS_FILE
        if not path.is_file():
            return Versions()
        try:
            document = yaml.safe_load(path.read_text(encoding="utf-8"))
            results, messages = document["versions"], document.get("messages", {})
            if not all(isinstance(text, str) for pair in [*results.items(), *messages.items()] for text in pair):
                raise TypeError("versions and messages must be strings")
        except (ValueError, TypeError, LookupError, AttributeError, yaml.YAMLError) as error:
            raise UserError(f"{path}: not what `make versions` writes ({error}); run it again") from None
        return Versions(results, messages)

    def message(self, version: str) -> str | None:
        """The message of a version, or None if none is recorded."""
        earlier = [listed for listed in self.messages if _key(listed) <= _key(version)]
        return self.messages[max(earlier, key=_key)] if earlier and version in self.results else None

    def summary(self) -> dict[str, str]:
        """Short version -> its result, with the message if it changed there: `2.6` -> `held: …`."""
        parts_of = {
            version: [result, *filter(None, [self.messages.get(version)])] for version, result in self.results.items()
        }
        return {short(version): ": ".join(parts) for version, parts in parts_of.items()}

    def with_result(self, version: str, result: str, message: str | None) -> Versions:
        """Return a copy in which the result and the message of one version are added or replaced."""
        results = dict(self.results) | {version: result[:_LONGEST]}
        all_messages = {other: self.message(other) for other in self.results}
        all_messages[version] = message and message[:_LONGEST]
        messages: dict[str, str] = {}
        last = ""
        ordered = sorted(results, key=_key)
        for each in ordered:
            text = all_messages[each]
            if text and without_addresses(text) != without_addresses(last):
                messages[each] = last = text
        return Versions({each: results[each] for each in ordered}, messages)

    def text(self) -> str:
        """The content of `versions.yaml`."""
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
        """Versions between the oldest and the newest that held, for which the entry did not hold."""
        versions, held = list(self.results), self.held
        if not held:
            return []
        between = versions[versions.index(held[0]) : versions.index(held[-1])]
        return [version for version in between if version not in held]


def short(version: str) -> str:
    """Version as people write it, without the patch number: `2.6.0` -> `2.6`."""
    return ".".join(version.split(".")[:2])


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
