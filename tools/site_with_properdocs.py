"""Checks that ProperDocs, a maintained fork of MkDocs, builds the same site, in case MkDocs stops working.

    python -m tools.site_with_properdocs

builds the site with both, in strict mode, and prints the differences between their lists of files. Status 1 if there
are any.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GENERATORS = ("mkdocs", "properdocs")
# Pagefind names these files after a hash of their content, and every page contains the name of its generator.
_NAMED_BY_CONTENT = re.compile(r"(?<=pagefind/)(index/|fragment/)?[\w.-]*?_?[0-9a-f]{6,}(?=\.pf_\w+$)")


def build(root: Path, generator: str, site: Path) -> None:
    """Build the site of the guide at `root`. Raises CalledProcessError if the build fails."""
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": ""}
    command: list[str | Path] = [
        sys.executable,
        "-m",
        generator,
        "build",
        "--strict",
        "--config-file",
        root / "mkdocs.yml",
    ]
    subprocess.run([*command, "--site-dir", site], cwd=root, env=environment, check=True)


def files(site: Path) -> list[str]:
    """Return every file of a built site, with `*` in place of names that are hashes of the content."""
    paths = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    return sorted(_NAMED_BY_CONTENT.sub(r"\1*", path) for path in paths)


def differences(site: Path, other: Path) -> list[str]:
    """Return a line for each file that only one of the two sites has."""
    first, second = files(site), files(other)
    only = [
        (path, name)
        for paths, others, name in ((first, second, site.name), (second, first, other.name))
        for path in paths
        if path not in others
    ]
    counts = [f"{len(paths)} files of {name}" for paths, name in ((first, site.name), (second, other.name))]
    return [f"only of {name}: {path}" for path, name in only] or ([] if len(first) == len(second) else counts)


def main(root: Path = ROOT) -> int:
    with tempfile.TemporaryDirectory(prefix="torch-errors-site-") as folder:
        sites = [Path(folder, generator) for generator in GENERATORS]
        for generator, site in zip(GENERATORS, sites, strict=True):
            build(root, generator, site)
        lines = differences(*sites)
        print("\n".join(lines) or f"{GENERATORS[1]} builds the same {len(files(sites[0]))} files as {GENERATORS[0]}")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
