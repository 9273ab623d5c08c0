"""The page of all errors: a table with a row for each entry, which `docs/assets/all-errors.js` filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.fields import ExceptionEntry, WarningEntry
from torch_errors.catalog.locate import ENTRIES_FOLDER
from torch_errors.languages import IN_ENGLISH, Texts
from website import entry_facts
from website.dialects import SITE, Dialect
from website.markup import code_span, inline_html, plain, table

# A name beside README.md under which other pages link to it. There is no such file.
SOURCE = "errors.md"
# Its folder on the site. The scripts of the site know it, too.
FOLDER = "errors"


@dataclass(frozen=True)
class AllErrors:
    """What the page is about."""

    catalog: Catalog


def page(catalog: Catalog, texts: Texts = IN_ENGLISH, dialect: Dialect = SITE) -> str:
    """Markdown of the page."""
    introduction = texts.word("All {count} entries of the catalog, by category.", count=len(catalog))
    columns = [texts.word(name) for name in ("Entry", "You see", "Category", "Kind", "Hardware")]
    shown = (_plain_table if dialect.plain else _filtered_table)(catalog, columns)
    return f"# {texts.word('All errors')}\n\n{introduction}\n\n{shown}\n"


def _plain_table(catalog: Catalog, columns: list[str]) -> str:
    """Links lead to the files of the repository, as on its other pages."""

    def link(text: str, below: str) -> str:
        return f"[{text}]({ENTRIES_FOLDER}/{below}/README.md)"

    return table(columns, [_cells(entry, link, code_span, str) for entry in _in_order(catalog)])


def _filtered_table(catalog: Catalog, columns: list[str]) -> str:
    """The table as HTML, with its filters. It is whole: without JavaScript only the filters are missing.

    The script finds what it filters by in attributes of each row: `data-category`, `data-kind`, `data-needs` (what the
    entry requires, separated by spaces) and `data-words` (what is searched and not shown).
    """
    head = _html_row([_html_cell("columnheader", escape(name)) for name in columns])
    return "\n".join(
        [
            '<div class="error-filters" id="error-filters"></div>\n',
            '<table class="all-errors" id="error-table" role="table">',
            f'<thead role="rowgroup">{head}</thead>',
            '<tbody role="rowgroup">',
            *map(_row, _in_order(catalog)),
            "</tbody>",
            "</table>\n",
            '<script type="module" src="../assets/all-errors.js"></script>',
        ]
    )


def _in_order(catalog: Catalog) -> list[Entry]:
    return [entry for category in catalog.categories for entry in category.entries]


def _cells(
    entry: Entry, link: Callable[[str, str], str], code: Callable[[str], str], text: Callable[[str], str]
) -> list[str]:
    """The cells of an entry. `link` writes a link to a folder of the catalog, `code` a message, `text` all else."""
    return [
        link(entry.title, f"{entry.category}/{entry.id}"),
        entry_facts.seen(entry, code, text),
        link(entry.category_title, entry.category),
        text(entry_facts.kind_word(entry)),
        text(", ".join(entry_facts.need_words(entry)) or entry.texts.word("runs anywhere")),
    ]


def _row(entry: Entry) -> str:
    """The row as HTML. The page lies in a folder of its own, so that other pages are one level up."""
    title, *others = _cells(entry, _html_link, _code, inline_html)
    cells = [_html_cell("rowheader", title), *(_html_cell("cell", html) for html in others)]
    return _html_row(
        cells, category=entry.category, kind=entry.kind, needs=" ".join(entry.requires), words=_words(entry)
    )


def _html_link(text: str, below: str) -> str:
    return f'<a href="../{below}/">{inline_html(text)}</a>'


def _html_row(cells: list[str], **data: str) -> str:
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    return f'<tr role="row"{attributes}>{"".join(cells)}</tr>'


def _html_cell(role: str, html: str) -> str:
    """A cell with an explicit role: where CSS shows rows as grids, some browsers drop the semantics of a table."""
    name, scope = {"columnheader": ("th", ' scope="col"'), "rowheader": ("th", ' scope="row"')}.get(role, ("td", ""))
    return f'<{name} role="{role}"{scope}>{html}</{name}>'


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _words(entry: Entry) -> str:
    """What an entry is found by and its row does not show."""
    names = [entry.id]
    if isinstance(entry.fields, ExceptionEntry):
        names.append(entry.fields.exception)
    elif isinstance(entry.fields, WarningEntry):
        names.append(entry.fields.warning)
    texts = [plain(entry.summary), *entry.fields.keywords, *entry_facts.quoted_messages(entry)]
    return " ".join(" ".join([*names, *texts]).split())
