"""The addresses of the site's pages, which are permanent: chats, bug reports and search engines link to them.

    python -m tools.addresses

adds the addresses of new pages to `tests/data/addresses.txt`. No address is ever removed: a page that moves leaves a
redirect behind (MAINTAINING.md, "Renaming an entry"; `FORMER_PAGES` in website/moved.py).
"""

from __future__ import annotations

from pathlib import Path

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.loading import load_catalog
from website.publishing import published

ROOT = Path(__file__).resolve().parents[1]
LISTED = ROOT / "tests" / "data" / "addresses.txt"


def addresses(catalog: Catalog) -> list[str]:
    """Return the addresses of pages and redirects below the site's root. The same addresses exist below `zh/`."""
    places = [item.place for item in published(catalog) if item.is_page]
    return sorted({f"/{place.removesuffix('index.html')}" for place in places})


def main() -> None:
    listed = LISTED.read_text(encoding="utf-8").splitlines() if LISTED.is_file() else []
    every = sorted({*listed, *addresses(load_catalog(ROOT))})
    LISTED.write_text("\n".join(every) + "\n", encoding="utf-8")
    print(f"{len(every)} addresses, {len(every) - len(listed)} of them new")


if __name__ == "__main__":
    main()
