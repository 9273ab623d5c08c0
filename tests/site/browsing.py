"""Fixtures and helpers of the site's tests: the built site in a browser, below a path as on a project page.

conftest.py imports the fixtures for all tests. Without a browser (tests/chromium.py), tests that need one are skipped.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Route, expect, sync_playwright

from tests.chromium import NoBrowser, launch
from tests.sharing import Shared, site_task

ROOT = Path(__file__).resolve().parents[2]
BASE = "/some/guide/"
expect.set_options(timeout=30_000)  # milliseconds; pages are slow while verification runs
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
# HTML that must stay text when it is pasted, and a word by which it is found.
MARKER = "zebra-4711"
HOSTILE = (
    f"</textarea><script>window.hit = 1</script><img src=x onerror='window.hit = 1'> {MARKER} `<b>code</b>`\n"
    "RuntimeError: shape '[<img src=x onerror=window.hit=1>]' is invalid for input of size 12\n"
    'RuntimeError: size mismatch for <svg/onload="window.hit=1">: copying a param with shape torch.Size([3]) from '
    "checkpoint, the shape in current model is torch.Size([4]).\n"
)


def build(root: Path, site: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs build` as for publishing, or with `options` in place of `--strict`."""
    command = [sys.executable, "-m", "mkdocs", "build", *(options or ["--strict"]), "--site-dir", str(site)]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": ""} | environment
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, timeout=300)


def searched_pages(site: Path) -> set[str]:
    """Addresses of the pages in the search index of a built site in one language, below its root."""
    files = [gzip.decompress(path.read_bytes()) for path in (site / "pagefind/fragment").iterdir()]
    return {json.loads(file.removeprefix(b"pagefind_dcd"))["url"].removeprefix("/") for file in files}


def files_asked(page: Page) -> list[str]:
    """A list to which all later requests of the page and its workers are added, except for the icon."""
    asked: list[str] = []

    def on_request(request: Request) -> None:
        if not request.url.endswith("favicon.svg"):
            asked.append(request.url)

    page.context.on("request", on_request)
    return asked


def compressed(address: str, site: Path, urls: list[str]) -> dict[str, int]:
    """Compressed size in bytes of each requested file of a site that is served at `address`."""
    sizes = {}
    for name in (unquote(urlsplit(url.removeprefix(address)).path) for url in urls):
        path = site / name / "index.html" if (site / name).is_dir() else site / name
        sizes[name] = len(gzip.compress(path.read_bytes(), 9))
    return sizes


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def site(shared: Shared) -> Path:
    """The built site, one for all processes of a run. Tests must not change it."""
    folder = site_folder(shared)
    done = shared.result(site_task(folder))
    assert done.status == 0, done.errors
    return folder


def site_folder(shared: Shared) -> Path:
    """The folder of the built site. A file server of the folder above has it at BASE."""
    return shared.folder / "served" / BASE.strip("/")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder; the value is its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Address of the built site on a file server."""
    with served(site.parents[len(Path(BASE).parts) - 2]) as server:
        yield server + BASE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except NoBrowser as error:
            if os.environ.get("REQUIRE_BROWSER"):
                pytest.fail(f"REQUIRE_BROWSER is set: {error}", pytrace=False)
            pytest.skip(str(error))  # conftest.py makes one line of all these skips
        yield browser
        browser.close()


def go_without_theme(page: Page, url: str, script: str) -> list[str]:
    """Open a page with one script of the site and none of the theme's, under a policy that requires trusted types.

    The site's own policy cannot require them, since the theme makes HTML from strings. Returns a list to which the
    browser's complaints are added.
    """
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    def with_policy(route: Route) -> None:
        response = route.fetch()
        html = re.sub(rf"(?s)<script(?![^>]*{script})[^>]*>.*?</script>", "", response.text())
        policy = {"content-security-policy": "require-trusted-types-for 'script'"}
        route.fulfill(response=response, body=html, headers={**response.headers, **policy})

    page.route(url, with_policy)
    page.goto(url)
    return complaints


@contextmanager
def kept_private(page: Page, address: str, text: str) -> Iterator[list[Request]]:
    """The list of the page's requests. At the end, asserts that neither a request nor the storage contains a text."""
    requests: list[Request] = []
    page.context.on("request", lambda request: requests.append(request))
    yield requests
    for request in requests:
        assert request.method == "GET" and request.post_data is None
        assert request.url.startswith(address)
        # Browsers do not send the fragment, which Playwright shows.
        assert text not in request.url.partition("#")[0] + json.dumps(request.all_headers())
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])"
    assert text not in page.evaluate(stored)


OpenPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser) -> Iterator[OpenPage]:
    """Function that opens an empty page in a new context with the given options."""
    contexts: list[BrowserContext] = []

    def new_page(**options: object) -> Page:
        contexts.append(browser.new_context(**({"viewport": DESKTOP} | options)))  # type: ignore[arg-type]
        page = contexts[-1].new_page()
        page.set_default_timeout(10_000)
        return page

    yield new_page
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(new_page: OpenPage, address: str) -> Iterator[OpenPage]:
    """Function that opens a page of the site. Asserts at the end: empty console, no request to a different host."""
    complaints: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def on_request(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(request.url)

    def open_page(url: str = "", **options: object) -> Page:
        page = new_page(**options)
        page.on("console", on_console)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.context.on("request", on_request)
        response = page.goto(address + url, wait_until="load")
        assert response and response.ok, f"{url}: {response and response.status}"
        return page

    yield open_page
    assert complaints == []


# Sends a query to the worker of the search as the theme does, but without the dialog, which is much faster.
ASK = """async ([worker, query]) => {
    window.asked ??= new Worker(worker);
    return await new Promise((resolve, reject) => {
        window.asked.onerror = () => reject(new Error("the worker failed"));
        setTimeout(() => reject(new Error("the search did not answer; it logs why")), 30000);
        window.asked.onmessage = ({ data: { type, data } }) => type === 3 && resolve(data.items);
        window.asked.postMessage({ type: 2, data: query });
    });
}"""


def _at_once(route: Route) -> None:
    """Remove the pause of the search after each key."""
    response = route.fetch()
    source, count = re.subn(r"const QUIET = \d+;", "const QUIET = 0;", response.text())
    assert count == 1
    route.fulfill(response=response, body=source)


Ask = Callable[[str, str], list[list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def ask(browser: Browser, address: str) -> Iterator[Ask]:
    """Function that searches in a language (`""` or `zh/`) and returns pages, each with its sections."""
    context = browser.new_context()
    context.route("**/assets/search.js", _at_once)
    answers: dict[tuple[str, str], list[list[dict[str, Any]]]] = {}
    pages: dict[str, Page] = {}
    complaints: list[str] = []

    def ask(language: str, query: str) -> list[list[dict[str, Any]]]:
        if (language, query) in answers:
            return answers[language, query]
        if language not in pages:
            pages[language] = page = context.new_page()
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            page.goto(address + language)
        found: list[list[dict[str, Any]]] = pages[language].evaluate(
            ASK, [f"{address}{language}assets/search.js", query]
        )
        assert complaints == []
        answers[language, query] = found
        return found

    yield ask
    context.close()


def pages_of(found: list[list[dict[str, Any]]]) -> list[str]:
    """Addresses of the pages found, best first, below the root of the site in their language."""
    return [page["location"] for page, *_ in found]
