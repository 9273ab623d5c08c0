"""Files of the site for programs and language models: `catalog.json`, `llms.txt`, and a Markdown copy of each page.

The copy of a page, `index.md` beside its `index.html`, is CommonMark with tables. Its links lead to other copies.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.catalog.fields import ExceptionEntry, SilentEntry, WarningEntry
from torch_errors.catalog.locate import SNIPPETS, TEMPLATES, WORKFLOWS
from torch_errors.languages import IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import Fence, Page, parse_page
from torch_errors.markdown.snippets import Snippet
from torch_errors.running.versions import Versions
from website import all_errors, commands, entry_facts, home, pages, publishing, symptoms, translated
from website.dialects import PLAIN
from website.fences import fence_title
from website.links import with_copy_links
from website.navigation import navigation
from website.publishing import Published, category_source, entry_source

CATALOG_JSON = "catalog.json"
LLMS_TXT = "llms.txt"
# To be raised when a field of catalog.json is removed or changes its meaning, but not for new fields.
FORMAT_VERSION = 1


def machine_files(
    catalog: Catalog, items: list[Published], name: str, description: str, base: str = "", texts: Texts = IN_ENGLISH
) -> dict[str, str]:
    """Return these files for the site in one language: path below its root -> content.

    `items`: everything that the site publishes. `name`, `description`: the site's own. `base`: the address of the
    site's root, or empty if it is unknown; then addresses in `catalog.json` and `llms.txt` are relative.
    Raises UserError if something that a page shows is missing or malformed.
    """
    contents = {CATALOG_JSON: catalog_json(catalog, base, texts)}
    contents[LLMS_TXT] = llms_txt(catalog, items, name, description, base, texts)
    places = {item.source: copy_place(item) if item.is_page else item.place for item in items}
    sources = {item.source for item in items}
    for item in items:
        if item.is_page:
            state = translated.state_notice(item, catalog.root, texts)
            text = translated.source_text(item, catalog.root, texts)
            text = translated.with_notice(text, f"> {state}" if state else "")
            text = pages.page_markdown(item, text, catalog.root, sources, texts, PLAIN)
            contents[copy_place(item)] = as_copy(text, item, catalog.root, places, texts)
    return contents


def copy_place(item: Published) -> str:
    """Return the path of a page's Markdown copy, which is beside the page."""
    return item.place.removesuffix(".html") + ".md"


# catalog.json ------------------------------------------------------------------------------------------------------


