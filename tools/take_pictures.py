"""Builds the site and takes the pictures of the paste box that README.md and README.zh.md show.

    python -m tools.take_pictures

writes website/docs/assets/paste-box-{light,dark}.png and, in Chinese, paste-box-{light,dark}.zh.png.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import launch
from tests.site.browsing import ROOT, build, served
from torch_errors.catalog.loading import load_catalog
from torch_errors.running.recordings import Recording

ASSETS = ROOT / "website/docs/assets"
ENTRY = "matmul-shape-mismatch"
WIDTH, MOST_HEIGHT, SCALE = 800, 1200, 2  # two sizes in CSS pixels; device pixels per CSS pixel
SCHEMES = ("light", "dark")
LANGUAGES = {"": "", "zh/": ".zh"}  # folder of the site -> ending of the picture's name


def picture(scheme: str, ending: str) -> Path:
    """Return the path of a picture."""
    return ASSETS / f"paste-box-{scheme}{ending}.png"


def traceback() -> str:
    """Return the text to paste: the recorded traceback of an entry."""
    return Recording.load(load_catalog(ROOT).entry(ENTRY).recording("broken")).body.strip()


def take(browser: Browser, address: str, scheme: str, ending: str) -> None:
    """Paste the traceback on the home page at `address`, and take a picture of the box with its answer."""
    page = browser.new_page(
        viewport={"width": WIDTH, "height": MOST_HEIGHT},
        device_scale_factor=SCALE,
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page.goto(address)
    box = page.locator("#paste-box")
    box.get_by_role("textbox").fill(traceback())
    box.locator(".paste-box-answer dl").wait_for()
    box.locator(".paste-box-prompt a[href]").wait_for()
    page.locator("h1").click()  # takes the focus, so that the picture has no cursor
    box.screenshot(path=picture(scheme, ending), animations="disabled")
    page.close()


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="torch-errors-pictures-") as folder:
        built = build(ROOT, Path(folder))
        if built.returncode:
            print(built.stderr, file=sys.stderr)
            return 1
        with sync_playwright() as playwright, served(Path(folder)) as server:
            browser = launch(playwright)
            for language, ending in LANGUAGES.items():
                for scheme in SCHEMES:
                    take(browser, f"{server}/{language}", scheme, ending)
                    print(picture(scheme, ending).relative_to(ROOT))
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
