"""Pages of the translated site: their text, and the way to the same page in the other language.

Pages have the same addresses in both, the Chinese ones below `zh/`. A page that nobody has translated shows the English
text and says so; one that is older than its English page says that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from torch_errors.languages import CHINESE, ENGLISH, LANGUAGES, Texts, in_language, split_front_matter
from torch_errors.markdown.parsing import without_switch
from torch_errors.markdown.snippets import Snippet
from torch_errors.reading import read_text
from torch_errors.verifying.translations import MISSING, STALE, source, state
from website.links import with_english_links
from website.publishing import Published

FOLDER = "zh"  # of the Chinese site, below the English one
NAMES = {ENGLISH: "English", CHINESE: "中文"}


def page_text(item: Published, url: str, root: Path, texts: Texts) -> str:
    """Markdown of a page of the translated site, as its source would hold it, with a notice where it needs one.

    `url`: address of the page below the root of its site. Raises UserError where the page cannot be read.
    """
    return with_notice(source_text(item, root, texts), notice(item, url, root, texts))


def source_text(item: Published, root: Path, texts: Texts) -> str:
    """What the source of a page says in a language; empty where the site makes the page.

    Raises UserError where the source cannot be read.
    """
    if isinstance(item.subject, Snippet):
        text = item.subject.markdown
    elif not (root / item.source).is_file():
        return ""
    else:
        path = in_language(root / item.source, texts.language)
        text = split_front_matter(read_text(path, "it is a page of the site"))[1]
    text = without_switch(text)
    return text if texts.language == ENGLISH else with_english_links(text, item.source, root, texts.language)


def state_said(item: Published, root: Path, texts: Texts) -> str:
    """A sentence that says that a page is not translated or outdated; empty where it is up to date."""
    path = item.subject.path if isinstance(item.subject, Snippet) else root / item.source
    if texts.language == ENGLISH or not path.is_file():
        return ""
    return {
        MISSING: texts.word("This page has not been translated yet. This is the English text."),
        STALE: texts.word("The English page has changed since this translation was made."),
    }.get(state(source(root, path)), "")


def notice(item: Published, url: str, root: Path, texts: Texts) -> str:
    """What `state_said` says as HTML, with a link to the English page; empty where the page is up to date."""
    said = state_said(item, root, texts)
    if not said:
        return ""
    link = f'<a href="{to_other(url, CHINESE)}" hreflang="en">{texts.word("Read it in English")}</a>'
    return f'<div class="translation-notice" data-search-exclude>{said} {link}</div>'


def with_notice(text: str, notice: str) -> str:
    """The text with a notice below its title."""
    title, _, rest = text.lstrip("\n").partition("\n")
    return f"{title}\n\n{notice}\n\n{rest.lstrip()}" if notice else text


def to_other(url: str, language: str) -> str:
    """Relative address of the same page in the other language, from a page at `url` below the root of its site."""
    url = "" if url in (".", "./") else url
    up = "../" * url.count("/")
    return (f"{up}{FOLDER}/{url}" if language == ENGLISH else f"{up}../{url}") or "./"


def alternates(url: str, language: str, canonical: str | None) -> list[dict[str, Any]]:
    """What the switch in the header and the alternates in the head of a page need, for each language."""
    found = []
    for other in LANGUAGES:
        link = to_other(url, language) if other != language else "./" if url.endswith(("/", ".")) or not url else url
        # Search engines want whole addresses; they are known only where SITE_URL is.
        address = urljoin(canonical, link) if canonical else link
        found.append(
            {"lang": other, "name": NAMES[other], "link": link, "address": address, "current": other == language}
        )
    return found
