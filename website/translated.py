"""The text of pages on the translated site, and links to the same page in the other language.

Pages have the same addresses in both languages, the Chinese ones below `zh/`. A page without a translation shows the
English text with a notice; so does a page whose translation is stale, with its own text.
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
from website import commands
from website.commands import Commands
from website.links import with_english_links
from website.publishing import Published

FOLDER = "zh"  # folder of the Chinese site, below the English site
NAMES = {ENGLISH: "English", CHINESE: "中文"}


def page_text(item: Published, url: str, root: Path, texts: Texts) -> str:
    """Return the Markdown of a page of the translated site, with a notice if it is missing or stale.

    `url`: address of the page below the root of its site. Raises UserError if the page cannot be read.
    """
    return with_notice(source_text(item, root, texts), notice(item, url, root, texts))


def source_text(item: Published, root: Path, texts: Texts) -> str:
    """Return the Markdown of a page's source in a language; empty if the page is generated.

    Raises UserError if the source cannot be read.
    """
    if isinstance(item.subject, Snippet):
        text = item.subject.markdown
    elif not (root / source_name(item)).is_file():
        return ""
    else:
        path = in_language(root / source_name(item), texts.language)
        text = split_front_matter(read_text(path, "it is a page of the site"))[1]
    text = without_switch(text)
    return text if texts.language == ENGLISH else with_english_links(text, item.source, root, texts.language)


def source_name(item: Published) -> str:
    """Return the name of the file with the text of a page; the page of the commands is a part of README.md."""
    return commands.README if isinstance(item.subject, Commands) else item.source


def state_notice(item: Published, root: Path, texts: Texts) -> str:
    """Return a sentence about a missing or stale translation; empty if it is up to date."""
    path = item.subject.path if isinstance(item.subject, Snippet) else root / source_name(item)
    if texts.language == ENGLISH or not path.is_file():
        return ""
    return {
        MISSING: texts.word("This page has not been translated yet. This is the English text."),
        STALE: texts.word("The English page has changed since this translation was made."),
    }.get(state(source(root, path)), "")


def notice(item: Published, url: str, root: Path, texts: Texts) -> str:
    """Return the sentence of `state_notice` as HTML, with a link to the English page; empty if there is none."""
    sentence = state_notice(item, root, texts)
    if not sentence:
        return ""
    link = f'<a href="{to_other(url, CHINESE)}" hreflang="en">{texts.word("Read it in English")}</a>'
    return f'<div class="translation-notice" data-search-exclude>{sentence} {link}</div>'


def with_notice(text: str, notice: str) -> str:
    """Return the text with a notice below its title."""
    title, _, rest = text.lstrip("\n").partition("\n")
    return f"{title}\n\n{notice}\n\n{rest.lstrip()}" if notice else text


def to_other(url: str, language: str) -> str:
    """Return the relative address of the same page in the other language. `url`: address below the root of its site."""
    url = "" if url in (".", "./") else url
    up = "../" * url.count("/")
    return (f"{up}{FOLDER}/{url}" if language == ENGLISH else f"{up}../{url}") or "./"


def alternates(url: str, language: str, canonical: str | None) -> list[dict[str, Any]]:
    """Return the data for the language switch and the alternate links of a page, for each language."""
    found = []
    for other in LANGUAGES:
        link = to_other(url, language) if other != language else "./" if url.endswith(("/", ".")) or not url else url
        # Search engines need absolute addresses, which are known only if SITE_URL is set.
        address = urljoin(canonical, link) if canonical else link
        found.append(
            {"lang": other, "name": NAMES[other], "link": link, "address": address, "current": other == language}
        )
    return found
