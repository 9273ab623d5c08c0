"""Title and statement of an entry's page: written in `catalog.yaml`, and copied into the page by `record`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.locate import CATALOG_FILE
from torch_errors.errors import Violation
from torch_errors.languages import CHINESE, ENGLISH, Texts, split_front_matter, translation_path
from torch_errors.markdown.parsing import parse_page
from torch_errors.verifying.category_pages import rewrite_page

# The heading, then blank lines and the link to the other language, then the first paragraph.
_HEAD = re.compile(
    r"\s*# [^\n]*\n(?P<between>(?:[ \t]*\n|\[(?:English|中文)\]\([^)\n]*\)[ \t]*\n)*)"
    r"(?P<statement>(?:(?!#|```)[^\n]+\n?)*)"
)


def write_heads(catalog: Catalog, entry: Entry) -> list[Path]:
    """Copy title and summary into the page of an entry and its translation. Returns the changed files."""
    if not entry.page.is_file():
        return []

    def rewrite(text: str, texts: Texts) -> str:
        head = _head(entry, texts.language)
        return with_head(text, *head) if head else text

    return rewrite_page(catalog, entry.page, rewrite)


def with_head(text: str, title: str, summary: str) -> str:
    """The text of a page with this title and statement; unchanged if the page does not start with a heading."""
    front, body = split_front_matter(text)
    found = _HEAD.match(body)
    if not found:
        return text
    between, statement = found["between"] or "\n", found["statement"]
    if " ".join(statement.split()) != summary:
        statement = f"{summary}\n" if statement else f"{summary}\n\n"
    blank = "\n" if front else ""
    return f"{front}{blank}# {title}\n{between}{statement}{body[found.end() :]}"


def check_heads(entry: Entry) -> Iterator[Violation]:
    """Check that the page of an entry and its translation have the title and summary of `catalog.yaml`."""
    for language in (ENGLISH, CHINESE):
        path = entry.page if language == ENGLISH else translation_path(entry.page)
        head = _head(entry, language)
        if head and path.is_file():
            page = parse_page(path)
            remedy = f"; `torch-errors record {entry.id}` writes what {CATALOG_FILE} says"
            if [text for level, text in page.headings if level == 1] != [head[0]]:
                yield Violation(path.name, f"the title must be {head[0]!r}{remedy}")
            if page.statement != head[1]:
                yield Violation(path.name, f"the first paragraph must be {head[1]!r}{remedy}")


def _head(entry: Entry, language: str) -> tuple[str, str] | None:
    """Title and summary in a language; None if they are not translated."""
    texts = entry.title, entry.summary
    if language != ENGLISH and not all(language in text.translations for text in texts):
        return None
    return texts[0].of(language), texts[1].of(language)
