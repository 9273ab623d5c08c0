"""The pages of categories: each has a table with a row for each entry, in the order of `catalog.yaml`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.catalog.fields import ExceptionEntry, SilentEntry
from torch_errors.catalog.texts import load_texts
from torch_errors.languages import CHINESE, ENGLISH, Texts, in_language, translation_path
from torch_errors.reading import read_text
from torch_errors.running.recordings import Recording
from torch_errors.verifying import translations
from torch_errors.verifying.skeletons import TODO

_LONGEST = 120
_TABLE = re.compile(r"^(\|[^\n]*\|\n)(\|[-| ]+\|\n)((?:\|[^\n]*\|\n?)*)", re.MULTILINE)
_LINK = re.compile(r" \| \[[^|]*\]\(([a-z0-9-]+)/README(?:\.zh)?\.md\) \|$")


def add_rows(catalog: Catalog, category: Category) -> list[Path]:
    """Add the rows that the category's page and its translation lack. Returns the changed files.

    Existing rows keep their first cell, which somebody may have written, unless it is still to be filled in; their link
    gets the current title. A missing page is written, a missing translation is not. A translation that was up to date
    with the English page stays so.
    """
    page = catalog.page_of(category)
    if not page.is_file():
        text = f"# {category.title}\n\n{category.summary}\n\n| You see | Entry |\n|---|---|\n"
        page.write_text(text, encoding="utf-8")
    return rewrite_page(catalog, page, lambda text, texts: with_rows(text, category.entries, texts))


def rewrite_page(catalog: Catalog, page: Path, rewrite: Callable[[str, Texts], str]) -> list[Path]:
    """Apply `rewrite` to a page and its translation. Returns the changed files.

    A translation that was up to date with the English page stays so.
    """
    was_current = translations.state(translations.source(catalog.root, page)) == translations.CURRENT
    changed = []
    for language in (ENGLISH, CHINESE):
        path = page if language == ENGLISH else translation_path(page)
        if not path.is_file():
            continue
        before = read_text(path, "it is a page that `record` fills in")
        after = rewrite(before, load_texts(language))
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed.append(path)
    if changed and was_current:
        changed += set(translations.stamp(catalog, [page.relative_to(catalog.root).as_posix()])) - set(changed)
    return changed


def with_rows(text: str, entries: Sequence[Entry], texts: Texts) -> str:
    """The text of a page with a row for each of `entries` in its first table; unchanged if it has no table."""

    def rows(table: re.Match[str]) -> str:
        written = [row for row in table[3].splitlines() if TODO not in row]
        seen = {found[1]: row[: found.start()] for row in written if (found := _LINK.search(row))}
        new = [(seen.get(entry.id) or f"| {_seen(entry, texts)}") + _link(entry, texts) for entry in entries]
        return table[1] + table[2] + "".join(f"{row}\n" for row in new)

    return _TABLE.sub(rows, text, count=1)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _link(entry: Entry, texts: Texts) -> str:
    """The second cell of a row: the title, linked to the page in this language, or in English if that is missing."""
    page = in_language(entry.page, texts.language).name
    return f" | [{_cell(entry.title.of(texts.language))}]({entry.id}/{page}) |"


def _seen(entry: Entry, texts: Texts) -> str:
    """The first cell of a row: the recorded message, or the summary of a silent failure or an unrecorded entry."""
    path = entry.recording("broken")
    if isinstance(entry.fields, SilentEntry) or not path.is_file():
        return _cell(entry.summary.of(texts.language))
    message = Recording.load(path).message(entry.promise("broken")).splitlines()[0].replace("`", "'")
    kind = entry.fields.exception if isinstance(entry.fields, ExceptionEntry) else entry.fields.warning
    message = message.removeprefix(f"{kind}: ")
    return _cell(f"`{textwrap.shorten(message, _LONGEST, placeholder=' …')}`")
