"""A guide of three entries, which builds in seconds, for tests that plant faults in the site.

It is a part of the guide itself, so that its pages, configuration and translations are real. Links to missing pages
become plain text.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from tests.guide import CATALOG
from tests.site.browsing import ROOT
from torch_errors.catalog.loading import load_catalog
from torch_errors.markdown.parsing import parse_page
from torch_errors.verifying.translations import CURRENT, sources, stamp, state

# Entries with decoded numbers, with a wrong fix, and with curves.
ENTRIES = ("matmul-shape-mismatch", "backward-twice", "retained-graph-leak")
# Without the suffix of the language; with the prompts and workflows that the entries' categories and symptoms need.
PAGES = [
    "README", "CONTRIBUTING", "MAINTAINING",
    *(f"troubleshooting-workflows/{name}" for name in ("README", "shape-error", "watch-a-run")),
    *(f"troubleshooting-workflows/{name}" for name in ("out-of-memory", "slow-training")),  # for symptoms
    "debug-templates/README", "debug-templates/prompts/README", "debug-templates/snippets/README",
    "debug-templates/snippets/shape_tracer",
    *(f"debug-templates/prompts/{name}" for name in ("error-analysis", "shapes", "gradients", "performance")),
]  # fmt: skip
OTHERS = ["LICENSE", "Makefile", "mkdocs.yml", "mkdocs.zh.yml", "debug-templates/snippets/shape_tracer.py"]
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")  # a title may hold `hidden[0]`


def build_small_guide(root: Path) -> None:
    """Write the guide into `root`, which must not exist."""
    root.mkdir(parents=True)
    for name in [*OTHERS, *(f"{page}{suffix}" for page in PAGES for suffix in (".md", ".zh.md"))]:
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    shutil.copytree(ROOT / "website", root / "website", ignore=shutil.ignore_patterns("__pycache__"))
    catalog = CATALOG
    chosen = [catalog.entry(id) for id in ENTRIES]
    for entry in chosen:
        folder = entry.folder.relative_to(ROOT)
        shutil.copytree(ROOT / folder, root / folder)
        for page in (ROOT / folder.parent).glob("*.md"):
            shutil.copy(page, root / folder.parent)
    _cut_index(root, {entry.category for entry in chosen})
    copied = {path.relative_to(root).as_posix() for path in root.rglob("*")}
    current = [page.name for page in sources(catalog) if page.name in copied and state(page) == CURRENT]
    for path in root.rglob("*.md"):
        _cut_links(path, root)
    stamp(load_catalog(root), current)


def _cut_index(root: Path, categories: set[str]) -> None:
    """Write the index with only the rows of the chosen entries."""
    document: dict[str, Any] = yaml.safe_load((ROOT / "catalog.yaml").read_text(encoding="utf-8"))
    document["categories"] = {id: row for id, row in document["categories"].items() if id in categories}
    for row in document["categories"].values():
        row["entries"] = {id: fields for id, fields in row["entries"].items() if id in ENTRIES}
    for symptom in document["symptoms"].values():
        symptom["curves"] = [drawn for drawn in symptom.get("curves", []) if drawn["entry"] in ENTRIES]
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000)
    (root / "catalog.yaml").write_text(text, encoding="utf-8")


def _cut_links(path: Path, root: Path) -> None:
    text = path.read_text(encoding="utf-8")
    targets = {target for _, target in parse_page(path, text).links}
    links = targets | {unquote(target) for target in targets}  # the parser encodes what is not ASCII

    def without_dead_links(link: re.Match[str]) -> str:
        file = link[2].partition("#")[0]
        dead = file and "://" not in file and not (path.parent / file).resolve().exists()
        return link[1] if link[2] in links and dead else link[0]

    path.write_text(_LINK.sub(without_dead_links, text), encoding="utf-8")
