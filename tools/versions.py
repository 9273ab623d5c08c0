"""Verifies every entry with each version of torch in use, and writes the results to the entries' `versions.yaml`.

    python -m tools.versions                 # all of VERSIONS
    python -m tools.versions 2.6 2.10        # only these
    python -m tools.versions 2.6 --entries nan-loss gradient-explosion

Each version is installed into a temporary environment, which takes 5 GB on Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from torch_errors.catalog.loading import load_catalog
from torch_errors.running.versions import HELD, NOT_HELD, SKIPPED, Versions

ROOT = Path(__file__).resolve().parents[1]
# Versions of torch. 2.13 is missing because no torchvision fits it.
VERSIONS = ("2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.14", "2.15")
# Packages that `torch-errors verify` or some entries need besides torch.
NEEDED = ("markdown-it-py", "numpy", "onnxscript", "pandas", "psutil", "pydantic", "pyyaml", "rich", "setuptools")


def install(version: str, folder: Path) -> Path:
    """Create an environment with the newest patch of a version and a matching torchvision; return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"torch=={version}.*", "torchvision", *NEEDED], check=True)
    return python


def verified(python: Path, entries: list[str]) -> tuple[str, list[dict]]:
    """Verify the entries; return the version of torch and the result of each entry. Exits if there is no result."""
    ask = "import torch; print(torch.__version__.partition('+')[0])"
    version = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    command = [str(python), "-m", "torch_errors", "verify", "--json", "--entries-only", *entries]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"verification with torch {version} produced no result:\n{done.stderr}")
    return version, json.loads(done.stdout)["entries"]


def result_of(row: dict) -> str:
    if row["findings"]:
        finding = row["findings"][0]
        return f"{NOT_HELD}: {finding['where']}: {finding['problem']}"
    return f"{SKIPPED}: {row['skipped']}" if row["skipped"] else HELD


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"such as 2.6 (default: {' '.join(VERSIONS)})")
    parser.add_argument("--entries", nargs="*", default=[], metavar="ID", help="only these entries")
    options = parser.parse_args()
    catalog = load_catalog(ROOT)
    for wanted in options.versions or VERSIONS:
        with tempfile.TemporaryDirectory(prefix="torch-errors-") as folder:
            version, rows = verified(install(wanted, Path(folder) / "env"), options.entries)
        for row in rows:
            entry = catalog.entry(row["id"])
            Versions.load(entry).with_result(version, result_of(row), row["message"]).write(entry.folder)
        states = [result_of(row).partition(":")[0] for row in rows]
        print(f"torch {version}: " + ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))


if __name__ == "__main__":
    main()
