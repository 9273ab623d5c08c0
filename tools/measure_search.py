"""Measures how much the first query of the site's search loads, and how long it takes to show a result.

    python -m tools.measure_search SITE

prints JSON: for each language, the bytes of the page (compressed with gzip), the bytes and requests of the query, and
the seconds until the first result.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import launch
from tests.site.browsing import compressed, files_asked, served

# Language -> folder of its home page, and a query.
QUERIES = {"en": ("", "mat1 and mat2 shapes cannot be multiplied"), "zh": ("zh/", "显存不足")}


def first_query(browser: Browser, address: str, site: Path, folder: str, query: str) -> dict[str, float]:
    """Open a home page in a new browser profile, type a query into its search, and return the measurements."""
    page = browser.new_context().new_page()
    asked = files_asked(page)
    page.goto(address + folder, wait_until="networkidle")
    page_bytes = sum(compressed(address, site, asked).values())
    asked.clear()
    page.locator(".md-search__input").click()
    started = time.perf_counter()
    page.keyboard.insert_text(query)
    page.locator(".md-search-result__item a").first.wait_for(timeout=30_000)
    seconds = time.perf_counter() - started
    page.wait_for_load_state("networkidle")
    sizes = compressed(address, site, asked)
    page.context.close()
    return {
        "page_bytes": page_bytes,
        "query_bytes": sum(sizes.values()),
        "query_requests": len(sizes),
        "seconds": round(seconds, 2),
    }


def main(site: Path) -> None:
    with sync_playwright() as playwright, served(site) as server:
        browser = launch(playwright)
        print(json.dumps({name: first_query(browser, f"{server}/", site, *query) for name, query in QUERIES.items()}))
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
