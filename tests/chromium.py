"""Finds a browser for the tests.

As a command, it also downloads one if none is installed. If that fails, the command still succeeds, and the tests that
need a browser are skipped.

    python -m tests.chromium
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = "no browser"
DOWNLOAD = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
_PYTHON = Path(sys.executable)
_COMMAND = shlex.join([str(_PYTHON.relative_to(ROOT) if _PYTHON.is_relative_to(ROOT) else _PYTHON), *DOWNLOAD[1:]])
HOW_TO_GET_ONE = f"install Chromium or Chrome, or run `{_COMMAND}`, or set CHROMIUM to the path of one"


class NoBrowser(Exception):
    """No browser starts. The message is one line with the reason and a remedy."""


def launch(playwright: Playwright) -> Browser:
    """Start the browser in CHROMIUM; without that variable, one from PATH, Playwright's own, or installed Chrome.

    Raises NoBrowser.
    """
    errors = []
    for candidate in _candidates():
        try:
            return playwright.chromium.launch(args=["--no-sandbox"], **candidate)
        except Error as error:
            if "executable_path" in candidate:
                errors.append(f"{candidate['executable_path']} does not start ({_one_line(error.message)})")
    raise NoBrowser(f"{NO_BROWSER}: {'; '.join([*errors, HOW_TO_GET_ONE])}")


def _candidates() -> list[dict[str, Any]]:
    """Arguments of Playwright's `launch`, in the order in which they are tried."""
    if path := os.environ.get("CHROMIUM"):
        return [{"executable_path": path}]
    found = dict.fromkeys(filter(None, map(shutil.which, NAMES)))
    # On Windows and macOS, Chrome is not in PATH; Playwright knows where its installer puts it.
    return [*({"executable_path": path} for path in found), {}, {"channel": "chrome"}]


def _one_line(message: str) -> str:
    """One line of Playwright's message about a failed start: the last that the browser printed, or the first."""
    printed = re.findall(r"\[err\] (.+)", message)
    line = printed[-1] if printed else message.partition("\n")[0]
    return line.removeprefix("BrowserType.launch: ").strip()


def main() -> None:
    """Print which browser the tests use. Without one, download Playwright's; if that fails, print how to get one."""
    with sync_playwright() as playwright:
        try:
            print(f"Browser tests: Chromium {_version(playwright)}")
            return
        except NoBrowser:
            pass
        if "CHROMIUM" not in os.environ:
            _download()
        try:
            print(f"Browser tests: Chromium {_version(playwright)}")
        except NoBrowser as problem:
            print(f"Browser tests will be skipped, {problem}")


def _download() -> None:
    """Run Playwright's download and print its progress, without the stack traces of a failure."""
    print("No browser found, downloading Playwright's Chromium (roughly 100 MB) ...", flush=True)
    with subprocess.Popen(DOWNLOAD, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line.startswith("|"):
                print(line, end="", flush=True)


def _version(playwright: Playwright) -> str:
    browser = launch(playwright)
    try:
        return browser.version
    finally:
        browser.close()


if __name__ == "__main__":
    main()
