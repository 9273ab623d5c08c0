"""Whether ProperDocs, a maintained fork of MkDocs, builds the same site: the way out, should MkDocs stop working.

    python -m tools.site_with_properdocs

builds the site with both, in strict mode, and prints how their lists of files differ. Status 1 where they do.
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
# Pagefind names these files after what they hold, and every page holds the name of its generator.
_NAMED_BY_CONTENT = re.compile(r"(?<=pagefind/)(index/|fragment/)?[\w.-]*?_?[0-9a-f]{6,}(?=\.pf_\w+$)")


def build(root: Path, generator: str, site: Path) -> None:
    """Build the site of the guide at `root`. Raises CalledProcessError where that fails."""
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
    """Every file of a built site, those without a name of their own by their folder and kind."""
    paths = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    return sorted(_NAMED_BY_CONTENT.sub(r"\1*", path) for path in paths)


def differences(site: Path, other: Path) -> list[str]:
    """What only one of two sites has, a line each."""
    first, second = files(site), files(other)
    only = [
        (path, name)
        for one, two, name in ((first, second, site.name), (second, first, other.name))
        for path in one
        if path not in two
    ]
    counts = [f"{len(found)} files of {name}" for found, name in ((first, site.name), (second, other.name))]
    return [f"only of {name}: {path}" for path, name in only] or ([] if len(first) == len(second) else counts)


def main(root: Path = ROOT) -> int:
    with tempfile.TemporaryDirectory(prefix="torch-errors-site-") as folder:
        sites = [Path(folder, generator) for generator in GENERATORS]
        for generator, site in zip(GENERATORS, sites, strict=True):
            build(root, generator, site)
        found = differences(*sites)
        print("\n".join(found) or f"{GENERATORS[1]} builds the same {len(files(sites[0]))} files as {GENERATORS[0]}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
