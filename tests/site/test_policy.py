"""The Content-Security-Policy: every page has it, and the build refuses content that violates it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route

from tests.conftest import ROOT
from tests.site.browsing import OpenPage
from torch_errors.errors import UserError
from website.policy import SERVED, check_content, with_policy

POLICY = re.compile(
    r'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="'
    r"default-src 'none'; script-src 'self'( 'sha256-[\w+/]{43}=')*; worker-src 'self'; style-src 'self'; "
    r"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'\">"
)


def test_every_page_has_the_policy(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert {"index.html", "404.html", "zh/index.html", "zh/404.html"} <= {
        path.relative_to(site).as_posix() for path in pages
    }
    for path in pages:
        html = path.read_text(encoding="utf-8")
        match = POLICY.search(html)
        assert match, path
        # Nothing may run or load before the policy.
        assert not re.search(r"<(script|link|style|img)\b", html[: match.start()]), path


ELSEWHERE = "http://elsewhere.example/"
ATTACK = (ROOT / "tests/data/attack.js").read_text(encoding="utf-8")


def test_browser_blocks_an_attack_by_the_policy(new_page: OpenPage, address: str) -> None:
    page = new_page()
    page.goto(address)
    asked: list[str] = []
    # Only requests that the policy allows arrive here.

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body="")

    page.route(f"{ELSEWHERE}**", answer)
    assert page.evaluate(ATTACK, ELSEWHERE) == {"hits": [], "styled": False, "base": address}
    assert asked == []


def test_without_the_policy_the_attack_succeeds(new_page: OpenPage, address: str) -> None:
    """Shows that the attack in the test above works."""
    page = new_page()
    body = "<!doctype html><title>x</title><body>"
    page.route(address, lambda route: route.fulfill(content_type="text/html", body=body))
    page.goto(address)
    page.route(f"{ELSEWHERE}**", lambda route: route.fulfill(body="", status=204))
    found = page.evaluate(ATTACK, ELSEWHERE)
    assert {1, 2, 3, 4, 5, 6, ELSEWHERE} <= set(found["hits"]) and found["styled"] and found["base"] == ELSEWHERE


@pytest.mark.parametrize(
    ("html", "named"),
    [
        ("<script>alert(1)</script>", "a script inside the page"),
        ("<script type=module>alert(1)</script>", "a script inside the page"),
        ("<p onclick='f()'>", "the attribute onclick of <p>"),
        ("<svg><a ONLOAD='f()'/></svg>", "the attribute onload of <a>"),
        ("<p style='color: red'>", "the attribute style of <p>"),
        ("<style>p {}</style>", "<style>"),
        ("<iframe src='x.html'></iframe>", "<iframe>"),
        ("<base href='/'>", "<base>"),
        ("<a href='Java\nScript:f()'>", "the address 'Java\\nScript:f()' of <a>"),
        ("<img src='https://example.com/x.png'>", "src='https://example.com/x.png' of <img>"),
        ("<img src='//example.com/x.png'>", "src='//example.com/x.png' of <img>"),
        ("<script src='data:text/javascript,f()'></script>", "of <script>"),
        ("<link rel='stylesheet' href='https://example.com/x.css'>", "href='https://example.com/x.css' of <link>"),
        ("<form action='https://example.com/'>", "action='https://example.com/' of <form>"),
    ],
)
@pytest.mark.parametrize("served", [False, True], ids=["built", "served"])
def test_content_that_violates_the_policy_is_refused(
    served: bool, html: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the hook: the content of a page is checked, and in a build the whole page as well."""
    monkeypatch.setenv(SERVED, "1") if served else monkeypatch.delenv(SERVED, raising=False)
    source, content = "common-errors/x/README.md", f"<h1>Title</h1>{html}"
    with pytest.raises(UserError) as caught:
        check_content(content, source)
        assert not served, "a page that is served is checked by its content"
        with_policy(f'<html><head><meta charset="utf-8"></head><body>{content}</body></html>', source)
    message = str(caught.value)
    assert message.startswith("common-errors/x/README.md: the Content-Security-Policy of the site forbids ")
    assert named in message and "website/docs/assets" in message


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://pytorch.org/docs/">docs</a>',
        '<img src="a.svg"><img src="data:image/png;base64,AA==">',
        '<script type="module" src="assets/paste-box.js"></script>',
        '<script type="application/json">{}</script>',
        '<code>&lt;script&gt;f()&lt;/script&gt; onclick="f()" style=""</code>',
    ],
)
def test_harmless_content_passes(html: str) -> None:
    check_content(html, "README.md")


def test_scripts_of_the_theme_are_allowed_only_by_their_hash() -> None:
    html = '<html><head><meta charset="utf-8"></head><body><script>var a = "&amp;"</script></body></html>'
    # printf 'var a = "&amp;"' | openssl dgst -sha256 -binary | base64
    assert "'sha256-X0RdjedIAqlIfS0zc1ZagE7VLxBswXfmpXUYfHMb+zI='" in with_policy(html, "index.md")


def test_page_without_a_place_for_the_policy_is_refused() -> None:
    with pytest.raises(UserError, match=r'404\.html: its page lacks <meta charset="utf-8">'):
        with_policy("<html></html>", "404.html")
