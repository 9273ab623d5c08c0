"""The scripts of an entry as a Jupyter notebook.

The scripts run as files of their own, as they were recorded: in the kernel, the second would find what the first left
behind, and those that start processes would fail.
"""

from __future__ import annotations

import json
from typing import Any

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.languages import ENGLISH
from torch_errors.reading import read_text
from website.translated import FOLDER

# Colab opens notebooks from GitHub only, by this address and the part of the notebook's address behind the host.
_GITHUB, _COLAB = "https://github.com/", "https://colab.research.google.com/github/"


def place(entry: Entry) -> str:
    """Return the path of an entry's notebook below the root of the site."""
    return f"{entry.category}/{entry.id}/{entry.id}.ipynb"


def colab_address(entry: Entry, folder: str) -> str | None:
    """Return the address that opens the notebook in Colab, or None if it cannot.

    `folder`: the address of a folder on GitHub with the notebooks of a site, as `https://github.com/OWNER/REPO/blob/BRANCH`.
    """
    if not folder.startswith(_GITHUB):
        return None
    below = "" if entry.texts.language == ENGLISH else f"{FOLDER}/"
    return f"{_COLAB}{folder.removeprefix(_GITHUB).rstrip('/')}/{below}{place(entry)}"


def notebooks(catalog: Catalog) -> dict[str, str]:
    """Return the notebook of every entry: path below the root of the site -> content."""
    return {place(entry): notebook(entry) for entry in catalog}


def notebook(entry: Entry) -> str:
    """Return the notebook of an entry as JSON, in version 4.5 of the format (https://nbformat.readthedocs.io)."""
    fix = entry.texts.word("Smallest fix: {fix}", fix=entry.fields.fix) if entry.fields.fix else ""
    cells = [_cell("about", "markdown", f"# {entry.title}\n\n{entry.summary}")]
    for variant in entry.variants:
        path = entry.script(variant)
        source = read_text(path, f"the entry {entry.id} needs it")
        if variant == "fixed" and fix:
            cells.append(_cell("fix", "markdown", fix))
        cells.append(_cell(f"write-{variant}", "code", f"%%writefile {path.name}\n{source}"))
        cells.append(_cell(f"run-{variant}", "code", f"!python {path.name}"))
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _cell(id: str, kind: str, source: str) -> dict[str, Any]:
    cell = {"id": id.replace("_", "-"), "cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell if kind == "markdown" else cell | {"execution_count": None, "outputs": []}
