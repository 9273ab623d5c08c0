"""The Content-Security-Policy of every page, and a check that the page complies with it.

The server may be unable to send headers, so the policy is part of the page. It allows only files of the site itself: no
inline script except the theme's own, no inline style, no other host. A page that needs more fails the build, because
the browser would block it without any notice to the reader.
"""

from __future__ import annotations

import base64
import hashlib
import os
from html.parser import HTMLParser

from torch_errors.errors import UserError

# Environment variable that is set while `mkdocs serve` runs, which adds a script to each page to reload it after a
# change. The text of that script varies.
SERVED = "TORCH_ERRORS_SITE_IS_SERVED"

_DIRECTIVES = {
    "default-src": "'none'",
    "script-src": "'self'",
    # The worker of the search. It is loaded from the network and gets no policy from the page, so its WebAssembly needs
    # no 'wasm-unsafe-eval'. Servers that send this policy as a header must add that to script-src of assets/search.js.
    "worker-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",  # the theme's style sheet contains icons as data: URLs
    "connect-src": "'self'",  # the data of the paste box
    "base-uri": "'none'",
    "form-action": "'none'",
}
# The policy is inserted after this element, since the encoding of a page must come first.
_CHARSET = '<meta charset="utf-8">'
_FORBIDDEN_ELEMENTS = {"style", "iframe", "frame", "object", "embed", "applet", "base", "portal"}
_LOADING = {"src", "srcset", "data", "poster", "background", "action", "formaction", "srcdoc"}


class _Examined(HTMLParser):
    """Collects the inline scripts of a page, and what the policy forbids in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.problems: list[str] = []
        self._script: list[str] | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _FORBIDDEN_ELEMENTS:
            self.problems.append(f"<{tag}>")
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self._script = []
        for name, value in given.items():
            if name == "style" or name.startswith("on"):
                self.problems.append(f"the attribute {name} of <{tag}>")
            elif "".join(value.split()).lower().startswith(("javascript:", "vbscript:")):
                self.problems.append(f"the address {value!r} of <{tag}>")
            elif _loads(tag, name, given) and _is_elsewhere(value):
                self.problems.append(f"{name}={value!r} of <{tag}>, which is not a file of the site")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._script.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            self.scripts.append("".join(self._script))
            self._script = None


def _loads(tag: str, name: str, given: dict[str, str]) -> bool:
    """Whether the browser loads the address in an attribute, or sends data to it."""
    if tag == "img" and given[name].startswith("data:"):
        return False
    return name in _LOADING or (tag == "link" and name == "href" and "stylesheet" in given.get("rel", ""))


def _is_elsewhere(address: str) -> bool:
    """Whether an address has a scheme or a host."""
    address = address.strip()
    return address.startswith(("//", "\\")) or ":" in address.partition("/")[0]


def check_content(html: str, source: str) -> None:
    """Raise UserError if the content of a page needs more than the policy allows.

    `html`: the page's content, made from the Markdown of the file `source`. Parsing is slow, so content without a
    script is left to `with_policy`, unless the site is served.
    """
    if "<script" not in html.lower() and SERVED not in os.environ:
        return
    examined = _Examined(html)
    _refuse(examined.problems + ["a script inside the page"] * bool(examined.scripts), source)


def with_policy(html: str, source: str) -> str:
    """Return the whole page with its policy. Raises UserError if the page needs more than the policy allows."""
    examined = _Examined(html)
    _refuse(examined.problems, source)
    if _CHARSET not in html:
        raise UserError(f"{source}: its page lacks {_CHARSET}, which the Content-Security-Policy must follow")
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in examined.scripts]
    allowed = " ".join(f"'sha256-{hash}'" for hash in dict.fromkeys(hashes))
    directives = _DIRECTIVES | {"script-src": f"{_DIRECTIVES['script-src']} {allowed}".strip()}
    policy = "; ".join(f"{name} {sources}" for name, sources in directives.items())
    return html.replace(_CHARSET, f'{_CHARSET}<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


def _refuse(problems: list[str], source: str) -> None:
    if problems:
        raise UserError(
            f"{source}: the Content-Security-Policy of the site forbids {', '.join(dict.fromkeys(problems))}; "
            "put scripts and styles into files below website/docs/assets"
        )
