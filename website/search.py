"""The search index in two parts, so that a page loads little: the settings at once, the pages with the first query.

`website/docs/assets/search-on-demand.js` reads the second part.
"""

from __future__ import annotations

import json
from pathlib import Path

INDEX = "search/search_index.json"  # as Material's plugin writes it, and its script reads it
PAGES = "search/pages.json"


def put_pages_aside(site: Path) -> None:
    """Move the pages from the index of a built site into a file of their own."""
    path = site / INDEX
    index = json.loads(path.read_text(encoding="utf-8"))
    pages = json.dumps(index["docs"], ensure_ascii=False, separators=(",", ":"))
    (site / PAGES).write_text(pages, encoding="utf-8")
    path.write_text(json.dumps(index | {"docs": []}, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
