"""Where the guide lies: the folder with `catalog.yaml` and `common-errors/`."""

from __future__ import annotations

from pathlib import Path

from torch_errors.errors import UserError

CATALOG_FILE = "catalog.yaml"
ENTRIES_FOLDER = "common-errors"


def find_root() -> Path:
    """The checkout around the working directory, else the one that the package lies in, else what came with the wheel.

    Raises UserError where there is none.
    """
    package = Path(__file__).resolve().parent
    for folder in (Path.cwd(), *Path.cwd().parents, package.parent, package / "guide"):
        if (folder / CATALOG_FILE).is_file() and (folder / ENTRIES_FOLDER).is_dir():
            return folder
    raise UserError(f"no {CATALOG_FILE} here or above; run torch-errors inside a checkout of the guide")
