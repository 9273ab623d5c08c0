"""What must agree, and be translated, before a version is published.

    python -m tools.release v0.2.0

prints a line for each problem and exits with status 1: the tag, the version of the package and of CITATION.cff, and the
newest section of CHANGELOG.md must agree, and no translation may be older than its English page or missing.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import yaml

from torch_errors.catalog.loading import load_catalog
from torch_errors.verifying.translations import outdated

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


def main(tag: str) -> int:
    """Print what keeps the tag from being published; the exit status."""
    messages = [*problems(tag), *outdated(load_catalog(ROOT))]
    print("\n".join(messages) or f"{tag} can be published")
    return int(bool(messages))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
