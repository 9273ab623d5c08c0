"""Checks that a version can be published.

    python -m tools.release v0.2.0

compares the tag with the version of the package, the version in CITATION.cff, and the newest section of CHANGELOG.md.
Prints a line for each mismatch; status 1 if there is any.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
_SECTION = re.compile(r"(?m)^## \[(?P<version>[^\]]+)\](?P<date> - \d{4}-\d\d-\d\d)?$")


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """Return the problems that keep the tag from being published."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = str(yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["version"])
    newest = _SECTION.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    mismatches = []
    if tag != f"v{version}":
        mismatches.append(
            f"pyproject.toml: version is {version}, the tag is {tag}; the tag of this version is v{version}"
        )
    if cited != version:
        mismatches.append(f"CITATION.cff: version is {cited}, in pyproject.toml it is {version}; write the same")
    if newest is None or newest["version"] != version or not newest["date"]:
        mismatches.append(f"CHANGELOG.md: its first section must be `## [{version}] - ` and the day of the release")
    return mismatches


if __name__ == "__main__":
    mismatches = problems(sys.argv[1])
    print("\n".join(mismatches) or f"{sys.argv[1]} can be published")
    sys.exit(bool(mismatches))