def catalog_json(catalog: Catalog, base: str = "", texts: Texts = IN_ENGLISH) -> str:
    """Return the catalog as JSON. README.md documents the fields."""
    data = {
        "format_version": FORMAT_VERSION,
        "language": texts.language,
        "categories": [_category(category, base) for category in catalog.categories],
        "entries": [_entry(entry, base) for entry in catalog],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _category(category: Category, base: str) -> dict[str, Any]:
    return {"id": category.id, "title": category.title, "summary": category.summary, **_addresses(category.id, base)}


def _entry(entry: Entry, base: str) -> dict[str, Any]:
    fields = entry.fields
    recorded = entry_facts.recording(entry, "broken")
    below = f"{entry.category}/{entry.id}"
    return {
        "id": entry.id,
        "category": entry.category,
        "formerly": entry.former_addresses,
        "kind": entry.kind,
        "exception": fields.exception if isinstance(fields, ExceptionEntry) else None,
        "warning": fields.warning if isinstance(fields, WarningEntry) else None,
        "measure": fields.measure.model_dump(exclude_none=True) if isinstance(fields, SilentEntry) else None,
        "requires": entry.requires,
        "title": entry.title,
        "summary": entry.summary,
        "fix": fields.fix,
        "patterns": [] if isinstance(fields, SilentEntry) else [pattern.match for pattern in fields.patterns],
        "keywords": fields.keywords,
        "symptoms": fields.symptoms,
        "message": recorded.message(fields) if recorded else None,
        "verified_with_torch": recorded.torch.partition("+")[0] if recorded else None,
        "verified_on": recorded.device if recorded else None,
        "versions": dict(Versions.load(entry).results),
        **_addresses(below, base),
        "scripts": {variant: urljoin(base, f"{below}/{variant}.py") for variant in entry.variants},
    }


def _addresses(folder: str, base: str) -> dict[str, str]:
    return {"page": urljoin(base, f"{folder}/"), "markdown": urljoin(base, f"{folder}/index.md")}


# llms.txt ----------------------------------------------------------------------------------------------------------


def llms_txt(
    catalog: Catalog,
    items: list[Published],
    name: str,
    description: str,
    base: str = "",
    texts: Texts = IN_ENGLISH,
) -> str:
    """Return an overview of the site in the format of https://llmstxt.org: sections of links with descriptions."""
    word = texts.word
    by_source = {item.source: item for item in items}

    def link(source: str, title: str, about: str) -> str:
        return f"- [{_bare(title)}]({urljoin(base, copy_place(by_source[source]))}): {about}"

    def links(sources: Iterable[str]) -> list[str]:
        return [link(source, *_title_and_statement(by_source[source], catalog.root, texts)) for source in sources]

    every = word("All {count} entries of the catalog, by category.", count=len(catalog))
    overview = [link(publishing.HOME, word("Home"), description), link(all_errors.SOURCE, word("All errors"), every)]
    overview.append(link(commands.SOURCE, word(commands.TITLE), word(commands.STATEMENT)))
    sections = {word("Overview"): overview}
    shown = symptoms.shown(catalog)
    if shown:
        of_symptoms = [link(symptoms.source(symptom), symptom.title, symptom.summary) for symptom in shown]
        sections[word(symptoms.TITLE)] = [
            link(symptoms.INDEX, word(symptoms.TITLE), symptoms.statement(texts)),
            *of_symptoms,
        ]
    for category in catalog.categories:
        of_entries = [link(entry_source(entry), entry.title, entry.summary) for entry in category.entries]
        sections[category.title] = [link(category_source(category.id), category.title, category.summary), *of_entries]
    folders = {WORKFLOWS: "Workflows", home.PROMPTS: "Prompts", SNIPPETS: "Snippets", home.AGENT: "Agent"}
    for folder, title in folders.items():
        below = [source for source in _in_order(catalog, texts) if posixpath.dirname(source) == folder]
        sections[word(title)] = links(below)
    # The format gives this heading a meaning: the section may be left out if space is short.
    optional = (f"{TEMPLATES}/README.md", publishing.CONTRIBUTING, publishing.MAINTAINING, publishing.CHANGELOG)
    sections["Optional"] = links(source for source in optional if source in by_source)
    about = word(
        "Every link leads to plain Markdown. {catalog} has the catalog as data: message patterns, recorded "
        "messages, fixes and addresses.",
        catalog=f"[{CATALOG_JSON}]({urljoin(base, CATALOG_JSON)})",
    )
    listed = [f"## {title}\n\n" + "\n".join(lines) for title, lines in sections.items() if lines]
    return "\n\n".join([f"# {name}", f"> {description}", about, *listed]) + "\n"


def _in_order(catalog: Catalog, texts: Texts) -> list[str]:
    """Return the sources of all pages in the order of the navigation."""

    def sources(nav: Any) -> Iterator[str]:
        if isinstance(nav, str):
            yield nav
        else:
            for below in nav.values() if isinstance(nav, dict) else nav:
                yield from sources(below)

    return list(sources(navigation(catalog, texts)))


def _title_and_statement(item: Published, root: Path, texts: Texts) -> tuple[str, str]:
    """Return the title and the first paragraph of a page."""
    if isinstance(item.subject, Snippet):
        return item.subject.title, item.subject.statement
    page = parse_page(in_language(root / translated.source_name(item), texts.language))
    return home.title_of(page), home.statement_of(page)


def _bare(title: str) -> str:
    """Return a title escaped for use as the text of a link."""
    return re.sub(r"([\[\]])", r"\\\1", title)


# The copies --------------------------------------------------------------------------------------------------------


def _unfolded(text: str) -> str:
    """Return the text with its collapsed sections unfolded; their summaries become bold lines."""
    text = re.sub(r"(?m)^<details markdown>\n|^</details>\n?", "", text)
    return re.sub(r"(?m)^<summary>(.*)</summary>$", r"**\1**", text)


def as_copy(text: str, item: Published, root: Path, places: Mapping[str, str], texts: Texts = IN_ENGLISH) -> str:
    """Return the text with links to the other copies, and with lines above fences that state where their text is from.

    `places`: file of the repository -> its path on the site.
    """
    page = parse_page(root / item.source, _unfolded(text))
    lines = page.text.split("\n")
    inside = {number for fence in page.fences for number in range(fence.first_line, fence.last_line + 1)}
    for number, line in enumerate(lines, 1):
        if number not in inside:
            lines[number - 1] = with_copy_links(line, item.source, item.place, places)
    for fence in reversed(page.fences):
        _state_origin(fence, lines, page, texts)
    return "\n".join(lines).strip("\n") + "\n"


def _state_origin(fence: Fence, lines: list[str], page: Page, texts: Texts) -> None:
    """Remove the attributes of a fence in these lines, and insert their meaning as a line above the fence."""
    at = fence.first_line - 1
    opening = re.match(r"(\s*)(`{3,}|~{3,})", lines[at])
    if not opening or not fence.attributes:
        return
    lines[at] = opening[0] + fence.language
    title = fence_title(fence, page.path, texts)
    if title:
        above = [] if at == 0 or not lines[at - 1].strip() else [""]
        lines[at:at] = [*above, f"{opening[1]}*{title}*", ""]
