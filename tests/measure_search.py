"""How much a first query of the site's search loads, and how long its first result takes.

    python -m tests.measure_search SITE

prints JSON: by language, bytes (compressed with gzip) and requests before and for the query, and seconds.
"""

from __future__ import annotations

import functools
import gzip
import json
import sys
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import launch

# Language -> folder of its home page, what somebody types.
QUERIES = {"en": ("", "mat1 and mat2 shapes cannot be multiplied"), "zh": ("zh/", "显存不足")}


class CountingHandler(SimpleHTTPRequestHandler):
    """Serves files and remembers which; workers ask it as pages do."""

    def __init__(self, *arguments: object, asked: list[str], directory: str) -> None:
        self.asked = asked
        super().__init__(*arguments, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.asked.append(self.translate_path(self.path))
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


def compressed(paths: list[str]) -> int:
    """Bytes of the files as a server would send them."""
    return sum(len(gzip.compress(Path(path).read_bytes(), 9)) for path in paths if Path(path).is_file())


def first_query(browser: Browser, address: str, asked: list[str], folder: str, query: str) -> dict[str, float]:
    """Open a home page in a fresh profile and type a query into its search."""
    page = browser.new_context().new_page()
    asked.clear()
    page.goto(address + folder, wait_until="networkidle")
    before = list(asked)
    asked.clear()
    page.locator(".md-search__input").click()
    started = time.perf_counter()
    page.keyboard.insert_text(query)
    page.locator(".md-search-result__item a").first.wait_for(timeout=30_000)
    seconds = time.perf_counter() - started
    page.wait_for_load_state("networkidle")
    loaded = list(asked)
    page.context.close()
    return {
        "page_bytes": compressed(before),
        "query_bytes": compressed(loaded),
        "query_requests": len(loaded),
        "seconds": round(seconds, 2),
    }


def main(site: str) -> None:
    asked: list[str] = []
    handler = functools.partial(CountingHandler, asked=asked, directory=site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        address = f"http://127.0.0.1:{server.server_port}/"
        print(json.dumps({name: first_query(browser, address, asked, *query) for name, query in QUERIES.items()}))
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
