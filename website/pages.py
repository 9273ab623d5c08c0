"""The content of each page, for the site and for its copy as Markdown. Nothing here depends on MkDocs."""

from __future__ import annotations

from collections.abc import Collection
from html import escape
from pathlib import Path
from typing import Any

from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.catalog.locate import WORKFLOWS
from torch_errors.languages import ENGLISH, IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import parse_page, same_heading
from torch_errors.markdown.snippets import Snippet
from website import all_errors, commands, decisions, entry_facts, home, moved, symptoms
from website.all_errors import AllErrors
from website.commands import Commands
from website.dialects import SITE, Dialect
from website.entry_page import entry_page, with_way_to_names
from website.fences import with_site_fences
from website.links import with_site_links
from website.markup import plain
from website.moved import Moved
from website.publishing import Published
from website.symptoms import AllSymptoms, Continued, OneSymptom


def page_markdown(
    item: Published,
    text: str,
    root: Path,
    sources: Collection[str],
    texts: Texts = IN_ENGLISH,
    dialect: Dialect = SITE,
    notebooks_on_github: str = "",
) -> str:
    """Return the Markdown of a page. In the plain dialect, fences of the source keep their attributes.

    `text`: content of the page's source; `sources`: sources of everything that the site publishes; `texts`: texts in
    the site's language; `notebooks_on_github`: see `notebooks.colab_address`. Raises UserError if something that the
    page shows is missing or malformed.
    """
    text = with_site_links(text.replace("\r\n", "\n"), item.source, sources, root)
    if isinstance(item.subject, Entry):
        text = with_way_to_names(item.subject, text)
    if not dialect.plain:
        text = with_site_fences(text, root / item.source, texts)
    match item.subject:
        case Catalog() as catalog:
            return home.home_page(catalog, text, texts, dialect)
        case Entry() as entry:
            return entry_page(entry, text, dialect, notebooks_on_github)
        case Snippet(path, source):
            code = dialect.file(path, source, texts)
            return f"{text.rstrip()}\n\n## {texts.word('The code')}\n\n{code}\n"
        case Commands():
            return commands.page(text, texts)
        case AllErrors(catalog):
            return all_errors.page(catalog, texts, dialect)
        case AllSymptoms(catalog):
            return symptoms.index_page(catalog, texts, dialect)
        case OneSymptom() as symptom:
            return symptoms.page(symptom, texts, dialect)
        case Moved() as subject:
            return moved.page(subject, dialect)
    if isinstance(item.subject, Continued):
        text = symptoms.with_way_there(text, item.subject, texts)
    if not dialect.plain and item.source.startswith(f"{WORKFLOWS}/"):
        english = parse_page(root / item.source)
        page = parse_page(in_language(english.path, texts.language))
        title = same_heading(english, page, decisions.TITLE)
        return decisions.with_diagram(text, page, title, texts.word("The same as text")) if title else text
    return text


def metadata(item: Published) -> dict[str, Any]:
    """Return front matter for a page: its description for search engines, and words for the site's own search.

    The description is escaped, since the theme puts it into an attribute unchanged. `search` is for website/search.py:
    messages that the page quotes, readers' own words for the error, and descriptions of a symptom.
    """
    fields: dict[str, Any] = {}
    if isinstance(item.subject, Snippet):
        fields["description"] = escape(plain(item.subject.statement))
    elif isinstance(item.subject, (Entry, Category)):
        fields["description"] = escape(plain(item.subject.summary))
    if isinstance(item.subject, OneSymptom):
        symptom = item.subject.symptom
        fields["description"] = escape(plain(symptom.summary))
        fields["search"] = {"described": [symptom.title, *symptom.keywords]}
    if isinstance(item.subject, AllErrors):
        # The page repeats every message and would rank above the pages that explain them.
        fields |= {"search": {"exclude": True}, "hide": ["toc"]}
    if isinstance(item.subject, Moved):
        fields |= moved.metadata(item.subject)
    if isinstance(item.subject, Entry):
        # The page of an entry whose title is translated may still be in English.
        title = [item.subject.title] if item.subject.texts.language != ENGLISH else []
        fields["search"] = {
            "messages": entry_facts.quoted_messages(item.subject),
            "keywords": [*title, *item.subject.fields.keywords],
        }
    return fields
