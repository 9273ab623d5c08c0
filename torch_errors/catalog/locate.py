"""Paths of the guide: its folder, which contains `catalog.yaml` and `common-errors/`, and the files in it."""

from __future__ import annotations

from pathlib import Path

from torch_errors.errors import UserError

CATALOG_FILE = "catalog.yaml"
ENTRIES_FOLDER = "common-errors"
WORKFLOWS, TEMPLATES = "troubleshooting-workflows", "debug-templates"
# Modules that code on a page may import, as if the reader had saved these files next to the script.
SNIPPETS = f"{TEMPLATES}/snippets"
# In the folder of an entry: the failure that it demonstrates, and what `explain` says about it.
ENTRY_FILE = "entry.yaml"
# In the folder of an entry: the detector that recognizes the fault in a watched run.
DETECTOR_FILE = "watch.py"
# In the folder of an entry: files that programs write and people only read.
RECORDED_FOLDER = "recorded"
# The Chinese texts of the program and the site.
INTERFACE_FILE = Path(__file__).parents[1] / "interface.zh.yaml"
# The guide in an installed package, which is complete and never changes.
PACKAGED = Path(__file__).resolve().parents[1] / "guide"


def find_root() -> Path:
    """Return the checkout around the working directory, else the checkout around the package, else the installed guide.

    Raises UserError if there is none.
    """
    for folder in (Path.cwd(), *Path.cwd().parents, PACKAGED.parents[1], PACKAGED):
        if (folder / CATALOG_FILE).is_file() and (folder / ENTRIES_FOLDER).is_dir():
            return folder
    raise UserError(f"no {CATALOG_FILE} in this folder or above it; run torch-errors in a checkout of the guide")


def own_root() -> Path:
    """Return the guide of this package, regardless of the working directory: the installed guide, else the checkout.

    Raises UserError if there is none.
    """
    for folder in (PACKAGED, PACKAGED.parents[1]):
        if (folder / CATALOG_FILE).is_file() and (folder / ENTRIES_FOLDER).is_dir():
            return folder
    raise UserError(f"no {CATALOG_FILE} in {PACKAGED} or {PACKAGED.parents[1]}; reinstall torch-errors")
