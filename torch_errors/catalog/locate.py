"""Where the guide is: the folder with `catalog.yaml` and `common-errors/`, and the files in it."""

from __future__ import annotations

from pathlib import Path

from torch_errors.errors import UserError

CATALOG_FILE = "catalog.yaml"
ENTRIES_FOLDER = "common-errors"
WORKFLOWS, TEMPLATES = "troubleshooting-workflows", "debug-templates"
# What the blocks of a page may import, as if the reader had saved these files beside the script.
SNIPPETS = f"{TEMPLATES}/snippets"
# In the folder of an entry: what it promises, and what `explain` says about it.
ENTRY_FILE = "entry.yaml"
# There, too: what recognizes the fault in a watched run.
DETECTOR_FILE = "watch.py"
# Folder of an entry for what programs write and people only read.
RECORDED_FOLDER = "recorded"
# What the program and the site say in Chinese.
INTERFACE_FILE = Path(__file__).parents[1] / "interface.zh.yaml"
# What came with an installed package, complete and never changed.
PACKAGED = Path(__file__).resolve().parents[1] / "guide"


def find_root() -> Path:
    """The checkout around the working directory, else the one around the package, else what came with the wheel.

    Raises UserError where there is none.
    """
    for folder in (Path.cwd(), *Path.cwd().parents, PACKAGED.parents[1], PACKAGED):
        if (folder / CATALOG_FILE).is_file() and (folder / ENTRIES_FOLDER).is_dir():
            return folder
    raise UserError(f"no {CATALOG_FILE} here or above; run torch-errors inside a checkout of the guide")


def own_root() -> Path:
    """The guide of this package: what came with the wheel, else the checkout around the package.

    Wherever the program was started. Raises UserError where there is none.
    """
    for folder in (PACKAGED, PACKAGED.parents[1]):
        if (folder / CATALOG_FILE).is_file() and (folder / ENTRIES_FOLDER).is_dir():
            return folder
    raise UserError(f"no {CATALOG_FILE} in {PACKAGED} or {PACKAGED.parents[1]}; install torch-errors again")
